"""Kinds of answers, one file each: how each is rehearsed, what its law is, what its record says."""
