"""``leastnoise describe``: files of which nothing is known, the page, and the plan that follows."""

import json
import re
import time
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.plans.plan import load_plan
from leastnoise.plans.run import prepare
from leastnoise.record import Description
from leastnoise.sql.schema import load_schema
from support.commands import Outcome, in_process
from support.optional import optional

MESSY = (
    "fy09_edu_recipients_by_state.csv",
    "hospital_dirty.csv",
    "imf_gdp_per_capita_latin1.tsv",
    "star_wars_survey.csv",
    "titanic_train.csv",
)


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    lines = [f"p{i // 10},{i % 6 + 1},{('North', 'South')[i % 2]}" for i in range(4000)]
    path = tmp_path / "visits.csv"
    path.write_text("who,grade,region\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> Outcome:
    return in_process(capsys, "describe", *map(str, arguments))


def test_a_file_is_described_and_its_plan_runs(visits: Path, capsys, tmp_path: Path) -> None:
    plan, page = tmp_path / "next.toml", tmp_path / "page.html"
    asked = (visits, "--epsilon", 50, "--delta", "1e-6", "--write-plan", plan)
    asked = (*asked, "--columns", "grade", "region")
    found = run(capsys, *asked, "--format", "html", "--output", page)
    assert found.code == 0, found.err
    assert "limits and mean, or labels" in " ".join(found.err.split())
    written = page.read_text(encoding="utf-8")
    assert written.startswith("<!doctype html>")
    assert "<svg" in written
    assert "<script" not in written
    loaded = load_plan(plan)
    assert [table.title for table in loaded.tables] == ["All rows", "by region"]
    assert loaded.tables[1].groups == {"region": ["North", "South"]} or loaded.tables[1].groups == {
        "region": ["South", "North"]
    }
    outcome = in_process(capsys, "plan", str(plan))
    assert outcome.code == 0, outcome.err
    assert "mean of grade" in " ".join(outcome.out.split())


def test_a_file_is_described_and_asked_in_sql(visits: Path, capsys, tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    asked = (visits, "--epsilon", 50, "--labels", "region=North,Nord", "--write-schema", schema)
    found = run(capsys, *asked, "--person", "who")
    assert found.code == 0, found.err
    sql = "SELECT region, COUNT(*) AS n, MEDIAN(grade) AS middle FROM t GROUP BY region"
    told = in_process(
        capsys, "sql", str(visits), sql, "--schema", str(schema), "--epsilon", "100", "--json"
    )
    assert told.code == 0, told.err
    assert {row[0] for row in json.loads(told.out)["rows"]} == {"North", "Nord", None}


def test_a_schema_has_places_for_what_was_not_found(visits: Path, capsys, tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    found = run(capsys, visits, "--epsilon", 50, "--write-schema", schema)
    assert found.code == 0, found.err
    told = " ".join(found.err.split())
    assert "neither limits nor keys were found of" in told
    assert "describe with --delta 1e-6" in told
    text = schema.read_text(encoding="utf-8")
    assert '# [columns."region"]\n# keys = [' in text
    assert "region" not in load_schema(schema).columns
    begun = text.index('# [columns."region"]')
    named = text[begun:].replace("# ", "", 2).replace('["...", "..."]', '["North", "South"]')
    schema.write_text(text[:begun] + named, encoding="utf-8")
    assert load_schema(schema).columns["region"].keys == ("North", "South")


def _schema_text(capsys, file: Path, *more: object) -> str:
    path = file.with_suffix(".toml")
    found = run(capsys, file, "--epsilon", 200, "--write-schema", path, "--overwrite", *more)
    assert found.code == 0, found.err
    load_schema(path)
    return path.read_text(encoding="utf-8")


def test_a_schema_has_places_for_true_and_false_and_for_whole_numbers(
    capsys, tmp_path: Path
) -> None:
    rows = [(("true", "false")[i % 2], 20 + i % 50, 20_000.37 + i) for i in range(4000)]
    file = tmp_path / "staff.csv"
    lines = (f"{a},{b},{c}" for a, b, c in rows)
    file.write_text("active,age,pay\n" + "\n".join(lines) + "\n", encoding="utf-8")
    text = _schema_text(capsys, file)
    active, pay = text.split("[columns.")[1], text.split("[columns.")[3]
    assert "\nbounds = [0, 1]\nkeys = [0, 1]  # or keys = [false, true]" in active
    assert "\n# step = 1" in pay
    assert "false" not in pay
    path = file.with_suffix(".toml")
    pasted = re.sub("(?m)^# (?=step)", "", text)  # each place as it stands
    truths = re.sub(r"keys = \[0, 1\]  # or (.*\]),.*", r"\1", pasted)
    for chosen in (text, pasted, truths):
        path.write_text(chosen, encoding="utf-8")
        assert load_schema(path).columns["pay"].step == (None if chosen is text else 1)
        for sql, wanted in (
            ("SELECT COUNT(*) AS n FROM staff WHERE active", 2000),
            ("SELECT COUNT(*) AS n FROM staff WHERE active = TRUE", 2000),
            ("SELECT COUNT(*) AS n FROM staff WHERE active = FALSE AND NOT active", 2000),
            ("SELECT SUM(active) AS n FROM staff", 2000),
            ("SELECT active, COUNT(*) AS n FROM staff GROUP BY active LIMIT 1", 2000),
        ):
            more = ("--schema", str(path), "--epsilon", "1e6", "--json")
            told = in_process(capsys, "sql", str(file), sql, *more)
            assert told.code == 0, told.err
            assert round(json.loads(told.out)["rows"][0][-1]) == wanted, sql


def test_shares_keep_their_limits(capsys, tmp_path: Path) -> None:
    """Only what lies at 0 and 1 alone, by what was released, gets keys; a place may be pasted."""
    file = tmp_path / "staff.csv"
    lines = "\n".join(f"{i % 101 / 100}" for i in range(4000))
    file.write_text(f"share\n{lines}\n", encoding="utf-8")
    text = _schema_text(capsys, file)
    assert "\nkeys" not in text
    path = file.with_suffix(".toml")
    path.write_text(text.replace("# keys", "keys"), encoding="utf-8")
    assert load_schema(path).columns["share"].keys == (False, True)


def test_a_column_of_booleans_has_keys_that_are_true_and_false(capsys, tmp_path: Path) -> None:
    file = tmp_path / "staff.parquet"
    optional("polars").DataFrame({"active": [True, False] * 2000}).write_parquet(file)
    for more in ((), ("--weights", "labels=0")):
        text = _schema_text(capsys, file, *more)
        assert "\nkeys = [false, true]\n" in text
        assert "neither limits nor keys" not in text
    facts = ("--schema", str(file.with_suffix(".toml")), "--epsilon", "100", "--json")
    for sql in (
        "SELECT active, COUNT(*) AS n FROM staff GROUP BY active",
        "SELECT COUNT(*) AS n FROM staff WHERE active",
    ):
        told = in_process(capsys, "sql", str(file), sql, *facts)
        assert told.code == 0, told.err


def test_bounds_that_are_written_are_wider_than_the_limits(capsys, tmp_path: Path) -> None:
    """Round numbers, not beyond 0 where nothing released is, and spans of time in seconds."""
    polars = optional("polars")
    rows = range(4000)
    times = [datetime(2024, 1, 1) + timedelta(hours=i) for i in rows]
    columns = {"pay": [1000 + i for i in rows], "at": times, "took": [t - times[0] for t in times]}
    file, plan = tmp_path / "staff.parquet", tmp_path / "plan.toml"
    polars.DataFrame(columns).write_parquet(file)
    more = ("--write-plan", plan, "--format", "json")
    schema = _schema_text(capsys, file, *more)
    assert "neither limits nor keys" not in schema + plan.read_text(encoding="utf-8")
    known = load_schema(file.with_suffix(".toml")).columns
    low, high = known["pay"].bounds
    assert 0 <= low <= 1000 < 5000 <= high <= 10_000
    assert (low % 100, high % 100) == (0, 0)
    first, last = known["at"].times
    assert first < times[0] < times[-1] < last
    assert known["took"].times[0] == timedelta()
    outcome = in_process(capsys, "plan", str(plan))
    assert outcome.code == 0, outcome.err


def test_limits_that_are_noise_are_not_written(capsys, tmp_path: Path) -> None:
    file, plan = tmp_path / "few.csv", tmp_path / "plan.toml"
    file.write_text("age\n" + "\n".join(map(str, range(20, 45))) + "\n", encoding="utf-8")
    found = run(capsys, file, "--epsilon", 1, "--write-plan", plan)
    assert found.code == 0, found.err
    text = plan.read_text(encoding="utf-8")
    assert "bounds =" not in text
    assert '# neither limits nor keys were found of "age"' in text
    assert [table.title for table in load_plan(plan).tables] == ["All rows"]


def test_text_columns_have_bounds_of_what_they_hold(capsys, tmp_path: Path) -> None:
    """Whole numbers, dates, and a word where most entries are one number."""
    day = date(2024, 1, 1)
    rows = [(i % 9, day + timedelta(days=i % 90), 5000 * (i % 40 == 0)) for i in range(4000)]
    file, plan = tmp_path / "staff.csv", tmp_path / "plan.toml"
    lines = (f"{a},{b},{c}" for a, b, c in rows)
    file.write_text("grade,day,claim\n" + "\n".join(lines) + "\n", encoding="utf-8")
    schema = _schema_text(capsys, file, "--write-plan", plan)
    known = load_schema(file.with_suffix(".toml")).columns
    assert (known["grade"].bounds, known["grade"].step) == ((0, 12), 1)
    first, last = known["day"].times
    assert first < day < day + timedelta(days=89) < last
    assert schema.count("# most entries seem to be 0") == 1
    assert plan.read_text(encoding="utf-8").count("# most entries seem to be 0") == 1
    outcome = in_process(capsys, "plan", str(plan))
    assert outcome.code == 0, outcome.err
    assert "2024-0" in outcome.out


def test_persons_come_without_a_limit_of_rows(visits: Path, capsys, tmp_path: Path) -> None:
    plan = tmp_path / "next.toml"
    asked = (visits, "--epsilon", 50, "--person", "who", "--labels", "region=North,South")
    found = run(capsys, *asked, "--format", "json", "--write-plan", plan)
    assert found.code == 0, found.err
    made = Description.from_dict(json.loads(found.out))
    assert made.max_rows in (11, 16, 23)
    assert made.guarantee.scope.unit == "who"
    assert [column.name for column in made.columns] == ["grade", "region"]
    with prepare(load_plan(plan)) as prepared:
        assert str(prepared.charge) == "epsilon 50"


def test_the_split_is_shown_before_and_a_dry_run_spends_nothing(visits: Path, capsys) -> None:
    asked = (visits, "--epsilon", "1/3", "--weights", "mean=0", "rows=3", "--dry-run")
    found = run(capsys, *asked, "--column-weights", "grade=2")
    assert found.code == 0, found.err
    assert "epsilon 1/3" in found.out
    assert "The table" not in found.out


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_text_and_markdown_say_how_sure_each_fact_is(visits: Path, capsys, format: str) -> None:
    found = run(capsys, visits, "--epsilon", 5, "--format", format)
    assert found.code == 0, found.err
    assert "in 95 % of descriptions" in found.out
    assert "epsilon = 5" in found.out
    assert "running time is not protected" in found.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--epsilon", "0"), "epsilon"),
        (("--epsilon", "1", "--max-rows", "3"), "--person"),
        (("--epsilon", "1", "--weights", "median=1"), "no fact"),
        (("--epsilon", "1", "--weights", "mean"), "pay=3"),
        (("--epsilon", "1", "--columns", "nobody"), "nobody"),
        (("--epsilon", "1", "--reuse"), "--ledger"),
        (("--epsilon", "1", "--output", "no/such/place.html"), "no folder"),
    ],
)
def test_mistakes_are_told_before_anything_is_spent(
    visits: Path, capsys, options: tuple[str, ...], message: str
) -> None:
    found = run(capsys, visits, *options)
    assert found.code == 2
    assert message in found.err
    assert not found.out


def test_a_file_that_is_there_is_not_overwritten(visits: Path, capsys, tmp_path: Path) -> None:
    plan = tmp_path / "next.toml"
    plan.write_text("mine", encoding="utf-8")
    found = run(capsys, visits, "--epsilon", 1, "--write-plan", plan)
    assert found.code == 2
    assert plan.read_text(encoding="utf-8") == "mine"


def test_what_the_line_of_names_tells_needs_no_option(capsys, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{i};{i % 3}" for i in range(500)]
    path.write_bytes(("größe;zahl\n" + "\n".join(rows) + "\n").encode("cp1252"))
    found = run(capsys, path, "--epsilon", 100, "--format", "json")
    assert found.code == 0, found.err
    assert [column["name"] for column in json.loads(found.out)["columns"]] == ["größe", "zahl"]
    assert "cp1252" in found.err


def test_a_ledger_gives_the_same_description_again(visits: Path, capsys, tmp_path: Path) -> None:
    ledger = tmp_path / "v.ledger"
    budget = ln.PureDP(2)
    ln.Ledger.create(ledger, dataset="v", budget=budget, relation="add-remove").close()
    asked = (visits, "--epsilon", 2, "--ledger", ledger, "--dataset", "v", "--format", "json")
    first, again = run(capsys, *asked), run(capsys, *asked, "--reuse")
    assert (first.code, again.code) == (0, 0), first.err + again.err
    a, b = (Description.from_dict(json.loads(one.out)) for one in (first, again))
    assert [r.value for r in a.records] == [r.value for r in b.records]
    assert "from cache" in b.tracked
    assert run(capsys, *asked).code == 3


@pytest.mark.share(2 / 5)
@pytest.mark.parametrize("name", MESSY)
def test_messy_files_are_described_without_an_option(
    shared_data: Path, capsys, tmp_path: Path, name: str
) -> None:
    plan, start = tmp_path / "next.toml", time.monotonic()
    file = shared_data / "messy" / name
    found = run(capsys, file, "--epsilon", 2, "--delta", "1e-6", "--write-plan", plan)
    assert found.code == 0, found.err
    assert time.monotonic() - start < 60
    with prepare(load_plan(plan)) as prepared:
        assert str(prepared.charge).startswith("epsilon 2")
