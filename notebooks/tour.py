"""A tour of leastnoise in about twenty minutes: read it, run it, change it.

    marimo edit notebooks/tour.py       in the browser, cell by cell (pip install 'leastnoise[app]')
    python notebooks/tour.py            all of it, for its checks

All data here is made up, so it may be looked at. A private file may not: there, only what a release
returns leaves.
"""

import marimo

app = marimo.App(width="medium", app_title="A tour of leastnoise")


@app.cell
def _():
    from dataclasses import dataclass
    from math import exp

    import marimo as mo
    import numpy as np

    import leastnoise as ln
    from leastnoise import audit, plots, testing

    return audit, dataclass, exp, ln, mo, np, plots, testing


@app.cell
def _(mo):
    mo.md("""
    # A tour of leastnoise

    You have a table with one row a person, and want to publish numbers about it so that nobody
    can tell from them what any one person's row says. This tour makes such numbers, from one
    median to a table by groups with a budget, and shows on the way why the noise is small and
    how you can check the promise yourself. It takes about twenty minutes.

    ## 1. The data

    Two thousand people with a region, an age and a yearly pay. They are made up, by a fixed
    stream of random numbers, so here we may look.
    """)
    return


@app.cell
def _(np):
    made_up = np.random.default_rng(2026)
    people = {
        "region": [["north", "south", "east"][i % 3] for i in range(2_000)],
        "age": made_up.integers(18, 70, 2_000),
        "pay": np.round(np.exp(10.5 + 0.5 * made_up.standard_normal(2_000)), 2),
    }
    true_median = float(np.sort(people["pay"])[999])
    true_median
    return people, true_median


@app.cell
def _(mo):
    mo.md("""
    ## 2. One release

    A release needs three things that come from **public knowledge**, never from the table:

    - **bounds**: between which limits values count. A value beyond counts as the limit. Nobody
      is paid less than nothing; a million is more than enough.
    - **epsilon**: how much one person may change the odds of any answer: by a factor of at most
      e^epsilon. At epsilon = 1 that is 2.72.
    - **the relation**: what "one person" can do. `replace-one`, the default, changes one row and
      takes the number of rows as public. `add-remove` adds or removes one, so that the number of
      rows is private too.
    """)
    return


@app.cell
def _(ln, people):
    limits = (0, 1_000_000)
    first = ln.release(ln.Median("pay", bounds=limits), people, epsilon=1)
    print(first.value)
    print(first.guarantee)
    print(first.protects)
    print(first.not_protected)
    return first, limits


@app.cell
def _(mo):
    mo.md("""
    The value is a draw. Run the cell again and it differs; the two answers together have cost
    epsilon = 2, because everything said about the same people adds up. `first.to_json()` is the
    record that may be published with the value: nothing in it is a function of the data but the
    value.

    ## 3. Why the noise is small: the profile

    The usual way of hiding one person is noise of the size by which one person could move the
    answer **in the worst table imaginable**. For a median between 0 and a million that is a
    million: in some table, one changed row moves the median from one end to the other. Not in
    this one. So ask instead: *how far can this answer move when at most l rows are changed?*
    The smallest and largest values it can reach are its **profile**.
    """)
    return


@app.cell
def _(limits, ln, people):
    seen = ln.profile(ln.Median("pay", bounds=limits), people)
    reach = {l: (float(seen.lower(l)), float(seen.upper(l))) for l in (0, 1, 10, 100, 900)}
    reach
    return reach, seen


@app.cell
def _(plots, seen):
    plots.profile(seen, range(60)).figure
    return


@app.cell
def _(mo):
    mo.md("""
    Ten changed rows move the median by a few hundred; to move it far takes hundreds of rows.
    That is what the answer may reveal, and what the noise must follow.

    A profile looks at the data, so it is **not private**. It is for public data, as here, and
    for the library itself on the way to a release.

    ## 4. From the profile to the answer: the law

    An answer y that takes l changed rows to become true gets a probability that falls like
    e^(-epsilon l / 2). One changed row changes each l by at most one, so no probability changes
    by more than a factor e^epsilon. That is the whole proof, and the constants are exact: the
    probabilities are ratios of integers or certified enclosures, the draw uses no floating-point
    number, so that no rounding leaks.
    """)
    return


@app.cell
def _(ln, seen):
    mechanisms = {
        "piecewise Laplace (default)": ln.PiecewiseLaplace(),
        "inverse sensitivity": ln.InverseSensitivity(),
        "smooth Laplace, delta = 1e-6": ln.SmoothLaplace(delta="1e-6"),
        "Laplace": ln.Laplace(),
    }
    laws = {name: mechanism.law(seen, 1) for name, mechanism in mechanisms.items()}
    errors = {name: law.mean_absolute_error(centre=seen.value) for name, law in laws.items()}
    errors
    return errors, laws, mechanisms


@app.cell
def _(laws, plots, seen):
    plots.tails(laws, seen.value).figure
    return


@app.cell
def _(mo):
    mo.md("""
    These errors are not simulated: they are means over the law of the answer. Laplace noise
    would be larger than any pay. Smooth sensitivity, the usual way to adapt, is better, and needs
    a delta: a small probability of a broken promise. The two mechanisms of this library have
    neither problem.

    There is no free lunch. A **sum** or a **count** can be moved by one row as far in this table
    as in any other, so there is nothing to adapt to, and the library takes Laplace noise for
    them. `leastnoise compare FILE --public` and `leastnoise explore FILE --public` show for a
    public stand-in which mechanism is best.

    ## 5. How much epsilon?

    Twice the epsilon, about half the error. Choose by what an answer is worth: decide on a total
    for the table, and spend it where it matters.
    """)
    return


@app.cell
def _(exp, ln, seen):
    by_epsilon = {
        epsilon: ln.PiecewiseLaplace().law(seen, epsilon).mean_absolute_error(centre=seen.value)
        for epsilon in ("0.1", "0.5", "1", "2")
    }
    odds = {epsilon: exp(float(epsilon)) for epsilon in by_epsilon}
    by_epsilon
    return by_epsilon, odds


@app.cell
def _(mo):
    mo.md("""
    And the bounds? For medians and quantiles, wide ones cost almost nothing: a bound of a
    billion instead of a million makes no difference, because the rows that would have to change
    to get there are as many. For means and sums the noise is proportional to the width.
    """)
    return


@app.cell
def _(ln, people):
    def error_of(statistic, mechanism):
        p = ln.profile(statistic, people, missing="none")
        return mechanism.law(p, 1).mean_absolute_error(centre=p.value)

    widths = {
        "median": [
            error_of(ln.Median("pay", bounds=(0, top)), ln.PiecewiseLaplace())
            for top in (10**6, 10**9)
        ],
        "mean": [error_of(ln.Mean("pay", bounds=(0, top)), ln.Laplace()) for top in (10**6, 10**9)],
    }
    widths
    return (widths,)


@app.cell
def _(mo):
    mo.md("""
    ## 6. A table by groups

    Groups are **declared**: which regions exist is public knowledge. If it were taken from the
    data, the one person in a small region would be seen. A declared group without rows still gets
    an answer.

    One person is in one region, so the groups do not add up under `add-remove`: the whole table
    costs epsilon once. Under `replace-one` a person can be moved from one group to another, which
    touches two of them, and the table costs twice epsilon. The record says what it costs.
    """)
    return


@app.cell
def _(limits, ln, people):
    regions = ["north", "south", "east", "west"]
    with ln.open(people, relation="add-remove") as _data:
        by_region = _data.group_by({"region": regions}).release(
            {"people": ln.Count(), "median": ln.Median("pay", bounds=limits)}, epsilon=1
        )
    print(by_region.to_markdown())
    print(by_region.guarantee)
    return by_region, regions


@app.cell
def _(mo):
    mo.md("""
    `epsilon=1` is for the two statistics of one group together. Nobody lives in the west: its
    count is noise about 0 and can be negative (`nonnegative=True` cuts it), and its median is a
    draw from the middle of nowhere. That is right: a gap in the table would tell that nobody is
    there.

    ## 7. Persons with several rows

    The promise is about one row. Where a person can have several, name the column that tells
    persons apart, and how many rows of one are used at most.
    """)
    return


@app.cell
def _(ln, np):
    visits = {
        "patient": np.repeat(np.arange(500), 4),
        "minutes": np.tile(np.array([10.0, 20.0, 30.0, 40.0]), 500),
    }
    with ln.open(visits, unit="patient", max_rows=4) as _data:
        stay = _data.release(ln.Median("minutes", bounds=(0, 600)), epsilon=1)
    print(stay.value)
    print(stay.protects)
    return (stay,)


@app.cell
def _(mo):
    mo.md("""
    This is far better than a quarter of epsilon for each of four rows: the profile is asked how
    far the answer moves when 4 l rows change, and a median hardly moves.

    ## 8. A budget that is kept

    Releases add up, so somebody has to count. A **ledger** is a file that is charged *before*
    the data is opened, that several programs can share, and that refuses what exceeds the budget.
    """)
    return


@app.cell
def _(limits, ln, people):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as _folder:
        _file = str(Path(_folder) / "pay.db")
        ln.Ledger.create(_file, dataset="pay-2026", budget=ln.PureDP(2))
        with ln.open(people, ledger=_file, dataset="pay-2026") as _data:
            _data.release(ln.Median("pay", bounds=limits), epsilon="0.5", purpose="report")
            for _ in range(10):
                _data.release(ln.Mean("age", bounds=(0, 120)), epsilon="0.1")
            left = _data.remaining
            try:
                _data.release(ln.Median("pay", bounds=limits), epsilon=1)
                refused = None
            except ln.errors.BudgetExceededError as error:
                refused = str(error)
    print(left)
    print(refused)
    return left, refused


@app.cell
def _(mo):
    mo.md("""
    Ten times 0.1 is exactly 1 here: the ledger adds fractions, not floats. What was refused cost
    nothing, and no data was read for it. `leastnoise budget pay.db` shows the history.

    ## 9. Do not believe it: audit it

    A claim of privacy can be checked on small tables, completely: enumerate all tables of a few
    rows, build the law of the answer for each, and compare all neighbours. In exact arithmetic,
    the largest ratio is the true loss on these tables. Take the median of three numbers from
    0, 1, 2, 3 and the claim epsilon = 1:
    """)
    return


@app.cell
def _(audit, ln):
    def law_of(values):
        p = ln.profile(ln.Median(bounds=(0, 3), step=1), list(values), missing="none")
        return ln.PiecewiseLaplace().law(p, 1)

    honest = audit.exact_law(
        law_of, universe=(0, 1, 2, 3), n=3, relation="replace-one", claim=ln.PureDP(1)
    )
    print(honest)
    return (honest,)


@app.cell
def _(mo):
    mo.md("""
    An audit that cannot fail is worth nothing. So break it: scale Laplace noise by how far
    *this* median moves when one row changes, which looks natural and is wrong, since the scale
    itself tells about the data.
    """)
    return


@app.cell
def _(audit, ln):
    def broken_law_of(values):
        p = ln.profile(ln.Median(bounds=(0, 3), step=1), list(values), missing="none")
        local = max(p.upper(1) - p.value, p.value - p.lower(1), 1)
        return ln.Laplace().law(
            ln.Profile(
                value=p.value,
                lower=p.lower,
                upper=p.upper,
                support=(0, 3),
                sensitivity=local,
                resolution=1,
            ),
            1,
        )

    broken = audit.exact_law(
        broken_law_of, universe=(0, 1, 2, 3), n=3, relation="replace-one", claim=ln.PureDP(1)
    )
    print(broken)
    return (broken,)


@app.cell
def _(mo):
    mo.md("""
    `leastnoise audit` does this for every statistic, mechanism and relation of the library.

    ## 10. Your own statistic

    Two methods: what must be summarised, and the smallest and largest value after l changed
    records. Every mechanism, the exact draw, the ledger and the audit then work with it. Here
    the middle between the two quartiles:
    """)
    return


@app.cell
def _(dataclass, ln, people, testing):
    from fractions import Fraction

    @dataclass(frozen=True, slots=True)
    class Midhinge:
        column: str | None = None
        bounds: tuple = (0, 1)

        def spec(self):
            return ln.spec.ranks(
                self.column, at=(Fraction(1, 4), Fraction(3, 4)), bounds=self.bounds
            )

        def profile(self, s, relation):
            low, high = s.limits
            return ln.Profile(
                value=(s.rank(0, 0) + s.rank(1, 0), 2),
                lower=lambda l: (s.rank(0, -l) + s.rank(1, -l), 2),
                upper=lambda l: (s.rank(0, +l) + s.rank(1, +l), 2),
                support=(low, high),
                monotone=relation == "replace-one",
            )

    checked = testing.check_statistic(Midhinge(bounds=(0, 4)), universe=[0, 1, 2, 4], n=4)
    midhinge = ln.release(Midhinge("pay", bounds=(0, 1_000_000)), people, epsilon=1)
    print(checked)
    print(midhinge.value)
    return checked, midhinge


@app.cell
def _(mo):
    mo.md("""
    ## Before you publish

    - Were bounds, groups and labels chosen without looking at the data?
    - Is a row a person? If not, `unit=` and `max_rows=`.
    - Is there a ledger, so that next month's numbers count with today's?
    - What is not promised: running time, the names of columns, anything published elsewhere.

    Where to go on: the guides of the documentation, by task: tables from a plan, scores of
    models, regressions, graphs, programs of your own, and engines such as DuckDB.
    """)
    return


if __name__ == "__main__":
    app.run()
