"""Counts, sums, means and the number of distinct entries."""
