"""What was observed: one frozen class for each kind, and the readers."""
