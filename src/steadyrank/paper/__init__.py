"""The paper's experiments, and those that it could not afford."""
