"""Any program as a statistic: sampled sensitivity (random DP), or sample and aggregate (proved)."""

from leastnoise.blackbox.aggregate import SampleAndAggregate
from leastnoise.blackbox.declared import BlackBox
from leastnoise.blackbox.estimate import SensitivityEstimate, changed_distribution
from leastnoise.blackbox.plan import Plan, operating_points
from leastnoise.blackbox.sampler import SensitivitySampler
from leastnoise.blackbox.sizes import SampleSize, sample_size

__all__ = [
    "BlackBox",
    "Plan",
    "SampleAndAggregate",
    "SampleSize",
    "SensitivityEstimate",
    "SensitivitySampler",
    "changed_distribution",
    "operating_points",
    "sample_size",
]
