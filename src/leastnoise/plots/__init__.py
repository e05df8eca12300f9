"""Pictures (extra: plots): functions that draw on matplotlib Axes and give them back.

Profiles, laws, errors and norm balls look at data, so they are NOT PRIVATE and for public or
synthetic data only; ``budget`` and ``groups`` draw ledgers and records, which hold no private data.
Lines differ in colour, marker and dash, so they can be told apart in grey and by every eye.
"""

from leastnoise.plots.balls import balls, contours
from leastnoise.plots.drawing import FORMATS, check_path, save, svg
from leastnoise.plots.laws import error_against_epsilon, law, profile, tails
from leastnoise.plots.releases import budget, groups

__all__ = [
    "FORMATS",
    "balls",
    "budget",
    "check_path",
    "contours",
    "error_against_epsilon",
    "groups",
    "law",
    "profile",
    "save",
    "svg",
    "tails",
]
