"""How many pairs to sample: the reference numbers, the exact conditions, other distributions."""

from dataclasses import replace
from fractions import Fraction
from math import ceil, e, exp, log, sqrt

import pytest
from scipy.special import lambertw
from scipy.stats import beta as beta_law

import leastnoise as ln
from leastnoise.blackbox import changed_distribution, operating_points, sample_size
from leastnoise.blackbox.sizes import coverage, holds
from leastnoise.errors import ParameterError

F = Fraction
LUCK = F(1, 1000)


def size(guarantee, gamma=None, m=None, beta=LUCK):
    return sample_size(guarantee, gamma=None if gamma is None else F(gamma), beta=beta, m=m)


@pytest.mark.parametrize(
    ("gamma", "paper", "marginal", "two_level"),
    [("0.01", 41971, 99, 688), ("0.05", 1305, 19, 135), ("0.1", 285, 9, 66), ("0.5", 8, 1, 10)],
)
def test_reference_sizes(gamma, paper, marginal, two_level):
    assert size("paper", gamma).m == paper
    assert size("marginal", gamma).m == marginal
    assert size("two-level", gamma).m == two_level


@pytest.mark.parametrize("gamma", ["0.003", "0.02", "0.1", "0.37", "0.5", "0.8"])
@pytest.mark.parametrize("beta", [F(1, 1000), F(1, 20), F(1, 10**9)])
def test_the_smallest_two_level_size_is_exact(gamma, beta):
    m = size("two-level", gamma, beta=beta).m
    keep = 1 - F(gamma)
    assert keep**m <= beta < keep ** (m - 1)


EQUAL = [
    (F(keep, 10), F(keep, 10) ** m, m) for keep in (1, 3, 5, 8, 9) for m in (1, 2, 3, 7, 40, 400)
]


@pytest.mark.parametrize(("keep", "beta", "m"), [*EQUAL, (F(1, 2), F(1, 8), 3)])
def test_the_smallest_size_with_equality(keep, beta, m):
    """(1 - gamma)^m = beta needs m pairs and not one more; a little less luck needs one more."""
    assert size("two-level", 1 - keep, beta=beta).m == m
    assert size("two-level", 1 - keep, m, beta=beta).k == m
    assert size("two-level", 1 - keep, beta=beta * F(10**50 - 1, 10**50)).m == m + 1
    assert size("two-level", m=m, beta=beta).gamma == 1 - keep


@pytest.mark.parametrize("j", [0, 1, 3])
@pytest.mark.parametrize(("m", "gamma"), [(5, F(1, 2)), (12, F(1, 3)), (200, F(1, 20))])
def test_the_index_with_equality(m, gamma, j):
    """beta is the chance of at most j missed: just so many largest changes may be left out."""
    beta = 1 - coverage(m, m - j, gamma)
    assert size("two-level", gamma, m, beta=beta).k == m - j
    if beta < F(1, 2):
        less = beta * F(10**50 - 1, 10**50)
        wanted = m - j + 1 if j else None
        if wanted is None:
            with pytest.raises(ParameterError, match="too few"):
                size("two-level", gamma, m, beta=less)
        else:
            assert size("two-level", gamma, m, beta=less).k == wanted


@pytest.mark.parametrize("power", [20, 37, 40, 45, 54, 60, 100, 300])
def test_tiny_shares_need_many_pairs(power):
    gamma = F(1, 10**power)
    m = size("two-level", gamma).m
    # log(1/beta) (1/gamma - 1/2 - gamma) < m <= log(1/beta) / gamma + 1
    assert m * gamma <= F(69077552791, 10**10)
    assert (m + 1) * gamma >= F(69077552789, 10**10)
    for few in (1, 500, m - 1):
        with pytest.raises(ParameterError, match="too few"):
            size("two-level", gamma, few)


def test_limits_of_sizes():
    assert size("two-level", "0.5", beta=F(1, 2**2000)).m == 2000
    assert size("two-level", m=10**18, beta=F(1, 10**400)).gamma * 10**18 < 922
    for rule in ("two-level", "paper", "marginal"):
        with pytest.raises(ParameterError, match="gamma must be at least"):
            size(rule, F(1, 10**400))
    with pytest.raises(ParameterError, match="larger gamma"):
        ln.SensitivitySampler(len, draw_record=lambda rng: 1, n=2, gamma="1e-60")


@pytest.mark.parametrize("m", [66, 70, 150, 400, 1000])
def test_two_level_index_is_the_smallest_that_covers(m):
    found = size("two-level", "0.1", m)
    assert coverage(m, found.k, F("0.1")) >= 1 - LUCK
    assert found.k == 1 or coverage(m, found.k - 1, F("0.1")) < 1 - LUCK
    assert float(coverage(m, found.k, F("0.1"))) == pytest.approx(
        beta_law.sf(0.9, found.k, m - found.k + 1), abs=1e-12
    )


def test_two_level_index_at_large_sizes():
    for m, gamma in ((50_000, 0.1), (10**6, 0.5), (20_000, 0.01)):
        k = size("two-level", str(gamma), m).k
        assert beta_law.sf(1 - gamma, k, m - k + 1) >= 0.999 - 1e-9
        assert beta_law.sf(1 - gamma, k - 1, m - k + 2) < 0.999


def test_marginal_rule():
    for m in (19, 20, 100, 777):
        k = size("marginal", "0.05", m).k
        assert F(k, m + 1) >= F(19, 20) > F(k - 1, m + 1)


@pytest.mark.parametrize("gamma", [F(1, 3), F(3, 10), F(2, 7), F(5, 9), F(99, 100), F(1, 1000)])
def test_every_size_is_the_least_that_holds(gamma):
    for guarantee in ("marginal", "two-level"):
        found = sample_size(guarantee, gamma=gamma, beta=LUCK, m=None)
        assert holds(found)
        for m in range(max(1, found.m - 2), found.m):
            with pytest.raises(ParameterError, match=f"m >= {found.m}"):
                sample_size(guarantee, gamma=gamma, beta=LUCK, m=m)
            assert not any(holds(replace(found, m=m, k=k)) for k in range(m + 1))


def test_table_1_rows():
    """Corollaries 20 to 22, from their formulas."""
    for gamma in (0.01, 0.1, 0.3, 0.5):
        rho = exp(lambertw(-gamma / (2 * sqrt(e)), -1).real + 0.5)
        m = ceil(log(1 / rho) / (2 * (gamma - rho) ** 2))
        k = ceil(m * (1 - gamma + rho + sqrt(log(1 / rho) / (2 * m))) - 1e-9)
        found = operating_points(gamma)
        assert (found.m, found.k) == (m, min(k, m))
        assert float(found.rho) == pytest.approx(rho)
    for m in (100, 1500, 10_000):
        rho = exp(lambertw(-1 / (4 * m), -1).real / 2)
        gamma = rho + sqrt(log(1 / rho) / (2 * m))
        found = operating_points(m=m)
        assert found.k == m
        assert float(found.gamma) == pytest.approx(gamma, abs=1e-8)
        assert float(found.gamma) >= gamma - 1e-12
        both = operating_points("0.25", m)
        assert both.k == ceil(m * (1 - 0.25 + gamma) - 1e-9)


@pytest.mark.parametrize("gamma", ["0.01", "0.1", "0.5"])
def test_no_rho_needs_fewer_pairs(gamma):
    least = operating_points(gamma).m
    for i in range(1, 1000):
        rho = float(F(gamma)) * i / 1000
        if rho < 0.5:
            assert log(1 / rho) / (2 * (float(F(gamma)) - rho) ** 2) >= least - 1


def test_too_few_pairs_are_refused_with_the_number():
    with pytest.raises(ParameterError, match="m >= 135"):
        size("two-level", "0.05", 134)
    with pytest.raises(ParameterError, match="m >= 19"):
        size("marginal", "0.05", 18)
    with pytest.raises(ParameterError, match="m >= 1305"):
        size("paper", "0.05", 1000)
    with pytest.raises(ParameterError, match="give gamma"):
        size("two-level")
    with pytest.raises(ParameterError, match="nothing"):
        size("paper", m=1)


def test_gamma_from_m():
    found = size("two-level", m=135)
    assert found.k == 135
    assert (1 - found.gamma) ** 135 <= LUCK < (1 - found.gamma * F(999, 1000)) ** 135


# --- another distribution (Proposition 8) -----------------------------------------------------


def test_changed_distribution():
    before = ln.RandomDP(1, 0, "0.05", "0.001")
    after = changed_distribution(before, n=99, divergence="1e-5")
    assert float(after.gamma) == pytest.approx(0.05 + sqrt(100 * 1e-5 / 2), rel=1e-9)
    assert after.gamma > before.gamma
    assert (after.epsilon, after.beta) == (1, F(1, 1000))
    # far apart, where Pinsker says nothing, the other bound still does
    far = changed_distribution(before, n=1, divergence=1)
    assert float(far.gamma) == pytest.approx(0.05 + sqrt(1 - exp(-2)), rel=1e-9)
    assert changed_distribution(before, n=5, divergence=0).gamma == before.gamma


def test_changed_distribution_is_true_of_bernoulli_records():
    """P^(n+1) and Q^(n+1) of coins: no event differs by more than the term that is added."""
    from math import comb

    for p, q, n in ((0.5, 0.52, 20), (0.1, 0.2, 3), (0.5, 0.9, 1)):
        divergence = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
        size = n + 1
        distance = sum(
            comb(size, i) * max(0.0, p**i * (1 - p) ** (size - i) - q**i * (1 - q) ** (size - i))
            for i in range(size + 1)
        )
        before = ln.RandomDP(1, 0, "0.01")
        after = changed_distribution(before, n=n, divergence=divergence)
        assert float(after.gamma - before.gamma) >= distance


def test_changed_distribution_that_says_nothing_is_refused():
    with pytest.raises(ParameterError, match="says nothing"):
        changed_distribution(ln.RandomDP(1, 0, "0.05"), n=1000, divergence=1)
    with pytest.raises(ParameterError, match="divergence"):
        changed_distribution(ln.RandomDP(1, 0, "0.05"), n=10, divergence=-1)
