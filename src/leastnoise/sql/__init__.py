"""Queries in SQL: read by sqlglot, answered by the statistics of the library."""
