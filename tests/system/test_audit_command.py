"""``leastnoise audit``: passes on what is shipped, and ends with 1 on a claim that is false."""

from __future__ import annotations

import json
from functools import partial

import pytest

from leastnoise.audit import cases, coverage, peers
from leastnoise.audit.cases import MechanismCase
from leastnoise.audit.peers.check import Check, Peer, Replayed, Sampled, pure
from leastnoise.audit.peers.replay import Additive
from leastnoise.guarantees import PureDP
from leastnoise.mechanisms import Laplace
from support.commands import Run, fresh, in_process, words

SHORT = words("audit --quick --statistic minimum --epsilon 1")


class Cheat:
    """Draws at 2 epsilon and claims epsilon."""

    name = "[red]Cheat()"

    def law(self, profile, epsilon):
        return Laplace().law(profile, 2 * epsilon)

    def guarantee(self, epsilon, scope):
        return PureDP(epsilon, scope)

    def depth(self, epsilon, range_bits):
        return 0


@pytest.fixture
def run(capsys, monkeypatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")
    return partial(in_process, capsys)


@pytest.fixture
def cheat(monkeypatch):
    for module in (cases, coverage):
        monkeypatch.setattr(module, "MECHANISMS", [MechanismCase(Cheat())])


@pytest.mark.parametrize("width", [80, 120])
def test_what_is_shipped_passes(width):
    outcome = fresh(*SHORT, "--mechanism", "Piecewise", COLUMNS=str(width))
    assert (outcome.code, outcome.err) == (0, "")
    assert max(map(len, outcome.out.splitlines())) <= width
    assert "\x1b" not in outcome.out
    text = " ".join(outcome.out.split())
    assert "all hold" in text
    assert "A pass covers this universe and these sizes only" in text


def test_json_is_strict_and_alone(run):
    outcome = run(*SHORT, *words("--mechanism laplace-ratio --mechanism smooth --json"))
    assert (outcome.code, outcome.err) == (0, "")
    rows = json.loads(outcome.out)
    assert {row["mechanism"].split("(")[0] for row in rows} == {"SmoothLaplace"}
    assert {row["relation"] for row in rows} == {"replace-one", "add-remove", "edit"}
    assert all(row["passed"] for row in rows)


def test_json_of_records_that_json_has_no_number_for(run):
    """A missing entry of a pair is NaN in one case of the matrix."""
    outcome = run(
        *words("audit --quick --mechanism laplace --relation edit --json"),
        *("--statistic", "absolute error without missing rows"),
    )
    assert (outcome.code, outcome.err) == (0, "")
    pairs = [row["worst"]["pair"] for row in json.loads(outcome.out)]
    assert "nan" in str(pairs)


def test_relation_and_epsilon_select(run):
    outcome = run(
        *words("audit --quick --statistic count --mechanism piecewise --relation edit"),
        *words("--epsilon 1/2 --epsilon 2 --json"),
    )
    rows = json.loads(outcome.out)
    assert {row["relation"] for row in rows} == {"edit"}
    assert {row["epsilon"] for row in rows} == {"1/2", "2"}


@pytest.mark.parametrize(
    ("asked", "found"),
    [("interquartile-range", "interquartile range"), ("InterquartileRange", "interquartile range")],
)
def test_names_of_the_release_command_and_of_python_are_understood(run, asked, found):
    outcome = run(
        *words("audit --quick --mechanism piecewise --relation edit --epsilon 1 --json"),
        "--statistic",
        asked,
    )
    # every case of this statistic, and of no other
    statistics = {row["statistic"] for row in json.loads(outcome.out)}
    assert found in statistics
    assert all(name.startswith(found) for name in statistics)


@pytest.mark.usefixtures("cheat")
def test_a_violation_ends_with_1_and_is_shown(run):
    outcome = run(*SHORT)
    assert outcome.code == 1
    assert "VIOLATED" in outcome.out
    assert "[red]Cheat()" in outcome.out
    assert "worst pair" in outcome.out
    assert "3 do NOT hold" in " ".join(outcome.out.split())
    as_json = run(*SHORT, "--json")
    assert as_json.code == 1
    assert not any(row["passed"] for row in json.loads(as_json.out))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--statistic modus", "no statistic is called 'modus'; give one of"),
        ("--mechanism cauchy", "no mechanism is called 'cauchy'"),
        ("--epsilon 1,5", "epsilon must be a finite number"),
        ("--relation swap", "swap"),
        ("--statistic median --mechanism LaplaceRatio", "no case of the matrix"),
    ],
)
def test_usage_errors(run, line, told):
    outcome = run("audit", "--quick", *words(line))
    assert outcome.code == 2
    assert outcome.out == ""
    assert told in outcome.err


# Other libraries: the audit of what is installed beside us


def fails(data):
    raise AttributeError("no [red]such[/red] name")


HOLDS = Check("holds", pure(1), "f(x)", "0 and 1", "https://r/1", Sampled(lambda x: 0, (0, 1), 200))
BROKEN = Check(
    *("broken", pure("1/2"), "g(x)", "0 and 2", "https://r/2"),
    Replayed(lambda x: Additive((x,), (1.0,)), (0.0, 2.0)),
)
SILENT = Check("silent", pure(1), "h(x)", "0 and 1", "https://r/3", Sampled(fails, (0, 1), 200))
ABSENT = Check("absent", pure(1), "i(x)", "0 and 1", "https://r/4", HOLDS.evidence, "numpy.nothing")


@pytest.fixture
def library(monkeypatch):
    """numpy stands for a library with these checks."""

    def with_checks(*checks):
        monkeypatch.setattr(peers, "peer", lambda name: Peer("numpy", checks))

    return with_checks


@pytest.mark.parametrize(
    ("checks", "code", "told"),
    [
        ((HOLDS,), 0, "no violation seen in 1 checks"),
        ((HOLDS, ABSENT), 0, "1 of them show nothing"),
        ((HOLDS, SILENT), 2, "AttributeError: no [red]such[/red]"),
        ((HOLDS, BROKEN, SILENT), 1, "1 of 3 claims do NOT hold"),
    ],
    ids=["held", "absent", "not run", "violated"],
)
def test_the_exit_code_tells_what_was_found_at_another_library(run, library, checks, code, told):
    library(*checks)
    outcome = run("audit", "--peer", "any")
    assert (outcome.code, outcome.err) == (code, "")
    text = " ".join(outcome.out.split())
    assert "numpy" in text
    assert all(check.name in text for check in checks)
    assert told in text


def test_a_violation_comes_with_loss_claim_and_report(run, library):
    library(HOLDS, BROKEN)
    text = " ".join(run("audit", "--peer", "any").out.split())
    assert "VIOLATED 2 0.5 1 of 1 answers moved by 2 in noise of scale 1" in text
    assert "broken: g(x); 0 and 2. Reported: https://r/2" in text
    assert "holds: f(x)" not in text


def test_findings_as_json(run, library):
    library(HOLDS, BROKEN, ABSENT)
    outcome = run("audit", "--peer", "any", "--json")
    rows = json.loads(outcome.out)
    assert outcome.code == 1
    assert [(row["check"], row["verdict"], row["loss"]) for row in rows] == [
        ("holds", "held", 0.0),
        ("broken", "VIOLATED", 2.0),
        ("absent", "not in this version", None),
    ]


def test_the_names_of_the_libraries(run):
    assert run("audit", "--peer", "list").out.split() == list(peers.NAMES)
    assert json.loads(run("audit", "--peer", "list", "--json").out) == list(peers.NAMES)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--peer synthcity", "synthcity is not installed in this environment: pip install"),
        ("--peer nobody", "no checks of 'nobody'"),
        ("--peer opendp --quick", "goes with --json only"),
        ("--peer opendp --epsilon 1", "goes with --json only"),
    ],
)
def test_an_audit_of_another_library_that_cannot_be(run, line, told):
    outcome = run("audit", *words(line))
    assert (outcome.code, outcome.out) == (2, "")
    assert told in outcome.err
