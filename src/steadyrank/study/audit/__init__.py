"""The audit: leave every unit out, and see what each method's answer does."""
