"""NOT PRIVATE. Figures and tables of the five papers, regenerated and checked.

Expected errors come from laws and closed forms where those are known, the rest is simulated from
fixed streams; our mechanisms stand beside the papers'. One module a paper, and ``errata`` for what
corrections and improvements gain; ``FIGURES`` of each says what it draws. Claims and findings are
in ``papers/README.md``.
"""

from leastnoise.reproduce.expected import Check
from leastnoise.reproduce.panels import Panel
from leastnoise.reproduce.run import PAPERS, Reproduction, reproduce

__all__ = ["PAPERS", "Check", "Panel", "Reproduction", "reproduce"]
