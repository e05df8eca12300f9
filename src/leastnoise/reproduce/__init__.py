"""NOT PRIVATE. Figures and tables of the five papers, regenerated and checked.

Every number is computed from a law or a closed form, none is simulated, and our mechanisms stand
beside the papers'. One module a paper; ``FIGURES`` of each says what it draws. What is not
reproduced is listed in ``papers/README.md``.
"""

from leastnoise.reproduce.expected import Check
from leastnoise.reproduce.panels import Panel
from leastnoise.reproduce.run import PAPERS, Reproduction, reproduce

__all__ = ["PAPERS", "Check", "Panel", "Reproduction", "reproduce"]
