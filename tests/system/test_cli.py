"""The command ``leastnoise release``, and what all commands share."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from fractions import Fraction
from functools import partial

import pytest

import leastnoise as ln
from leastnoise.accounting import Ledger
from leastnoise.cli.names import MechanismName, StatisticName
from leastnoise.mechanisms.catalogue import WITH_DELTA
from support.commands import Run, fresh, in_process, words

MEDIAN = ("--stat", "median", "--column", "pay", "--bounds", "0", "500000", "--epsilon", "1")
STATISTICS = StatisticName.__args__
MECHANISMS = MechanismName.__args__
ESCAPE = "\x1b"


def _limits(statistic: str) -> tuple[str, ...]:
    """The options that a statistic needs beside its column."""
    if statistic in ("count", "count-distinct"):
        return ()
    if statistic == "histogram":
        return ("--bins", "0", "5", "10")
    if statistic in ("mode", "cross-tab"):
        second = ("--against", "pay=0,5,7") if statistic == "cross-tab" else ()
        return ("--categories", "0", "5", "7", *second)
    orders = ("--q", "0.9") if statistic.startswith("quantile") else ()
    return ("--bounds", "0", "10", *orders)


@pytest.fixture
def run(capsys, monkeypatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")
    return partial(in_process, capsys)


@pytest.fixture
def pay(tmp_path) -> str:
    file = tmp_path / "pay.csv"
    rows = "\n".join(f"{20_000 + 37 * i},{i % 50 + 18}" for i in range(1_000))
    file.write_text(f"pay,age\n{rows}\n", encoding="utf-8")
    return str(file)


def records(text: str) -> list[dict]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not strict JSON")

    return json.loads(text, parse_constant=refuse)


def facts(text: str) -> dict[str, str]:
    """The lines below the table, wrapped ones joined."""
    found: dict[str, str] = {}
    name = ""
    for line in text.split("\n\n", 1)[1].splitlines():
        name = line[:14].strip() or name
        found[name] = " ".join([found.get(name, ""), line[14:].strip()]).strip()
    return found


class TestShared:
    def test_module_script_and_version_agree(self):
        assert fresh("--version").out.strip() == ln.__version__

    @pytest.mark.parametrize("arguments", [(), ("--help",)])
    def test_help_lists_the_commands(self, run, arguments):
        outcome = run(*arguments)
        assert outcome.code == 0
        assert "release" in outcome.out
        assert "demo" in outcome.out

    def test_help_names_every_option(self, run):
        out = run("release", "--help").out
        options = words(
            "FILE --stat --column --bounds --epsilon --relation --mechanism --delta --q --missing "
            "--step --separator --decimal --thousands --encoding --no-header --weights --json"
        )
        for option in options:
            assert option in out, option

    def test_help_imports_nothing_heavy(self):
        heavy = "('numpy', 'scipy', 'sklearn', 'narwhals', 'pandas', 'polars')"
        check = f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"
        outcome = fresh("--help", prelude=f"import atexit; atexit.register(lambda: {check})")
        assert outcome.code == 0
        assert outcome.err.strip() == "[]"

    def test_an_unknown_command_is_a_usage_error(self, run):
        outcome = run("relaese")
        assert outcome.code == 2
        assert 'Did you mean "release"' in outcome.err
        assert outcome.out == ""

    def test_a_fault_prints_no_message_that_could_hold_data(self, run, pay, monkeypatch):
        def broken(*_):
            raise RuntimeError("row 17 is 61234")

        monkeypatch.setattr("leastnoise.session.kinds.numbers.Numbers.draw", broken)
        outcome = run("release", pay, *MEDIAN)
        assert outcome.code == 4
        assert outcome.out == ""
        assert "61234" not in outcome.err
        assert "RuntimeError" in outcome.err
        monkeypatch.setenv("LEASTNOISE_DEBUG", "1")
        with pytest.raises(RuntimeError, match="61234"):
            run("release", pay, *MEDIAN)

    def test_an_interrupt_ends_with_130(self, run, pay, monkeypatch):
        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("leastnoise.session.kinds.numbers.Numbers.draw", interrupted)
        try:
            outcome = run("release", pay, *MEDIAN)
            code, said = outcome.code, outcome.err
        except SystemExit as exit_:  # older cyclopts leave by themselves
            code, said = exit_.code, "interrupted"
        assert code == 130
        assert "interrupted" in said

    def test_a_reader_that_is_gone_costs_nothing(self, pay):
        prelude = "import os; os.close(1); r, w = os.pipe(); os.close(r); os.dup2(w, 1)"
        outcome = fresh("release", pay, *MEDIAN, prelude=prelude)
        assert outcome.code == 2
        assert "nothing was charged" in outcome.err
        assert "Traceback" not in outcome.err


class TestForAPerson:
    def test_shows_value_guarantee_and_limits_of_protection(self, run, pay):
        outcome = run("release", pay, *MEDIAN)
        assert outcome.code == 0
        assert outcome.err == ""
        header, _, row = outcome.out.splitlines()[:3]
        assert header.split("  ")[0] == "statistic"
        assert row.startswith("median of pay")
        assert 0 <= float(row.split()[3]) <= 500_000
        assert row.split()[4:] == ["1", "PiecewiseLaplace()"]
        told = facts(outcome.out)
        assert told["guarantee"].startswith("epsilon-differential privacy with epsilon = 1:")
        assert "changing one row" in told["guarantee"]
        assert "at most e^epsilon = 2.72" in told["guarantee"]
        assert told["protects"].startswith("one row: whatever one row contains")
        assert "running time is not protected" in told["not protected"]
        assert told["bounds"].startswith("0 to 500000, declared")
        assert "their rows are dropped" in told["missing values"]
        assert "add up" in told["budget"]

    def test_limits_that_were_found_are_not_called_declared(self, run, pay):
        told = run("release", pay, *words("--stat mean --column pay --bounds 0 1e9 --epsilon 1000"))
        assert ", found privately; values beyond" in " ".join(facts(told.out)["bounds"].split())

    def test_an_adaptive_mechanism_shows_no_width(self, run, pay):
        assert "no interval is printed" in facts(run("release", pay, *MEDIAN).out)["noise"]

    def test_laplace_noise_shows_its_public_width(self, run, pay):
        outcome = run("release", pay, "--stat", "count", "--epsilon", "0.1")
        noise = facts(outcome.out)["noise"]
        # scale 10, ln 20 scales, in whole steps: P(|k| <= 30) = 0.953
        assert noise.startswith("95 % of it lies within +-30 ")
        assert "no sampling or clipping error" in noise

    def test_prints_no_duration(self, run, pay):
        out = run("release", pay, *MEDIAN).out
        assert not any(word in out for word in ("second", " ms", "elapsed"))

    @pytest.mark.parametrize("width", [80, 120])
    def test_fits_the_width_without_colour_when_piped(self, pay, width):
        outcome = fresh("release", pay, *MEDIAN, "--stat", "mean", COLUMNS=str(width))
        assert outcome.code == 0
        assert ESCAPE not in outcome.out + outcome.err
        lines = outcome.out.splitlines()
        assert max(map(len, lines)) <= width
        assert all(line == line.rstrip() for line in lines)

    @pytest.mark.parametrize("width", [0, 1, 7])
    def test_no_width_hides_an_answer_that_was_paid_for(self, pay, tmp_path, width):
        ledger = str(tmp_path / "l.db")
        made = fresh("budget", ledger, "--init", "d", "--epsilon", "5")
        assert made.code == 0, made.err
        given = ("--ledger", ledger, "--dataset", "d")
        outcome = fresh("release", pay, *MEDIAN, *given, COLUMNS=str(width))
        assert outcome.code == 0
        (row,) = [line.split() for line in outcome.out.splitlines() if line.startswith("median")]
        assert 0 <= float(row[1]) <= 500_000  # the first line of it, at least

    def test_works_where_the_output_is_ascii(self, tmp_path):
        file = tmp_path / "a.csv"
        file.write_text("größe\n1\n2\n", encoding="utf-8")
        outcome = fresh(
            "release", str(file), *words("--stat median --column größe --bounds 0 9 --epsilon 1"),
            PYTHONIOENCODING="ascii",
        )  # fmt: skip
        assert outcome.code == 0
        assert r"median of gr\xf6\xdfe" in outcome.out

    @pytest.mark.skipif(os.name == "nt", reason="pseudo terminals are of POSIX systems")
    def test_a_terminal_gets_bold_headings(self, pay):
        import pty
        import subprocess

        ours, theirs = pty.openpty()
        subprocess.run(
            [sys.executable, "-m", "leastnoise", "release", pay, *MEDIAN],
            stdout=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
            check=True,
        )
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        assert ESCAPE in shown
        assert "median of pay" in shown

    def test_the_split_is_shown(self, run, pay):
        outcome = run(
            "release", pay, *MEDIAN, "--stat", "mean", "--stat", "count", "--weights", "2", "1", "1"
        )
        told = facts(outcome.out)
        assert told["split"] == "epsilon = 0.5 + 0.25 + 0.25, in the order of the statistics"
        assert "with epsilon = 1:" in told["guarantee"]

    def test_quantiles_show_each_value_and_their_share(self, run, pay):
        outcome = run("release", pay, *_swap("quantiles"), "--q", "0.1", "0.5", "0.9")
        rows = outcome.out.splitlines()[2:6]
        assert rows[0].split() == ["quantiles", "of", "pay", "1", "PiecewiseLaplace()"]
        assert [row.split()[0] for row in rows[1:]] == ["0.1", "0.5", "0.9"]
        assert all(row.endswith("(1/3)") for row in rows[1:])
        values = [float(row.split()[2]) for row in rows[1:]]
        assert values == sorted(values)

    @pytest.mark.parametrize("epsilon", ["1e60", "1e-60", "22/7", "100"])
    def test_an_extreme_epsilon_is_written_out(self, run, pay, epsilon):
        outcome = run("release", pay, *MEDIAN[:-1], epsilon)
        assert outcome.code == 0
        assert f"epsilon = {epsilon.replace('e6', 'e+6')}:" in facts(outcome.out)["guarantee"]


def _swap(statistic: str) -> tuple[str, ...]:
    return tuple(statistic if word == "median" else word for word in MEDIAN)


class TestJson:
    def test_is_strict_and_alone(self, pay):
        outcome = fresh("release", pay, *MEDIAN, "--stat", "count", "--json")
        assert (outcome.code, outcome.err) == (0, "")
        first, second = records(outcome.out)
        assert first["statistic"] == "Median"
        assert second["statistic"] == "Count"
        assert isinstance(second["value"], int)
        assert [r["guarantee"]["epsilon"] for r in (first, second)] == ["1/2", "1/2"]
        assert first["noise_scale"] is None
        assert outcome.out.isascii()

    @pytest.mark.parametrize("statistic", STATISTICS)
    @pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
    def test_every_statistic_under_every_relation(self, run, pay, statistic, relation):
        given = ("--stat", statistic, "--column", "pay", *_limits(statistic), "--epsilon", "1")
        outcome = run("release", pay, *given, "--relation", relation, "--json")
        assert outcome.code == 0, outcome.err
        (record,) = records(outcome.out)
        assert record["relation"] == relation
        assert record["guarantee"]["relation"] == relation
        assert record["statistic"].lower() == statistic.replace("-", "")

    # of means and variances
    @pytest.mark.parametrize(
        "mechanism", [m for m in MECHANISMS if m not in ("laplace-ratio", "centred-laplace")]
    )
    def test_every_mechanism(self, run, pay, mechanism):
        delta = ("--delta", "1e-9") if mechanism in WITH_DELTA else ()
        outcome = run("release", pay, *MEDIAN, "--mechanism", mechanism, *delta, "--json")
        (record,) = records(outcome.out)
        assert record["mechanism"].split("(")[0].lower() == mechanism.replace("-", "")
        kind = "ApproxDP" if delta else "PureDP"
        assert record["guarantee"]["type"] == kind

    def test_noise_centred_on_the_middle_of_a_variance(self, run, pay):
        public = ("--missing", "none", "--mechanism", "centred-laplace", "--json")
        (record,) = records(run("release", pay, *_swap("variance"), *public).out)
        assert record["mechanism"] == "CentredLaplace()"

    def test_the_ratio_of_noisy_sum_and_count_for_a_mean(self, run, pay):
        outcome = run("release", pay, *_swap("mean"), "--mechanism", "laplace-ratio", "--json")
        assert records(outcome.out)[0]["mechanism"] == "LaplaceRatio()"

    def test_delta_is_split_as_epsilon_is(self, run, pay):
        outcome = run(
            "release", pay, *MEDIAN, "--stat", "maximum", "--mechanism", "smooth-laplace",
            "--delta", "3e-9", "--weights", "1", "2", "--json",
        )  # fmt: skip
        shares = [r["guarantee"] for r in records(outcome.out)]
        assert [Fraction(s["delta"]) for s in shares] == [Fraction(1, 10**9), Fraction(2, 10**9)]
        assert [s["epsilon"] for s in shares] == ["1/3", "2/3"]

    @pytest.mark.parametrize(
        ("missing", "told", "public"),
        [("drop", "drop", False), ("none", "none", True), ("30000", "impute 30000", True)],
    )
    def test_the_policy_for_missing_values(self, run, pay, missing, told, public):
        outcome = run("release", pay, *MEDIAN, "--missing", missing, "--json")
        (record,) = records(outcome.out)
        assert record["missing"] == told
        assert record["n_public"] is public

    def test_a_large_epsilon_gives_the_plain_answer(self, run, pay):
        given = [word if word != "1" else "1e6" for word in MEDIAN]
        outcome = run("release", pay, *given, "--step", "1", "--json")
        (record,) = records(outcome.out)
        assert record["value"] == 20_000 + 37 * 499
        assert isinstance(record["value"], int)
        assert record["step"] == "1"

    @pytest.mark.parametrize(
        ("low", "high"),
        [("-10", "10"), ("-1e3", "-.5"), ("-1000", "0"), ("-1/2", "3/2"), ("-3/2", "-1/2")],
    )
    def test_bounds_may_be_negative_or_fractions(self, run, pay, low, high):
        outcome = run(
            "release", pay, *words("--stat median --column pay --epsilon 1 --json --bounds"),
            low, high,
        )  # fmt: skip
        assert outcome.code == 0, outcome.err
        (record,) = records(outcome.out)
        ends = [float(Fraction(low)), float(Fraction(high))]
        assert record["bounds"] == pytest.approx(ends)
        assert ends[0] <= record["value"] <= ends[1]

    @pytest.mark.parametrize("epsilon", ["1/2", "0.5", ".5", "5e-1"])
    def test_epsilon_is_exact(self, run, pay, epsilon):
        outcome = run("release", pay, "--stat", "count", "--epsilon", epsilon, "--json")
        assert records(outcome.out)[0]["guarantee"]["epsilon"] == "1/2"

    def test_how_a_text_file_is_read(self, run, tmp_path):
        file = tmp_path / "latin.csv"
        file.write_bytes("größe;n\n1.234,5;1\n1.234,5;2\n".encode("latin-1"))
        outcome = run(
            "release", str(file), *words("--stat median --column größe --bounds 0 2000"),
            *words("--epsilon 1e6 --separator ; --decimal , --thousands . --encoding latin-1"),
            "--step", "0.5", "--json",
        )  # fmt: skip
        assert outcome.code == 0, outcome.err
        (record,) = records(outcome.out)
        assert record["value"] == 1234.5
        assert record["column"] == "größe"

    @pytest.mark.parametrize("separator", ["tab", "\\t", "\t"])
    def test_titles_comments_and_tabs(self, run, tmp_path, separator):
        file = tmp_path / "titled.csv"
        file.write_text("Pay, 2024\n\n#x\tpay\n1\t20\n#2\t30\n3\t40\n", encoding="utf-8")
        reading = ("--skip-rows", "2", "--separator", separator)
        given = words("--stat maximum --column pay --bounds 0 99 --step 1 --epsilon 1e6 --json")
        outcome = run("release", str(file), *given, *reading)
        assert records(outcome.out)[0]["value"] == 40
        file.write_text("Pay, 2024\n\n# x\nx\tpay\n1\t20\n#2\t50\n3\t40\n", encoding="utf-8")
        reading = (*reading, "--comment", "#")
        outcome = run("release", str(file), *given, "--missing", "none", *reading)
        (record,) = records(outcome.out)
        assert (record["value"], record["n_public"]) == (40, False)
        shown = run("inspect", str(file), *reading, "--json")
        assert [column["name"] for column in json.loads(shown.out)] == ["x", "pay"]
        shown = run("compare", str(file), "--public", *given[:-3], *reading)
        assert shown.code == 0, shown.err

    def test_titles_are_met_with_the_cure(self, run, tmp_path):
        file = tmp_path / "titled.csv"
        file.write_text("# Pay\nage,pay\n1,20\n", encoding="utf-8")
        given = words("--stat count --column pay --epsilon 1")
        refused = run("release", str(file), *given)
        assert refused.code == 2
        assert "on a later line, give --skip-rows, or --comment '#' for" in refused.err
        for wrong, told in (("one", "whole number of lines, got 'one'"), ("1.0", "got '1.0'")):
            refused = run("release", str(file), *given, "--skip-rows", wrong)
            assert (refused.code, refused.out) == (2, "")
            assert told in refused.err

    def test_no_error_shows_a_first_line_that_may_be_a_row(self, run, tmp_path):
        file = tmp_path / "bare.csv"
        file.write_text("Carla Jones,ill,77\n", encoding="utf-8")
        for column in ((), ("--column", "pay")):
            given = words("--stat median --bounds 0 99 --epsilon 1")
            refused = run("release", str(file), *given, *column)
            assert refused.code == 2
            assert "--no-header" in refused.err
            assert not any(word in refused.err for word in ("Carla", "ill,", "77"))

    def test_a_file_without_header(self, run, tmp_path):
        file = tmp_path / "bare.csv"
        file.write_text("1,20\n2,30\n", encoding="utf-8")
        given = words("--stat count --column column_2 --epsilon 1")
        refused = run("release", str(file), *given)
        assert refused.code == 2
        assert "--no-header" in refused.err
        assert "header=False" not in refused.err
        assert run("release", str(file), *given, "--no-header").code == 0


class TestLedger:
    @pytest.fixture
    def ledger(self, tmp_path) -> str:
        path = tmp_path / "pay.db"
        Ledger.create(path, dataset="pay-2026", budget=ln.PureDP(2), relation="add-remove").close()
        return str(path)

    def test_a_call_is_charged_once_for_all_its_statistics(self, run, pay, ledger):
        outcome = run(
            "release", pay, *MEDIAN, "--stat", "count", "--ledger", ledger, "--dataset", "pay-2026"
        )
        assert outcome.code == 0, outcome.err
        assert "charged to the ledger of 'pay-2026'" in " ".join(outcome.out.split())
        assert "adding or removing one row" in " ".join(outcome.out.split())
        with closing(Ledger.open(ledger)) as opened:
            assert opened.spent.epsilon == 1

    def test_what_exceeds_the_budget_is_refused(self, run, pay, ledger):
        told = ("--ledger", ledger, "--dataset", "pay-2026", "--json")
        assert run("release", pay, "--stat", "count", "--epsilon", "1.5", *told).code == 0
        outcome = run("release", pay, "--stat", "count", "--epsilon", "1", *told)
        assert (outcome.code, outcome.out) == (3, "")
        with closing(Ledger.open(ledger)) as opened:
            assert opened.spent.epsilon == Fraction(3, 2)

    def test_changed_columns_are_told(self, run, pay, ledger):
        told = ("--stat", "count", "--epsilon", "1/2", "--ledger", ledger, "--dataset", "pay-2026")
        assert run("release", pay, *told).err == ""
        with open(pay, "w", encoding="utf-8") as file:
            file.write("[red]pay,age,size\n1,2,3\n")
        outcome = run("release", pay, *told, "--json")
        assert outcome.code == 0
        assert outcome.err.startswith("warning: ")
        assert len(records(outcome.out)) == 1

    def test_a_missing_ledger_is_refused(self, run, pay, tmp_path):
        path = tmp_path / "none.db"
        told = ("--ledger", str(path), "--dataset", "pay-2026")
        assert run("release", pay, *MEDIAN, *told).code == 2
        assert not path.exists()
        outcome = run("release", pay, *MEDIAN, "--ledger", str(path))
        assert outcome.code == 2
        assert "--ledger and --dataset together" in outcome.err


class TestErrors:
    @pytest.mark.parametrize(
        "epsilon", ["1,5", "nan", "NaN", "inf", "0", "-1", "true", "None", "", "1/0", "1e99999"]
    )
    def test_a_bad_epsilon_is_named(self, run, pay, epsilon):
        outcome = run("release", pay, "--stat", "count", "--epsilon", epsilon)
        assert outcome.code == 2
        assert outcome.out == ""
        assert outcome.err.startswith("error: epsilon must")
        assert "like 1, 0.5, 1/2" in outcome.err

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            ("--stat median --column pay --epsilon 1", "--bounds LOWER UPPER"),
            ("--stat median --bounds 0 1 --epsilon 1", "--column NAME for median; the columns are"),
            ("--stat mean --column age --bounds 9 1 --epsilon 1", "LOWER < UPPER"),
            ("--stat mean --column age --bounds 0 1,5 --epsilon 1", "bounds must be a finite"),
            ("--stat mean --column age --bounds 0 --epsilon 1", "--bounds"),
            ("--stat mean --column agee --bounds 0 9 --epsilon 1", "did you mean 'age'"),
            ("--stat count", "--epsilon"),
            ("--epsilon 1", "--stat"),
            ("--stat modal --epsilon 1", "modal"),
            ("--stat mode --epsilon 1", "--column NAME for mode; the columns are"),
            ("--stat mode --column pay --epsilon 1", "a mode needs --categories LABEL"),
            ("--stat cross-tab --column pay --epsilon 1", "a cross-tab needs --categories LABEL"),
            ("--stat mode --column pay --categories 1,2 --epsilon 1", "separate them by spaces"),
            (
                "--stat cross-tab --column pay --categories 1 2 --epsilon 1",
                "give --stat cross-tab and --against together",
            ),
            (
                "--stat mode --column pay --categories 1 2 --against age=1,2 --epsilon 1",
                "give --stat cross-tab and --against together",
            ),
            (
                "--stat cross-tab --column pay --categories 1 2 --against age --epsilon 1",
                "--against 'age' names no column: write it like --against sex=f,m",
            ),
            (
                "--stat cross-tab --column pay --categories 1 2 --against age=1, --epsilon 1",
                "--against age: blank key in '1,'",
            ),
            (
                "--stat cross-tab --column pay --categories 1 2 --against agee=1,2 --epsilon 1",
                "did you mean 'age'",
            ),
            (
                "--stat count --categories 1 2 --epsilon 1",
                "for --stat histogram, cross-tab or mode",
            ),
            ("--stat mode --column pay --categories 1 2 --bounds 0 1 --epsilon 1", "no --bounds"),
            (
                "--stat mode --column pay --categories 1 2 --mechanism laplace --epsilon 1",
                "chooses among declared answers",
            ),
            ("--stat count --epsilon 1 --epsilon 2", "--epsilon"),
            ("--stat count --epsilon 1 --frobnicate", "--frobnicate"),
            ("--stat count --epsilon 1 --relation swap", "swap"),
            ("--stat count --epsilon 1 --mechanism gauss", "gauss"),
            ("--stat count --epsilon 1 --bounds 0 1", "a count takes no --bounds"),
            ("--stat count --epsilon 1 --step 1", "a count takes no --step"),
            ("--stat count --epsilon 1 --q 0.5", "--q is for"),
            ("--stat count --epsilon 1 --delta 1e-6", "--delta is for"),
            ("--stat count --epsilon 1 --mechanism smooth-laplace", "needs --delta"),
            ("--stat count --epsilon 1 --mechanism smooth-laplace --delta 1", "delta must"),
            ("--stat count --epsilon 1 --mechanism laplace-ratio", "LaplaceRatio()"),
            ("--stat count --epsilon 1 --weights 1 2", "got 2 for 1 statistics"),
            ("--stat count --epsilon 1 --weights 0", "weights must be greater than 0"),
            ("--stat count --epsilon 1 --missing zero", "drop, none or a number"),
            ("--stat count --epsilon 1 --encoding klingon", "klingon"),
            ("--stat count --epsilon 1 --separator ab", "separator must be one character"),
            ("--stat quantile --column pay --bounds 0 9 --epsilon 1", "--q ORDER"),
            ("--stat quantile --column pay --bounds 0 9 --epsilon 1 --q 2", "q must lie between"),
            ("--stat quantile --column pay --bounds 0 9 --epsilon 1 --q 0 1", "--stat quantiles"),
            ("--stat mean --column pay --bounds 0 9 --epsilon 1 --step 0", "step must be greater"),
            ("--stat mean --column pay --bounds 0 9 --epsilon 1 --missing 10", "missing"),
        ],
    )
    def test_usage_errors_name_the_cure(self, run, pay, line, told):
        outcome = run("release", pay, *words(line))
        assert outcome.code == 2
        assert outcome.out == ""
        assert told in outcome.err
        assert "Traceback" not in outcome.err

    def test_an_error_of_a_later_statistic_comes_before_the_first_release(
        self, run, pay, monkeypatch
    ):
        def spent(*_):
            raise AssertionError("released although a later statistic is refused")

        monkeypatch.setattr("leastnoise.session.kinds.numbers.Numbers.draw", spent)
        outcome = run("release", pay, *MEDIAN, "--stat", "quantile", "--q", "1.5")
        assert outcome.code == 2
        outcome = run("release", pay, *MEDIAN, "--stat", "count", "--mechanism", "laplace-ratio")
        assert outcome.code == 2

    def test_a_missing_file(self, run):
        outcome = run("release", "nowhere.csv", "--stat", "count", "--epsilon", "1")
        assert outcome.code == 2
        assert "there is no file 'nowhere.csv': give the path" in outcome.err

    def test_no_file_at_all(self, run):
        outcome = run("release", *MEDIAN)
        assert outcome.code == 2
        assert "FILE" in outcome.err
        assert "leastnoise release --help" in outcome.err

    def test_a_file_of_another_format(self, run, tmp_path):
        file = tmp_path / "a.xlsx"
        file.write_bytes(b"PK")
        outcome = run("release", str(file), "--stat", "count", "--epsilon", "1")
        assert outcome.code == 2
        assert "save the sheet as CSV" in outcome.err

    def test_errors_are_whole_lines_without_colour_when_piped(self, pay):
        outcome = fresh("release", pay, *_swap("mean"), "--epsilon", "x", COLUMNS="40")
        assert outcome.code == 2
        assert ESCAPE not in outcome.err
        assert len(outcome.err.splitlines()) == 1


class TestHostileFiles:
    @pytest.mark.parametrize(
        "name", ["[red]x", "[/]", "[bold", 'a"b', "größe", ":smile:", "a b", "{0}", "%s", "'; --"]
    )
    def test_any_column_name_is_shown_as_it_is(self, run, tmp_path, name):
        file = tmp_path / "hostile.csv"
        quoted = '"' + name.replace('"', '""') + '"'
        file.write_text(f"{quoted},other\n1,2\n3,4\n", encoding="utf-8")
        given = ("--bounds", "0", "9", "--epsilon", "1")
        outcome = run("release", str(file), "--stat", "median", "--column", name, *given)
        assert outcome.code == 0, outcome.err
        assert f"median of {name}" in outcome.out
        refused = run("release", str(file), "--stat", "median", "--column", "no", *given)
        assert refused.code == 2
        assert repr(name) in refused.err

    def test_control_characters_of_a_header_are_not_shown(self, tmp_path):
        file = tmp_path / "control.csv"
        file.write_text("\x1b[31mred,\u202eright\n1,2\n", encoding="utf-8")
        given = words("--bounds 0 9 --epsilon 1 --stat median --column")
        outcome = fresh("release", str(file), *given, "\x1b[31mred")
        assert outcome.code == 2  # no names are shown of a line that may be of another encoding
        refused = fresh("release", str(file), *given, "no\x1b[2J")
        assert refused.code == 2
        for text in (outcome.out, outcome.err, refused.err):
            assert ESCAPE not in text
            assert "\u202e" not in text

    def test_a_repeated_name(self, run, tmp_path):
        file = tmp_path / "twice.csv"
        file.write_text("[x],[x]\n1,2\n", encoding="utf-8")
        outcome = run("release", str(file), "--stat", "count", "--column", "[x]", "--epsilon", "1")
        assert outcome.code == 2
        assert "column [x] appears twice" in outcome.err

    def test_a_byte_order_mark(self, run, tmp_path):
        file = tmp_path / "bom.csv"
        file.write_bytes(b"\xef\xbb\xbfage,inc\n30,1\n")
        given = words("--stat median --column age --bounds 0 99 --epsilon 1")
        assert run("release", str(file), *given).code == 0

    @pytest.mark.parametrize(
        "content",
        ["pay\n", "pay\n5\n", "pay\n\n\n", "pay\nx\ny\n", "pay\n1e999\n-inf\n", "pay\n7\n7\n7\n"],
    )
    @pytest.mark.parametrize("statistic", STATISTICS)
    def test_every_data_set_gives_a_value(self, run, tmp_path, content, statistic):
        file = tmp_path / "pay.csv"
        file.write_text(content, encoding="utf-8")
        outcome = run(
            "release", str(file), "--stat", statistic, "--column", "pay", *_limits(statistic),
            "--epsilon", "1", "--json",
        )  # fmt: skip
        assert (outcome.code, outcome.err) == (0, "")
        records(outcome.out)


class TestRealData:
    @pytest.mark.parametrize(
        ("file", "column", "bounds", "near"),
        [
            ("diamonds.csv.gz", "price", ("0", "50000"), (2401, 10)),
            ("adult.csv.gz", "age", ("0", "125"), (37, 2)),
            ("uc_pay_2019.csv.gz", "gross_pay", ("0", "10000000"), (31_549, 100)),
            ("uc_gross_pay_2010_2019.parquet", "gross_pay", ("0", "10000000"), (27_841, 50)),
        ],
    )
    def test_three_files(self, shared_data, file, column, bounds, near):
        outcome = fresh(
            "release", str(shared_data / file), "--stat", "median", "--column", column,
            "--bounds", *bounds, "--epsilon", "1",
        )  # fmt: skip
        assert outcome.code == 0
        row = outcome.out.splitlines()[2]
        assert float(row.split()[3]) == pytest.approx(near[0], abs=near[1])
        told = facts(outcome.out)
        assert {"guarantee", "protects", "not protected"} <= set(told)
