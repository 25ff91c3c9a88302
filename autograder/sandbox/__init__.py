"""The trust boundary: processes in which student code runs, and the only ways in and out. It knows no check and no mark."""
