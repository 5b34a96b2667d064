"""What chance may do: draws of scores, and the ranks that true scores may then have. No stability."""
