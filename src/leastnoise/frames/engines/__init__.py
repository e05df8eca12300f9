"""Tables that an engine holds: queries go there, and summaries of bounded size come back."""

from leastnoise.frames.engines.table import LazyTable, open_lazy

__all__ = ["LazyTable", "open_lazy"]
