"""``leastnoise demo``: real data, exact errors, readable everywhere."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import leastnoise as ln
from leastnoise.cli import patients
from leastnoise.cli.demo import COMMAND
from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    InverseSensitivity,
    Laplace,
    PiecewiseLaplace,
    SmoothLaplace,
)
from leastnoise.session.profiles import expected_error
from support.commands import Outcome, fresh, in_process


@cache
def demo(width: int) -> Outcome:
    return fresh("demo", COLUMNS=str(width))


def rows(text: str) -> list[list[str]]:
    """The table's cells: name, value, truth, our error, the best other error, Laplace's error."""
    body = text.split("───\n")[-1].split("\n\n")[0]
    return [re.split(r"\s{2,}", line.strip()) for line in body.splitlines()]


@pytest.mark.parametrize("width", [80, 120])
def test_is_readable_at_this_width_and_plain_when_piped(width):
    outcome = demo(width)
    assert (outcome.code, outcome.err) == (0, "")
    assert "\x1b" not in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= width
    table = rows(outcome.out)
    assert len(table) == len(patients.questions())
    assert all(len(cells) == 6 for cells in table), table


def test_the_truth_is_that_of_the_sample():
    sample = load_diabetes(scaled=False)
    column = dict(zip(sample.feature_names, sample.data.T, strict=True))

    def quantile(name, q):
        return np.quantile(column[name], q, method="inverted_cdf")

    truths = [
        quantile("age", 0.5),
        quantile("s6", 0.5),
        quantile("bmi", 0.9),
        quantile("bp", 0.75) - quantile("bp", 0.25),
        column["s1"].mean(),
        (column["bmi"] >= 30).sum(),
    ]
    assert [q.truth for q in patients.questions()] == truths
    shown = [float(cells[2]) for cells in rows(demo(80).out)]
    assert shown == [float(f"{truth:.4g}") for truth in truths]


def test_the_limits_are_wider_than_the_sample():
    column = patients.patients()
    for name, (low, high) in {
        "age": patients.AGE,
        "s6": patients.SUGAR,
        "bmi": patients.BMI,
        "bp": patients.BLOOD_PRESSURE,
        "s1": patients.CHOLESTEROL,
    }.items():
        assert low < column[name].min()
        assert column[name].max() < high


def test_private_values_lie_near_the_truth():
    for name, value, truth, ours, *_ in rows(demo(80).out):
        # exponential tails: 25 mean errors are exceeded once in 1e10 runs
        assert abs(float(value) - float(truth)) <= 25 * float(ours.split()[0]) + 0.05, name


def test_errors_are_those_of_a_simulation():
    """Mean distance of cut draws, 40,000 a law; five standard errors."""
    from leastnoise.session import profile

    for question in patients.questions():
        seen = profile(
            question.statistic, question.data, relation=question.relation, missing="none"
        )
        low, high = (float(end) for end in seen.support)
        for mechanism in (
            PiecewiseLaplace(),
            InverseSensitivity(),
            AsymmetricSensitivity(),
            SmoothLaplace(delta=patients.DELTA),
            Laplace(),
        ):
            draws = mechanism.law(seen, 1).sample(40_000, np.random.default_rng(5))
            if seen.clamp:
                draws = np.clip(draws, low, high)
            distances = np.abs(draws - float(seen.value))
            error = expected_error(mechanism, seen, 1)
            bar = 5 * distances.std() / 200 + 1e-6 * error
            assert distances.mean() == pytest.approx(error, abs=bar), (question.label, mechanism)


@pytest.mark.parametrize("mechanism", [Laplace(), SmoothLaplace(delta="1e-3")])
@pytest.mark.parametrize("pay", [[1, 3, 5, 7, 9], [0, 0, 0], [10, 10]])
def test_the_error_after_the_cut_is_the_sum_over_all_points(mechanism, pay):
    seen = ln.profile(ln.Median(bounds=(0, 10)), np.array(pay))
    law = mechanism.law(seen, "0.7")
    total = sum(law.pmf(y) * abs(min(max(y, 0), 10) - seen.value) for y in range(-800, 811))
    assert expected_error(mechanism, seen, "0.7") == pytest.approx(total, rel=1e-9)


def test_for_order_statistics_ours_is_nowhere_worse_than_the_others():
    for name, _, _, ours, other, laplace in rows(demo(80).out)[:4]:
        error = float(ours.split()[0])
        assert error <= float(other.split()[0]), name
        assert error <= float(laplace), name


def test_says_what_is_guaranteed_spent_and_how_to_go_on():
    text = " ".join(demo(80).out.split())
    assert "whatever one patient's row contains" in text
    assert "these 6 answers spend 6" in text
    assert "because this sample is public" in text
    assert demo(80).out.rstrip().splitlines()[-1] == COMMAND


def test_the_command_it_ends_with_works(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.csv").write_text("name,age\nA,31\nB,47\n", encoding="utf-8")
    assert in_process(capsys, *COMMAND.split()[1:]).code == 0


def test_every_run_draws_anew():
    values = {tuple(cells[1] for cells in rows(demo(width).out)) for width in (80, 120)}
    assert len(values) == 2


def test_without_scikit_learn_it_says_what_to_install():
    outcome = fresh("demo", prelude="sys.modules['sklearn'] = None")
    assert outcome.code == 2
    assert outcome.out == ""
    assert "pip install leastnoise[demo]" in outcome.err
    assert "Traceback" not in outcome.err


def test_without_pandas_it_runs():
    assert fresh("demo", prelude="sys.modules['pandas'] = None").code == 0
