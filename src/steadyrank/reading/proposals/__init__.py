"""What each kind of data proposes for a table, from its profile."""
