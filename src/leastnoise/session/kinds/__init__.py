"""Kinds of answers, one file each: how it is rehearsed, its law, and its record."""
