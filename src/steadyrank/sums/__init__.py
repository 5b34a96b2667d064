"""One model of sums: what each unit adds to each item, added up exactly, with and without any unit."""
