"""``leastnoise compare``: the expected error of every mechanism, on a public or synthetic file."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

from cyclopts import Parameter, Token

from leastnoise.cli import show
from leastnoise.cli.names import PairName, RelationName, StatisticName
from leastnoise.cli.reading import PLAIN_TEXT, TextOptions
from leastnoise.errors import ParameterError

if TYPE_CHECKING:
    from leastnoise.cli.comparison import Comparison, Row
    from leastnoise.cli.pairs import PairQuestion
    from leastnoise.cli.requests import Question

# the statistics of one number
ScalarName = Literal[
    "count",
    "sum",
    "mean",
    "median",
    "quantile",
    "minimum",
    "maximum",
    "interquartile-range",
    "variance",
    "standard-deviation",
]
ComparedName = Literal[ScalarName, "count-distinct", PairName]
# Their answers have no law of one number in closed form.
NO_LAW = {
    "quantiles": "each answer depends on the ones drawn before; compare --stat quantile of each",
    "quantile-interval": "its two ends are drawn together; look at its width and coverage",
    "histogram": "it is many numbers; each count has the error of --stat count",
    "cross-tab": "it is many numbers; each count has the error of --stat count",
    "confusion-matrix": "it is many numbers; each count has the error of --stat count",
    "mode": "it is a label, not a number",
    "r2": "it is a quotient of two noisy answers; compare --stat mean-squared-error and variance",
}
EPSILONS = ("0.1", "0.5", "1", "2")
NEEDS_PUBLIC = (
    "compare looks at the data and nothing it prints is private, so it reads public or synthetic "
    "files only: give --public if this file is one, otherwise use a public or synthetic "
    "stand-in. Nothing was read"
)
NOT_PRIVATE = (
    "NOT PRIVATE: these numbers were computed from the data. They may be shown only "
    "because the file was declared public or synthetic; choose a mechanism on such a stand-in, "
    "never on the private data."
)
CUT = (
    "Each number is the exact mean distance of the answer from the true value, computed from the "
    "law of the answer, without simulation; but PrivateLimits() has no such law, so it is the mean "
    "over 200 simulated releases, and its bias over 40. Answers of Laplace(), SmoothLaplace() and "
    "Gaussian() are clipped to the public range first, as in a release; unclipped, their errors "
    "are larger."
)
LIMITS = (
    "The local minimax risk is exact: the error that every epsilon-private mechanism has at this "
    "file or at the hardest alternative to it. Where the bounds of a statistic are not exact, "
    "the risk is an upper bound. A mechanism can be below it on one file, at a price on others."
)
_FLAG = Parameter(show_default=False)


def _parse_stat(_: object, tokens: list[Token]) -> str:
    """A statistic whose errors are known exactly, or why those of another are not."""
    (word,) = (token.value for token in tokens)
    known = get_args(ComparedName)
    if word in NO_LAW:
        raise ValueError(
            f"{word!r} has no exact expected error: {NO_LAW[word]}. Those that have one: "
            f"{', '.join(known)}."
        )
    if word not in known:
        near = get_close_matches(word, known, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no {word!r}. Choose from: {', '.join(known)}.{hint}")
    return word


def compare(
    file: str,
    /,
    *,
    stat: Annotated[ComparedName, Parameter(converter=_parse_stat)],
    public: Annotated[bool, _FLAG] = False,
    column: str | None = None,
    against: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    bounds: tuple[str, str] | None = None,
    epsilon: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    q: str | None = None,
    categories: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    logits: Annotated[bool, _FLAG] = False,
    relation: RelationName | None = None,
    missing: str | None = None,
    step: str | None = None,
    plot: str | None = None,
    optimality: Annotated[bool, _FLAG] = False,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
    reading: TextOptions = PLAIN_TEXT,
) -> None:
    """Show the exact expected error of every mechanism on a PUBLIC or synthetic file.

    leastnoise compare cars.csv --public --stat variance --column price --bounds 0 50000

    leastnoise compare scored.csv --public --stat roc-auc --column bought --against score

    It looks at the data and nothing it prints is private.

    Parameters
    ----------
    file
        A .csv, .tsv, .txt (each also .gz) or .parquet file, public or synthetic.
    stat
        The statistic.
    public
        Declares that the file is public or synthetic; nothing is read without it.
    column
        The column, for a metric that of the targets; a count without it counts all rows.
    against
        For a metric: the column of predictions; for a cross-entropy of several labels one each.
    bounds
        Public limits of the column, two numbers; for a metric of targets and predictions, for a
        cross-entropy of logits only.
    epsilon
        One column of the table each. Default: 0.1 0.5 1 2.
    q
        The order of a quantile, from 0 to 1.
    categories
        For cross-entropy and roc-auc: the labels of the targets. Default: 0 1.
    logits
        For cross-entropy: predictions are logits, not probabilities.
    relation
        As for release. Default: replace-one.
    missing
        As for release.
    step
        Spacing of the values, such as 1 for whole numbers in a text file.
    plot
        Draw error against epsilon into this .svg, .png or .pdf file (extra: plots).
    optimality
        Show too how near each mechanism comes to the least error that is possible: its error over
        the exact local minimax risk of this file, with the papers' bounds on that risk.
    as_json
        Print the table as JSON and nothing else.
    reading
        How the file is read.
    """
    if not public:
        raise ParameterError(NEEDS_PUBLIC)
    from leastnoise.production import forbid_in_production

    forbid_in_production("compare")
    from leastnoise.cli import comparison
    from leastnoise.cli.pairs import PairQuestion
    from leastnoise.cli.requests import Question, parse_text
    from leastnoise.params import parse_epsilon

    if plot is not None:
        from leastnoise import plots

        plots.check_path(plot)
    question: Question | PairQuestion
    if stat in get_args(PairName):
        if q is not None:
            raise ParameterError("--q is for --stat quantile: omit it")
        question = PairQuestion(
            file=file,
            name=cast("PairName", stat),
            column=column,
            against=against or (),
            bounds=bounds,
            categories=categories or (),
            logits=logits,
            step=step,
            missing=missing,
            reading=reading.given(),
        )
    else:
        if against or categories or logits:
            raise ParameterError(
                "--against, --categories and --logits are for metrics of two columns, "
                f"{', '.join(get_args(PairName))}"
            )
        question = Question(
            file=file,
            names=[cast("StatisticName", stat)],
            column=column,
            bounds=bounds,
            q=() if q is None else (q,),
            step=step,
            missing=missing,
            reading=reading.given(),
        )
    question.check()
    asked = [parse_text(parse_epsilon, text, "epsilon") for text in epsilon or EPSILONS]
    epsilons = list(dict.fromkeys(asked))
    seen = comparison.look(question, relation)
    found = comparison.compare(seen, epsilons, limits=optimality)
    best = found.best()
    middle = str(epsilons[len(epsilons) // 2])
    copied = None if best is None else comparison.code(question, relation, best.mechanism, middle)
    if plot is not None:
        _draw(found, plot)
    if as_json:
        show.json(_as_dict(found, best, copied))
    else:
        _show(found, best, copied, plot)


def _title(comparison: Comparison) -> str:
    of = "rows" if comparison.column is None else comparison.column
    return show.clean(
        f"{comparison.statistic.replace('-', ' ')} of {of}, relation {comparison.relation}"
    )


def _draw(comparison: Comparison, path: str) -> None:
    from leastnoise import plots

    # a column's name is text, never mathematics
    title = f"Expected error: {_title(comparison)}".replace("$", r"\$")
    try:
        plots.save(plots.error_against_epsilon(comparison.errors(), title=title), Path(path))
    except OSError:
        raise ParameterError(f"cannot write the picture to {path!r}: choose another file") from None


def _as_dict(comparison: Comparison, best: Row | None, copied: str | None) -> dict[str, Any]:
    return {
        "private": False,
        "notice": NOT_PRIVATE,
        "statistic": comparison.statistic,
        "column": comparison.column,
        "relation": comparison.relation,
        "error": "mean absolute error after clipping to the public range",
        "epsilons": [str(epsilon) for epsilon in comparison.epsilons],
        "mechanisms": [
            {
                "mechanism": row.mechanism,
                "default": row.default,
                "errors": list(row.errors),
                "smallest": list(comparison.smallest(row)),
                "reason": row.reason,
                **({} if row.bias is None else {"bias": list(row.bias)}),
            }
            for row in comparison.rows
        ],
        **({"optimality": _limits(comparison)} if comparison.limits else {}),
        "best": None if best is None else best.mechanism,
        "code": copied,
    }


def _limits(comparison: Comparison) -> list[dict[str, Any]]:
    """For each epsilon the limits, and how near every mechanism comes."""
    rows = [(row.mechanism, comparison.ratios(row)) for row in comparison.rows]
    return [
        {**limit.to_dict(), "ratios": {mechanism: ratios[i] for mechanism, ratios in rows}}
        for i, limit in enumerate(comparison.limits)
    ]


def _limit_table(comparison: Comparison) -> list[Any]:
    """The risk and its bounds, then every mechanism's error in units of the risk."""
    names = [f"{show.exact(epsilon)}" for epsilon in comparison.epsilons]
    table = show.table("limits \\ epsilon", *names, right=range(1, 1 + len(names)))
    for title, measure in (
        ("local minimax risk", "minimax"),
        ("  lower bound", "lower"),
        ("  upper bound", "upper"),
        ("bound for unbiased answers", "unbiased"),
        ("growth R_f", "growth"),
        ("asymmetry", "asymmetry"),
    ):
        table.add_row(title, *(show.short(getattr(limit, measure)) for limit in comparison.limits))
    table.add_row(show.Text("error / local minimax risk", style="bold"))
    for row in comparison.rows:
        cells = ["-" if ratio is None else show.short(ratio) for ratio in comparison.ratios(row)]
        table.add_row(f"  {row.mechanism}", *cells)
    return ["", table, "", LIMITS]


def _show(comparison: Comparison, best: Row | None, copied: str | None, plot: str | None) -> None:
    names = [f"{show.exact(epsilon)}" for epsilon in comparison.epsilons]
    table = show.table("mechanism \\ epsilon", *names, right=range(1, 1 + len(names)))
    for row in comparison.rows:
        cells = [
            "-" if error is None else ("*" if least else "") + show.short(error)
            for error, least in zip(row.errors, comparison.smallest(row), strict=True)
        ]
        table.add_row(row.title, *cells)
        if row.bias is not None:
            table.add_row("  of which bias by clipping", *map(show.short, row.bias))
    reasons = list(dict.fromkeys(f"-  {row.reason}" for row in comparison.rows if row.reason))
    parts: list[Any] = [
        f"expected error, {_title(comparison)}",
        "",
        table,
        "",
        "* smallest in its column. SmoothLaplace() and Gaussian() promise less than the others "
        "(delta = 1e-6).",
        *(show.clean(reason) for reason in reasons),
        *(_limit_table(comparison) if comparison.limits else ()),
        "",
        CUT,
        "",
        NOT_PRIVATE,
    ]
    if plot is not None:
        parts += ["", show.clean(f"picture: {plot}")]
    if best is not None and copied is not None:
        text = show.Text(show.clean(copied), no_wrap=True, overflow="ignore")
        most = show.number(comparison.regret(best), 3)
        parts += [
            "",
            f"Best over these epsilons: {best.mechanism}, at most {most} times the smallest error "
            "of a column. The code for a private file like this one:",
            "",
            text,
        ]
    show.write(*parts)
