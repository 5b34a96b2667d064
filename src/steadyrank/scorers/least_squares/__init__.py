"""Linear models on regression data, with exact coefficients without each row."""
