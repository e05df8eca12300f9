"""Selection among declared candidates: exact draws, laws by definition, privacy enumerated."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import exp, inf

import numpy as np
import pytest
from scipy.stats import chisquare

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError
from leastnoise.laws import PermuteAndFlipLaw, SelectionLaw
from leastnoise.numbers import ln2_enclosure
from leastnoise.randomness import HashedBits
from leastnoise.sampling import draw_permute_and_flip, draw_proportional, finite_weights
from leastnoise.sampling.finite import _survivors
from leastnoise.testing import check_law

F = Fraction
LABELS = ("N", "S", "W")


def counts_of(data) -> list[int]:
    return [data.count(label) for label in LABELS]


# --- the sampler ------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [F(1, 3), F(7, 2), F(1, 10**9), F(40)])
@pytest.mark.parametrize("big", [False, True])
def test_blocks_are_a_partition_with_certain_envelopes(rate, big):
    rng = np.random.default_rng(3)
    costs = [int(c) * (10**20 if big else 1) for c in rng.integers(-50, 400, 300)]
    weights = finite_weights(costs, rate)
    assert sorted(int(i) for i in weights.order) == list(range(300))
    assert list(weights.edges) == sorted(weights.edges)
    assert (weights.edges[0], weights.edges[-1]) == (0, 300)
    low = ln2_enclosure(64)[1]
    for block in range(len(weights.edges) - 1):
        for place in range(weights.edges[block], weights.edges[block + 1]):
            cost = costs[int(weights.order[place])] - min(costs)
            assert F(*weights.exponent(place)) == rate * cost
            # E >= block ln 2: the probability 2^block exp(-E) of acceptance is at most 1
            assert rate * cost * 2**64 >= block * low


def test_draws_follow_the_proportional_law():
    costs, rate = [3, 0, 1, 1, 9], F(2, 3)
    weights = finite_weights(costs, rate)
    source = HashedBits(b"proportional")
    found = Counter(draw_proportional(weights, source) for _ in range(20_000))
    p = np.exp(-float(rate) * np.array(costs))
    assert chisquare([found[i] for i in range(5)], 20_000 * p / p.sum()).pvalue > 1e-3


def by_permutations(coins: list[float]) -> list[float]:
    """Permute and flip from its definition."""
    found = [0.0] * len(coins)
    orders = list(permutations(range(len(coins))))
    for order in orders:
        quiet = 1.0
        for i in order:
            found[i] += quiet * coins[i] / len(orders)
            quiet *= 1 - coins[i]
    return found


def test_draws_follow_permute_and_flip():
    costs, rate = [3, 0, 1, 1, 9], F(2, 3)
    weights = finite_weights(costs, rate)
    source = HashedBits(b"flip")
    found = Counter(draw_permute_and_flip(weights, source) for _ in range(20_000))
    p = np.array(by_permutations([exp(-float(rate) * c) for c in costs]))
    assert chisquare([found[i] for i in range(5)], 20_000 * p).pvalue > 1e-3


@pytest.mark.parametrize("costs", [[0], [5, 5], [0, 1, 2], [4, 0, 0, 1, 30], [0] + [2] * 5])
def test_law_of_permute_and_flip_is_the_definition(costs):
    law = PermuteAndFlipLaw(costs, F(3, 4), None)
    expected = by_permutations([exp(-0.75 * (c - min(costs))) for c in costs])
    for i, p in enumerate(expected):
        low, high = law.enclosures()[i]
        assert low <= high <= low + F(1, 2**200)
        assert float(low) == pytest.approx(p, rel=1e-12)
        assert law.point_mass(i) == pytest.approx(p, rel=1e-11)


@pytest.mark.parametrize("kind", [SelectionLaw, PermuteAndFlipLaw])
def test_laws_survive_the_kit(kind):
    check_law(kind([3, 0, 1, 1, 9, 2], F(2, 3), None))
    check_law(kind(np.arange(40) % 7, F(1, 5), None), draws=3000)


def test_many_candidates_at_once():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 1000, 200_000)
    scores = ln.Scores(values=values)
    source = HashedBits(b"many")
    for mechanism in (ln.Exponential(), ln.PermuteAndFlip()):
        law = mechanism.law(scores, "0.2")
        drawn = [values[law.draw(source)] for _ in range(30)]
        # both concentrate where exp(score / 10) times the number of candidates does
        assert np.mean(drawn) > 950


# --- what a user sees -------------------------------------------------------------------------


def test_candidates_keep_their_names():
    law = ln.Exponential().law(ln.Scores(values=[1, 4, 2], candidates=LABELS), 1)
    p = np.exp(np.array([1, 4, 2]) / 2)
    assert [law.pmf(label) for label in LABELS] == pytest.approx(list(p / p.sum()))
    assert law.pmf("E") == 0
    assert law.value_of(law.draw(HashedBits(b"names"))) in LABELS
    assert "4" not in repr(law)


def test_rational_scores_keep_their_ratios():
    whole = ln.Exponential().law(ln.Scores(values=[3, 4], sensitivity=6), 1)
    parts = ln.Exponential().law(ln.Scores(values=[F(1, 2), (2, 3)], sensitivity=1), 1)
    assert whole.pmf(0) == pytest.approx(parts.pmf(0), rel=1e-14)


def test_parameters_are_refused_by_name():
    with pytest.raises(ParameterError, match="exact"):
        ln.Exponential().law(ln.Scores(values=[0.5, 1.0]), 1)
    with pytest.raises(ParameterError, match="candidates"):
        ln.Scores(values=[])
    with pytest.raises(ParameterError, match="one score per candidate"):
        ln.Scores(values=[1, 2], candidates=["a"])
    with pytest.raises(ParameterError, match="sensitivity"):
        ln.Scores(values=[1], sensitivity=0)
    with pytest.raises(ParameterError, match="declared candidates"):
        ln.PermuteAndFlip().law(ln.profile(ln.Median(bounds=(0, 4)), [1, 2]), 1)


def test_exponential_on_a_number_is_inverse_sensitivity():
    p = ln.profile(ln.Median(bounds=(0, 8)), [1, 2, 7])
    one, other = ln.Exponential().law(p, 1), ln.InverseSensitivity().law(p, 1)
    assert one.pmf(2) == other.pmf(2)


def test_permute_and_flip_is_never_worse():
    rng = np.random.default_rng(8)
    for size in (2, 5, 30):
        scores = ln.Scores(values=rng.integers(0, 12, size))
        for epsilon in ("0.1", 1, 4):
            flip = ln.PermuteAndFlip().law(scores, epsilon)
            plain = ln.Exponential().law(scores, epsilon)
            assert flip.mean_regret <= plain.mean_regret * (1 + 1e-9)


# --- privacy ------------------------------------------------------------------------------------


def choice(mechanism, *, sensitivity=1, monotone=False, epsilon=1):
    def law_of(data):
        scores = ln.Scores(values=counts_of(data), sensitivity=sensitivity, monotone=monotone)
        return mechanism.law(scores, epsilon)

    return law_of


def worst(law_of, relation, claim, n=4):
    return audit.exact_law(law_of, universe=LABELS, n=n, relation=relation, claim=claim)


@pytest.mark.parametrize("mechanism", [ln.Exponential(), ln.PermuteAndFlip()], ids=lambda m: m.name)
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("epsilon", [F(1, 2), F(3)])
def test_selection_is_private(mechanism, relation, epsilon):
    monotone = relation == "add-remove"  # one record more raises one count and lowers none
    law_of = choice(mechanism, monotone=monotone, epsilon=epsilon)
    report = worst(law_of, relation, ln.PureDP(epsilon))
    assert report.passed
    assert report.hi > epsilon / 3


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_exponential_has_bounded_range(relation):
    law_of = choice(ln.Exponential(), monotone=relation == "add-remove")
    assert worst(law_of, relation, ln.BoundedRange(1)).passed


def test_permute_and_flip_earns_pure_privacy_only():
    report = worst(choice(ln.PermuteAndFlip(), epsilon=3), "replace-one", ln.BoundedRange(3), n=6)
    assert report.lo > 3


@pytest.mark.parametrize("mechanism", [ln.Exponential(), ln.PermuteAndFlip()], ids=lambda m: m.name)
def test_a_false_monotone_flag_is_seen(mechanism):
    assert not worst(choice(mechanism, monotone=True), "replace-one", ln.PureDP(1)).passed


@pytest.mark.parametrize("mechanism", [ln.Exponential(), ln.PermuteAndFlip()], ids=lambda m: m.name)
def test_a_sensitivity_that_is_too_small_is_seen(mechanism):
    assert not worst(choice(mechanism, sensitivity=F(1, 2)), "replace-one", ln.PureDP(1)).passed


def test_a_score_that_moves_by_more_than_it_says_is_seen():
    def law_of(data):
        squares = [count**2 for count in counts_of(data)]
        return ln.PermuteAndFlip().law(ln.Scores(values=squares), 1)

    assert not worst(law_of, "edit", ln.PureDP(1)).passed


def test_candidates_of_the_data_are_seen():
    def law_of(data):
        found = [label for label in LABELS if label in data] or ["N"]
        scores = ln.Scores(values=[data.count(label) for label in found], candidates=found)
        masses = ln.PermuteAndFlip().law(scores, 1).enclosures()
        return audit.Probabilities({found[i]: mass for i, mass in masses.items()})

    report = worst(law_of, "replace-one", ln.PureDP(1))
    assert not report.passed
    assert report.lo == inf


def test_a_sensitivity_or_a_flag_of_the_data_is_seen():
    def law_of(data, *, sensitivity, monotone):
        counts = counts_of(data)
        scores = ln.Scores(
            values=counts,
            sensitivity=1 + counts[2] if sensitivity else 1,  # never too small for its table
            monotone=monotone and counts[0] > 1,
        )
        return ln.Exponential().law(scores, 1)

    def passes(**options):
        return worst(lambda data: law_of(data, **options), "edit", ln.PureDP(1)).passed

    assert passes(sensitivity=False, monotone=False)
    assert not passes(sensitivity=True, monotone=False)
    assert not passes(sensitivity=False, monotone=True)


def test_scores_in_doubles_move_by_more_than_they_say():
    """2^53 + 1 is no double: one record moves such a score by 2."""

    def law_of(data, exact):
        values = [2**53 + count for count in counts_of(data)]
        scores = ln.Scores(values=values if exact else [int(float(v)) for v in values])
        return ln.Exponential().law(scores, 1)

    assert worst(lambda data: law_of(data, True), "replace-one", ln.PureDP(1)).passed
    assert not worst(lambda data: law_of(data, False), "replace-one", ln.PureDP(1)).passed


# --- distances, persons, and numbers of any size --------------------------------------------------


def distances_of(answers: dict[tuple[int, ...], int], count: int) -> dict[tuple[int, ...], list]:
    """For every data set and answer how many records must change, one by one."""
    apart = lambda x, y: sum(a != b for a, b in zip(x, y, strict=True))
    return {
        x: [
            min((apart(x, y) for y, found in answers.items() if found == r), default=len(x) + 1)
            for r in range(count)
        ]
        for x in answers
    }


@pytest.mark.parametrize("mechanism", [ln.Exponential(), ln.PermuteAndFlip()], ids=lambda m: m.name)
@pytest.mark.parametrize("count", [2, 3])
def test_distances_of_any_function_cost_epsilon(mechanism, count):
    """Functions of three records, at random: with two answers the whole of epsilon is a rate."""
    rng = np.random.default_rng(count)
    found = F(0)
    for _ in range(12):
        listed = rng.integers(0, count, 10).tolist()
        table = dict(zip(combinations_with_replacement(range(3), 3), listed, strict=True))
        answers = {x: table[tuple(sorted(x))] for x in product(range(3), repeat=3)}
        distances = distances_of(answers, count)

        def law_of(data, known=distances):
            return mechanism.law(ln.Scores.from_distances(known[data]), 1)

        report = audit.exact_law(
            law_of, universe=(0, 1, 2), n=3, relation="replace-one", claim=ln.PureDP(1)
        )
        assert report.passed, report
        found = max(found, report.lo)
    assert found > F(1, 2)


@pytest.mark.parametrize("mechanism", [ln.Exponential(), ln.PermuteAndFlip()], ids=lambda m: m.name)
def test_distances_that_move_one_way_take_no_more_than_epsilon(mechanism):
    def law_of(data):
        scores = ln.Scores(values=[0, -len(data)], monotone=True, distances=True)
        return mechanism.law(scores, 1)

    assert worst(law_of, "add-remove", ln.PureDP(1)).passed


@pytest.mark.parametrize("mechanism", [ln.Exponential(), ln.PermuteAndFlip()], ids=lambda m: m.name)
def test_scores_of_persons_cost_epsilon(mechanism):
    """A person of three rows moves a score by three, and distances of two answers by three."""

    def law_of(data, distances):
        rows = [row for person in data for row in person]
        counts = [rows.count(label) for label in "ab"]
        # a majority of seven: how many votes must change
        made = (
            ln.Scores.from_distances([max(0, 4 - counts[0]), max(0, counts[0] - 3)])
            if distances
            else ln.Scores(values=counts, monotone=True)
        )
        return mechanism.law(made.strided(3), 1)

    persons = ["", "a", "ab", "aaa", "bbb"]
    for relation in ("add-remove", "edit"):
        for distances in (False, True):
            report = audit.exact_law(
                lambda data, chosen=distances: law_of(data, chosen),
                universe=persons, n=3, relation=relation, claim=ln.PureDP(1),
            )  # fmt: skip
            assert report.passed, report
            assert report.lo > F(1, 4)


@pytest.mark.parametrize("size", [1, 2**31, 2**53, 2**61, 2**62, 2**64, 10**30])
def test_scores_of_any_size_keep_their_differences(size):
    values = [size, size + 1, -size, size - 2]
    kinds = [values] if size > 2**62 else [values, np.array(values, dtype=np.int64)]
    for given in kinds:
        weights = ln.Exponential().law(ln.Scores(values=given), 1).weights
        costs = dict(zip(map(int, weights.order), map(int, weights.costs), strict=True))
        assert [costs[i] for i in range(4)] == [1, 0, 2 * size + 1, 3]


@pytest.mark.parametrize("count", [1, 63, 64, 65, 70, 128, 200])
def test_as_many_coins_are_tossed_as_there_are_candidates(count):
    class Ones(HashedBits):
        def bits(self, count):
            return (1 << count) - 1

    for block in (1, 2, 5):
        assert _survivors(count, block, Ones(b"")) == count
    drawn = [_survivors(count, 1, HashedBits(bytes([i]))) for i in range(200)]
    assert abs(np.mean(drawn) - count / 2) < 4 * np.sqrt(count / 4 / 200)
