"""Front ends: every kind of table an analyst has, read by one rule.

``open_table`` turns a list, an array, a data frame or a file into a ``Table``: names and declared
types first, values later. Importing this package imports the standard library and numpy only.
"""

from __future__ import annotations

from leastnoise.frames.readers.open import open_table
from leastnoise.frames.table import Table

__all__ = ["Table", "open_table"]
