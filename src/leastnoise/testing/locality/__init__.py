"""Row-locality: no row decides how another is read, nor what is public."""
