"""A class becomes results on disk: submissions are found, graded on this machine or on a cluster, and stored."""
