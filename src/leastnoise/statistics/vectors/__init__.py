"""Several numbers that get their noise jointly: means, moments, covariances."""
