"""Several answers drawn together: recursive splitting and refined counts of quantiles."""
