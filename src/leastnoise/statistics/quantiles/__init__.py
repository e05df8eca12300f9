"""Order statistics: quantiles, one or several, their differences, ratios, intervals and weights."""
