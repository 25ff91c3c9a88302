"""What went wrong with an answer: its behaviour on probes, the belief or relation behind it, and a question."""
