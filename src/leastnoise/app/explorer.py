# pyright: basic
# marimo's cells are functions whose parameters it fills by name; they have no types.
"""The notebook that ``leastnoise explore`` serves: fields, and what ``view`` makes of them."""

import marimo

app = marimo.App(
    width="medium", app_title="leastnoise: explore a public file", css_file="explorer.css"
)


@app.cell
def _():
    import json

    import marimo as mo

    from leastnoise.app import view
    from leastnoise.cli.compare import ScalarName
    from leastnoise.frames import open_table

    given = json.loads(str(mo.cli_args().get("given")))
    columns = list(open_table(given["file"], **given["reading"]).column_names() or ())
    if not columns:  # a file without a header
        columns = [f"column_{i}" for i in range(1, 21)]
    return ScalarName, columns, given, mo, view


@app.cell
def _(ScalarName, columns, mo, view):
    def text(value, label):
        return mo.ui.text(value, label=label, full_width=True)

    def choose(options, value, label):
        return mo.ui.dropdown(
            options, value=value, label=label, allow_select_none=False, full_width=True
        )

    from leastnoise.cli.comparison import MECHANISMS

    column = choose(columns, columns[0], "Column")
    statistic = choose(ScalarName.__args__, "median", "Statistic")
    low = text("", "Lower bound")
    high = text("", "Upper bound")
    epsilon = text("1", "epsilon")
    q = text("0.9", "Order of a quantile")
    relation = choose(["replace-one", "add-remove", "edit"], "replace-one", "Relation")
    missing = text("", "Missing: drop, none, a number")
    step = text("", "Spacing of values, if known")
    mechanism = choose([view.BEST, *MECHANISMS], view.BEST, "Mechanism of law and code")
    return column, epsilon, high, low, mechanism, missing, q, relation, statistic, step


@app.cell
def _(column, epsilon, high, low, mechanism, missing, mo, q, relation, statistic, step, view):
    fields = (column, statistic, low, high, epsilon, q, relation, missing, step, mechanism)
    mo.Html(
        '<section role="region" aria-label="Choices"><h1>Explore a public file</h1>'
        f"{view.notice()}"
        f'<div class="fields">{"".join(f"<div>{one}</div>" for one in fields)}</div></section>'
    )
    return


@app.cell
def _(
    column, epsilon, given, high, low, mechanism, missing, mo, q, relation, statistic, step, view
):
    shown = view.view(
        view.Choices(
            file=given["file"],
            reading=given["reading"],
            column=column.value,
            statistic=statistic.value,
            low=low.value,
            high=high.value,
            epsilon=epsilon.value,
            q=q.value,
            relation=relation.value,
            missing=missing.value,
            step=step.value,
            mechanism=mechanism.value,
        )
    )
    mo.Html(f'<main aria-live="polite">{shown.html}</main>')
    return


if __name__ == "__main__":
    app.run()
