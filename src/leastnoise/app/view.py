"""What the explorer shows: choices in, HTML out.

NOT PRIVATE: every number and picture looks at the file, which must be public or synthetic.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from math import ceil
from typing import Any

from leastnoise import plots
from leastnoise.cli import show
from leastnoise.cli.compare import CUT, EPSILONS, NOT_PRIVATE
from leastnoise.cli.comparison import Comparison, Row, Seen, code, compare, look
from leastnoise.cli.names import RelationName, StatisticName
from leastnoise.cli.requests import Question, parse_text
from leastnoise.errors import LeastNoiseError, ParameterError
from leastnoise.params import parse_epsilon
from leastnoise.plots.drawing import as_float, new_axes
from leastnoise.production import forbid_in_production

BEST = "the best here"
# A law falls by e^(-epsilon l / 2) over l changed records: beyond this nothing can be seen.
_FALLEN = 24
_MOST_LEVELS = 500


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen on the page, as text; empty text is a choice not made."""

    file: str
    statistic: StatisticName
    column: str | None = None
    low: str = ""
    high: str = ""
    epsilon: str = "1"
    q: str = ""
    relation: RelationName = "replace-one"
    missing: str = ""
    step: str = ""
    mechanism: str = BEST
    reading: dict[str, Any] = field(default_factory=dict[str, Any])

    def question(self) -> Question:
        """The same choices as the command line would hand them on."""
        counts = self.statistic == "count"
        bounds = (self.low.strip(), self.high.strip())
        if not counts and any(bounds) and not all(bounds):
            missing = "upper" if bounds[0] else "lower"
            raise ParameterError(f"bounds need both ends: give the {missing} bound too")
        return Question(
            file=self.file,
            names=[self.statistic],
            column=self.column,
            bounds=None if counts or not any(bounds) else bounds,
            q=(self.q.strip(),) if self.statistic == "quantile" and self.q.strip() else (),
            step=None if counts else self.step.strip() or None,
            missing=self.missing.strip() or None,
            reading=self.reading,
        )


@dataclass(frozen=True, slots=True)
class View:
    """NOT PRIVATE. What the page shows, and the code to copy, if any."""

    html: str
    code: str | None = None


def view(choices: Choices) -> View:
    """NOT PRIVATE. Look at the file and show everything; a refusal is shown with its cure."""
    forbid_in_production("explore")
    try:
        question = choices.question()
        question.check()
        epsilon = parse_text(parse_epsilon, choices.epsilon.strip(), "epsilon")
        epsilons = sorted({*map(Fraction, EPSILONS), epsilon})
        seen = look(question, choices.relation)
        found = compare(seen, epsilons)
        best = found.best(epsilon)
        name = choices.mechanism
        if name == BEST:
            name = next(iter(seen.mechanisms)) if best is None else best.mechanism
        copied = code(question, choices.relation, name, str(epsilon))
    except LeastNoiseError as error:
        return View(f'<p class="refusal" role="alert">{_words(error)}</p>')
    parts = [
        _profile(seen, epsilon),
        _errors(seen, found, best, epsilon, choices.relation),
        _laws(seen, found, name, epsilon),
        _section(
            "The code for a private file like this one",
            f"<p>With {escape(name)}; <code>private.csv</code> is your file.</p>"
            f'<pre tabindex="0" aria-label="Code"><code>{escape(copied)}</code></pre>',
        ),
    ]
    return View("".join(parts), copied)


def _words(error: LeastNoiseError) -> str:
    """The message without the dashes of options: here they are fields."""
    return escape(show.clean(str(error)).replace("--", ""))


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _picture(ax: Any, alt: str, caption: str = "") -> str:
    source = "data:image/svg+xml;base64," + base64.b64encode(plots.svg(ax).encode()).decode()
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img alt="{escape(alt)}" src="{source}">{words}</figure>'


def _profile(seen: Seen, epsilon: Fraction) -> str:
    levels = range(min(_MOST_LEVELS, max(4, ceil(_FALLEN / epsilon))) + 1)
    ax = plots.profile(seen.profile, levels, new_axes(None, width=5.2, height=3.6))
    value = show.number(as_float(seen.profile.value))
    return _section(
        "How far the answer can move",
        f"<p>The value is {escape(value)}. The fewer records it takes to move the answer far, the "
        "more noise it needs.</p>"
        + _picture(ax, "The range of the statistic after at most l changed records"),
    )


def _errors(
    seen: Seen, comparison: Comparison, best: Row | None, epsilon: Fraction, relation: RelationName
) -> str:
    head = "".join(f'<th scope="col">{escape(show.exact(e))}</th>' for e in comparison.epsilons)
    lines = "".join(_line(row, comparison) for row in comparison.rows)
    ax = plots.error_against_epsilon(
        comparison.errors(), new_axes(None, width=5.2, height=5.8), title="", legend="below"
    )
    reasons = dict.fromkeys(row.reason for row in comparison.rows if row.reason)
    refused = "".join(f"<li>{escape(show.clean(reason))}</li>" for reason in reasons)
    remarks = ""
    if best is not None:
        remarks = (
            f"<p>Best at epsilon = {escape(show.exact(epsilon))}: {escape(best.mechanism)}.</p>"
        )
    if seen.relation != relation:
        remarks += (
            f"<p>The relation is {escape(seen.relation)}, not {escape(relation)}: rows with "
            "missing values are dropped, so the number of remaining rows is private. It stays "
            "public with Missing: none, or a number.</p>"
        )
    return _section(
        "Expected error of each mechanism",
        f"<p>{escape(CUT)}</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of expected errors">'
        "<table><caption>Relation "
        f"{escape(comparison.relation)}; * is the smallest of its column</caption><thead><tr>"
        f'<th scope="col">epsilon</th>{head}</tr></thead><tbody>{lines}</tbody></table></div>'
        f"{remarks}{refused and f'<ul>{refused}</ul>'}"
        + _picture(ax, "Expected error against epsilon; its numbers are in the table above"),
    )


def _line(row: Row, comparison: Comparison) -> str:
    cells = (
        "-" if error is None else f"{'*' if least else ''}{show.short(error)}"
        for error, least in zip(row.errors, comparison.smallest(row), strict=True)
    )
    entries = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{escape(row.title)}</th>{entries}</tr>'


def _laws(seen: Seen, comparison: Comparison, chosen: str, epsilon: Fraction) -> str:
    place = comparison.epsilons.index(epsilon)
    answering = {row.mechanism: row for row in comparison.rows if row.errors[place] is not None}
    searching = next((name for name, m in seen.mechanisms.items() if m == seen.default), "")
    if seen.searched is not None:  # limits first, then an answer: no law of a profile
        answering.pop(searching, None)
    laws = {
        row.title: seen.mechanisms[name].law(seen.profile, epsilon)
        for name, row in answering.items()
    }
    title = f"The law of each mechanism at epsilon = {show.exact(epsilon)}"
    if not laws:
        return _section(title, "<p>None answers this statistic; the reasons are given above.</p>")
    body = "<p>How likely an error above some distance is: lower is better.</p>"
    ax = plots.tails(laws, seen.profile.value, new_axes(None, width=5.2, height=5.8))
    body += _picture(ax, "For each mechanism the chance of an error above some distance")
    if chosen in answering:
        row = answering[chosen]
        ax = plots.law(laws[row.title], new_axes(None, width=5.2, height=3.6))
        caption = f"{row.title}: expected error {show.short(row.errors[place] or 0.0)}"
        body += _picture(ax, f"Law of the answer of {chosen}", caption)
    elif seen.searched is not None and chosen == searching:
        body += (
            f"<p>{escape(chosen)} releases limits before its answer, which has no law alone.</p>"
        )
    return _section(title, body)


def notice() -> str:
    """The sentence that stands above everything."""
    return f'<p class="notice">{escape(NOT_PRIVATE)}</p>'
