"""Wrong answers that behave alike: which ones they are, and what an instructor replies to all of them at once."""
