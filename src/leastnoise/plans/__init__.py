"""Plans: many tables of one data set from a TOML file, under one budget, with a report."""

from leastnoise.plans.conditions import parse_condition
from leastnoise.plans.plan import Plan, load_plan
from leastnoise.plans.report import render
from leastnoise.plans.run import Outcome, Prepared, prepare

__all__ = ["Outcome", "Plan", "Prepared", "load_plan", "parse_condition", "prepare", "render"]
