"""Rankings that do not flip when one data point leaves."""
