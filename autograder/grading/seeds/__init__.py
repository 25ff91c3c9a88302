"""Fresh numbers for every submission: the course's secret, what counts as an attempt, and the seed of the two."""
