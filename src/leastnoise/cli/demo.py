"""``leastnoise demo``: private statistics of real people, next to what other noise would do."""

from __future__ import annotations

from leastnoise.cli import show

COMMAND = "leastnoise release my.csv --stat median --column age --bounds 0 120 --epsilon 1"

_LETTERS = {
    "PiecewiseLaplace": ("P", "piecewise Laplace"),
    "InverseSensitivity": ("I", "inverse sensitivity"),
    "AsymmetricSensitivity": ("A", "asymmetric sensitivity"),
    "SmoothLaplace": ("S", "smooth Laplace with delta = 1e-06, a weaker promise"),
    "Laplace": ("L", "Laplace"),
}


def demo() -> None:
    """Release statistics of 442 real patients and compare the noise of the mechanisms.

    The data is a public sample that scikit-learn ships (extra: demo). Every answer is drawn anew
    with epsilon = 1; truth and expected errors are shown because this sample is public.
    """
    from math import exp

    from leastnoise.cli.patients import EPSILON, questions
    from leastnoise.mechanisms import Laplace

    asked = questions()
    answers = show.table(
        "statistic",
        "private\nvalue",
        "truth *",
        "error *\nof ours",
        "of best\nother",
        "of\nLaplace",
        right=(1, 2, 3, 4, 5),
    )
    used: dict[str, str] = {}
    for question in asked:
        own = question.mechanism()
        other, other_error = question.best_other()
        cells = [(own, question.error(own)), (other, other_error)]
        for mechanism, _ in cells:
            letter, name = _LETTERS[type(mechanism).__name__]
            used[letter] = name
        answers.add_row(
            question.label,
            show.number(float(question.release()), 4),
            show.number(question.truth, 4),
            *(f"{_error(e)} {_LETTERS[type(m).__name__][0]}" for m, e in cells),
            _error(question.error(Laplace())),
        )
    total = EPSILON * len(asked)
    legend = ", ".join(f"{letter} {name}" for letter, name in used.items())
    show.write(
        f"442 real diabetes patients, a public sample; epsilon = {EPSILON} for each answer",
        "",
        answers,
        "",
        "* Truth and error are shown because this sample is public; on private data they would "
        "reveal it. Error: the exact mean distance of the answer from the truth, after answers "
        f"outside the public limits are cut to them. {legend}.",
        "",
        "Public limits, from general knowledge and never from the data: age 0 to 120, blood sugar "
        "0 to 2000, BMI 5 to 250, blood pressure 20 to 300, cholesterol 0 to 1000. The number of "
        "patients is public too.",
        "",
        "Guaranteed: whatever one patient's row contains, it makes any answer at most "
        f"e^{EPSILON} = {exp(EPSILON):.3g} times as likely. The epsilons add up: these "
        f"{len(asked)} answers spend {total} (e^{total} = {exp(total):.3g}).",
        "",
        "The same for a file of yours:",
        show.Text(COMMAND, no_wrap=True, overflow="ignore"),
    )


def _error(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:#.3g}".rstrip(".")
