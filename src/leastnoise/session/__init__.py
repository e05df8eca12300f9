"""Releases: from data and a statistic to a record, in an order that keeps errors private."""

from leastnoise.session.opening import open, release
from leastnoise.session.profiles import profile
from leastnoise.session.session import Session

__all__ = ["Session", "open", "profile", "release"]
