"""Step 1, from data to scores, each scorer with its exact leave-one-out scores."""
