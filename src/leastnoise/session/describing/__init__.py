"""Descriptions of unknown tables: which facts are released, and how they are drawn."""
