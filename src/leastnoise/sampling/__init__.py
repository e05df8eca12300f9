"""Exact samplers. Integers and certified enclosures decide; no float takes part."""

from leastnoise.randomness import bernoulli_exp, bernoulli_real, bernoulli_scaled
from leastnoise.sampling.discrete_gaussian import discrete_gaussian
from leastnoise.sampling.discrete_laplace import discrete_laplace
from leastnoise.sampling.finite import draw_permute_and_flip, draw_proportional, finite_weights
from leastnoise.sampling.geometric import geometric
from leastnoise.sampling.rounded_laplace import rounded_laplace

__all__ = [
    "bernoulli_exp",
    "bernoulli_real",
    "bernoulli_scaled",
    "discrete_gaussian",
    "discrete_laplace",
    "draw_permute_and_flip",
    "draw_proportional",
    "finite_weights",
    "geometric",
    "rounded_laplace",
]
