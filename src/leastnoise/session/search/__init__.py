"""Bounds found privately where none are declared, and the statistics released with them."""
