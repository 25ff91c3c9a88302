"""Code in colours: a process that only finds out what is what in it, and lines that a page can show."""
