"""Descriptions of tables of which nothing is known: what is asked, and how it is drawn."""
