"""Exact samplers. Integers and certified enclosures decide; no float takes part."""

from leastnoise.randomness import bernoulli_exp, bernoulli_real, bernoulli_scaled
from leastnoise.sampling.discrete import discrete_gaussian, discrete_laplace, geometric
from leastnoise.sampling.finite import draw_permute_and_flip, draw_proportional, finite_weights
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
