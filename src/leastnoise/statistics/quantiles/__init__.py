"""Order statistics: quantiles, their differences and ratios, intervals, weighted quantiles."""
