"""How many units it takes to change an answer: pairs of items, and the search that asks about them."""
