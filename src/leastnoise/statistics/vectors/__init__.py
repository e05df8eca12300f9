"""Several numbers that get their noise together: means, moments, covariances."""
