"""The trust boundary: processes in which student code runs, and the only ways in and out. Knows no checks or marks."""
