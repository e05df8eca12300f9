"""The programs of docs/programs.md, run by one library: answers of every run to standard output.

    python programs.py LIBRARY RUNS < programs.json

Standard library and the library itself only: it runs in the library's own environment.
"""

from __future__ import annotations

import ast
import json
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

PEOPLE = """
rows = range(3_000)
table = {
    "person": [f"p{i // 2}" for i in rows],
    "age": [16 + i % 60 for i in rows],
    "region": [("North", "South", "East")[i % 3] for i in rows],
    "pay": [1_000.0 + 7 * (i % 900) for i in rows],
}
ages, regions, pays = table["age"], table["region"], table["pay"]
"""
METADATA = """\
"":
  people:
    people:
      row_privacy: false
      max_ids: 2
      rows: 3000
      person: {type: string, private_id: true}
      age: {type: int, lower: 16, upper: 80}
      region: {type: string}
      pay: {type: float, lower: 0, upper: 10000}
"""
PRELUDES = {
    "leastnoise": "",  # stands on the page
    "OpenDP": "",
    "diffprivlib": """
import numpy as np
from diffprivlib import BudgetAccountant, tools
from diffprivlib.models import LogisticRegression
pays, ages = np.array(pays), np.array(ages)
X, y = np.array([ages, pays]).T, (pays > 4_000).astype(int)
""",
    "PyDP": """
from pydp.algorithms.laplacian import *
""",
    "Tumult": """
from pyspark.sql import SparkSession
from tmlt.analytics import *
spark = SparkSession.builder.master("local[1]").config(
    "spark.sql.shuffle.partitions", "1").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
import pandas
frame = spark.createDataFrame(pandas.DataFrame(table)).cache()
""",
    "SmartNoise": """
import pandas
from snsql import Privacy, from_df
frame = pandas.DataFrame(table)
""",
}


def numbers(value: Any) -> list[float]:
    """All numbers of an answer, in the order of their keys."""
    for name in ("toPandas", "records"):
        if hasattr(value, name):
            inner = getattr(value, name)
            return numbers(inner() if callable(inner) else inner)
    if hasattr(value, "rows") and hasattr(value, "by"):  # a table of releases
        groups = sorted(value.rows(), key=lambda row: [str(x) for x in row.key])
        return [x for row in groups for x in numbers(row.records)]
    if hasattr(value, "keys") and hasattr(value, "values") and not hasattr(value, "columns"):
        return [x for inner in value.values() for x in numbers(inner)]
    if hasattr(value, "value"):
        return numbers(value.value)
    if hasattr(value, "columns"):
        value = value.sort_values(list(value.columns)[:1]).values.tolist()
    if isinstance(value, tuple) and len(value) == 2 and hasattr(value[0], "shape"):
        value = value[0]  # counts of a histogram, and its edges
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], (list, tuple)) and isinstance(value[0][-1], str):
            value = value[1:]  # names of columns
        if value and isinstance(value[0], (list, tuple)):
            value = sorted(value, key=lambda row: str(row[0]))
        return [x for inner in value for x in numbers(inner)]
    return [float(value)] if isinstance(value, (int, float)) else []


def answers(program: str, names: dict[str, Any]) -> list[float]:
    """Run a program, and collect the numbers of all that it evaluates, or would show."""
    found: list[float] = []
    names["print"] = lambda *told: found.extend(x for each in told for x in numbers(each))
    for statement in ast.parse(program).body:
        if isinstance(statement, ast.Expr):
            value: Any = statement.value
            if isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "show":
                value = value.func.value
            found += numbers(eval(compile(ast.Expression(value), "program", "eval"), names))
        else:
            exec(compile(ast.Module([statement], []), "program", "exec"), names)
    return found


def in_a_folder(program: str, names: dict[str, Any]) -> list[float]:
    """The same in an empty folder, so that a ledger is made anew."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("people.yaml").write_text(METADATA, encoding="utf-8")
        try:
            return answers(program, names)
        finally:
            os.chdir("/")


def main() -> None:
    library, runs = sys.argv[1], int(sys.argv[2])
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    asked = json.load(sys.stdin)
    names: dict[str, Any] = {}
    exec(PEOPLE + PRELUDES[library] + asked["prelude"], names)
    told: dict[str, list[list[float]] | str] = {}
    for number, program in asked["programs"].items():
        try:
            told[number] = [in_a_folder(program, names) for _ in range(runs)]
        except Exception as error:
            told[number] = f"{type(error).__name__}: {error}"[:300]
    print("ANSWERS" + json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
