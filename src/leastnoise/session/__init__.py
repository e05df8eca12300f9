"""Releasing: from data and a statistic to a record, in the order that keeps errors private."""

from leastnoise.session.profiles import profile
from leastnoise.session.releases import release

__all__ = ["profile", "release"]
