"""``leastnoise reproduce``: every figure against numbers that are known apart from the library."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from importlib import import_module
from xml.etree import ElementTree

import pytest

from leastnoise.errors import ParameterError
from leastnoise.reproduce import PAPERS, reproduce
from leastnoise.reproduce.expected import check, folder
from support.commands import in_process


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    return {
        (found.paper, found.figure): found
        for found in reproduce("all", quick=True, out=tmp_path_factory.mktemp("out") / "figures")
    }


@pytest.mark.parametrize("paper", PAPERS)
def test_every_expected_number_is_found(quick, paper):
    mine = [found for (name, _), found in quick.items() if name == paper]
    assert tuple(found.figure for found in mine) == PAPERS[paper]
    assert [c for found in mine for c in found.checks if not c.holds] == []
    with (folder(paper) / "expected.csv").open(encoding="utf-8") as file:
        assert sum(len(found.checks) for found in mine) == len(list(csv.reader(file))) - 1


def test_a_module_draws_what_the_list_of_papers_says():
    for paper, figures in PAPERS.items():
        module = import_module(f"leastnoise.reproduce.{paper.replace('-', '_')}")
        assert tuple(module.FIGURES) == figures


def test_a_wrong_or_missing_number_is_seen(quick):
    found = quick["inverse-sensitivity", "figure-1"]
    chances = found.panels[1]
    other = {**chances.series, "P(f)": {"300": 0.62 * 1.01}}
    wrong = check(found.paper, found.figure, [replace(chances, series=other)])
    assert [c.holds for c in wrong] == [False, True]
    assert [c.holds for c in check(found.paper, found.figure, [])] == [False, False]


def test_files_hold_the_numbers_their_parameters_and_a_picture(quick):
    for found in quick.values():
        assert len(found.files) == 3 * len(found.panels)
        for panel in found.panels:
            table, about, picture = (f for f in found.files if f.stem == panel.name)
            head, *rows = csv.reader(table.read_text(encoding="utf-8").splitlines())
            assert head == [panel.x, *panel.series]
            read = {(n, row[0]): c for row in rows for n, c in zip(head[1:], row[1:], strict=True)}
            for name, column in panel.series.items():
                assert {x: float(read[name, x]) for x in column} == column
            assert json.loads(about.read_text())["parameters"] == json.loads(
                json.dumps(panel.parameters)
            )
            texts = " ".join(ElementTree.parse(picture).getroot().itertext())
            assert all(name in texts for name in panel.series)


def test_claims_of_the_papers(quick):
    """What papers/README.md says of them, on the quick points."""
    errors = quick["asymmetric-sensitivity", "figure-7"].panels[1].series
    assert errors["asymmetric"]["1"] < errors["inverse sensitivity"]["1"] / 4
    errors = quick["asymmetric-sensitivity", "figure-6"].panels[1].series
    assert errors["asymmetric"]["1"] > errors["inverse sensitivity"]["1"] * 3
    (variance,) = quick["asymmetric-sensitivity", "figure-1"].panels
    ours, paper = variance.series["asymmetric (ours)"], variance.series["asymmetric (paper)"]
    assert all(ours[e] < paper[e] for e in ours)
    assert paper["0.1"] < variance.series["Laplace"]["0.1"]
    assert paper["1"] > variance.series["Laplace"]["1"]  # not everywhere better
    for panel in quick["piecewise-laplace", "comparison"].panels:
        flat, inverse = panel.series["piecewise Laplace"], panel.series["inverse sensitivity"]
        assert all(flat[e] <= inverse[e] for e in flat)
    sizes = quick["sensitivity-sampler", "figure-2"].panels[0].series
    assert all(sizes["marginal"][g] < sizes["paper"][g] for g in sizes["paper"])


def test_the_command_prints_tables_and_checks(capsys):
    outcome = in_process(capsys, "reproduce", "sensitivity-sampler", "figure-2", "--quick")
    assert (outcome.code, outcome.err) == (0, "")
    assert "as expected: paper, 0.01: 41971 for 41971" in outcome.out
    assert "NOT AS EXPECTED" not in outcome.out


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (("kernel-density",), "paper must be all, asymmetric-sensitivity"),
        (("k-norm", "figure-9"), "figure of k-norm must be figure-1, table-1"),
        (("all", "figure-1"), "figure goes with one paper"),
        (("k-norm", "--out", "/nowhere/at/all"), "there is no folder"),
        (("k-norm", "--data", "/nowhere"), "data: there is no folder"),
    ],
)
def test_wrong_usage_is_refused_with_the_cure(capsys, arguments, cure):
    outcome = in_process(capsys, "reproduce", *arguments)
    assert outcome.code == 2
    assert cure in outcome.err


def test_a_file_that_the_data_folder_lacks_is_named(tmp_path):
    with pytest.raises(ParameterError, match=r"no file 'uc_pay_2019\.csv\.gz'"):
        list(reproduce("inverse-sensitivity", "figure-2", quick=True, data=tmp_path))


# seconds each; the nightly run has them
SLOW = ("asymmetric-sensitivity figure-1", "asymmetric-sensitivity figure-4")
SLOW += ("piecewise-laplace comparison",)
FAST = [(p, f) for p, figures in PAPERS.items() for f in figures if f"{p} {f}" not in SLOW]


@pytest.mark.parametrize(("paper", "figure"), FAST)
def test_a_full_run_finds_the_same_numbers(paper, figure):
    (found,) = reproduce(paper, figure)
    assert [c for c in found.checks if not c.holds] == []


@pytest.mark.nightly
@pytest.mark.shared
def test_full_runs_on_the_public_files(shared_data):
    for found in reproduce("all", data=shared_data):
        assert found.holds, [c for c in found.checks if not c.holds]
