"""Counts by cell, choices among declared answers, and keys that cannot be declared."""
