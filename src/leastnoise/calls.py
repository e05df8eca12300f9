"""Calls that do not fit the parameters of a function: what is wrong, and what would fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from leastnoise._lazy import meant

# How to write a parameter.
_EXAMPLES = {
    "bounds": "(lower, upper)",
    "epsilon": "1",
    "delta": "'1e-9'",
    "metric": '"accuracy", "r2" or another scorer of scikit-learn',
}

# Of a statistic these go into its release.
_IN_RELEASE = frozenset(
    ("epsilon", "unit", "relation", "mechanism", "max_rows", "weights", "dataset", "ledger")
)
_SEED = "releases are random; leastnoise.testing.simulate(seed) makes those of public data repeat"
# Where a parameter goes that many calls of this or other libraries have.
_GOES = {
    **dict.fromkeys(
        ("where", "filter", "condition", "mask"),
        "rows are chosen before: leastnoise.open(data).where(leastnoise.col('age') >= 18)",
    ),
    **dict.fromkeys(
        ("group_by", "groupby", "by"),
        "groups are made before: leastnoise.open(data).group_by({'town': ['N', 'S']})",
    ),
    **dict.fromkeys(("random_state", "seed", "rng"), _SEED),
    "delta": "it goes into ApproxDP(epsilon, delta), and to the mechanism Gaussian()",
    "accountant": "leastnoise.open(data, ledger=, dataset=) keeps account of what is released",
    "sensitivity": "sensitivities are computed and not given",
    "scale": "the scale of noise follows from the statistic and epsilon, and is not given",
    "epsilon": "it goes into the release, leastnoise.release(statistic, data, epsilon=1)",
    "ddof": "it is the variance of the rows, with n and not n - 1 below; the sample's is "
    "n / (n - 1) times as large",
    "axis": "a statistic is of one column: name it",
    **dict.fromkeys(("skipna", "nan_policy"), "missing entries are handled by missing="),
    "density": "divide the released counts by their sum",
    "normalize": "of counts, divide the released ones by their sum; features of a model are scaled "
    "by public numbers before",
    **dict.fromkeys(("alpha", "confidence", "confidence_level"), "give level=0.95, the chance that "
                    "the interval holds"),
    **dict.fromkeys(("percentile", "quantile"), "give q=0.9 for the 90th percentile"),
    **dict.fromkeys(("clamp", "clip", "clamping_bounds", "clipping"), "values are clipped to "
                    "bounds=(lower, upper)"),
    "range": "give the edges, bins=[0, 18, 65, 120], or for a mean bounds=(lower, upper)",
    "value": "rows with a label are counted by leastnoise.open(data).where("
    "leastnoise.col('town') == 'N'), or all labels by Histogram(categories=[...])",
    # of estimators
    "data_norm": "features are limited one by one: give bounds=(lower, upper), numbers or a list "
    "of one for each",
    "bounds_X": "give it as bounds=",
    "bounds_y": "give it as target_bounds=",
    **dict.fromkeys(
        ("max_iter", "tol", "solver", "warm_start", "n_jobs", "verbose", "dual", "copy_X"),
        "there are no iterations, threads or messages to control: leave it out",
    ),
    "l1_ratio": "a minimiser is found from second derivatives, which such a penalty has none of: "
    "leave it out; PrivateLinearRegression has alpha= and l1_ratio=",
    "positive": "coefficients are not limited on one side: leave it out",
    **dict.fromkeys(
        ("C", "penalty"),
        "PrivateLinearRegression has alpha= and l1_ratio=, PrivateLogisticRegression "
        "penalty= and C=",
    ),
    "class_weight": "only PrivateLogisticRegression has classes",
    "sample_weight": "a weight multiplies what one row can change, and noise is scaled to rows of "
    "weight 1: leave it out",
    "multi_class": "with more than two classes each has a model against the rest: leave it out",
    "intercept_scaling": "the intercept is not penalised: leave it out",
}  # fmt: skip

# The same for one call alone, and what else a call takes by the name of its ``options``.
_ONLY = {
    ("create", "epsilon"): "give budget=leastnoise.PureDP(1)",
    ("create", "delta"): "give budget=leastnoise.ApproxDP(1, '1e-9')",
    ("create", "rho"): "give budget=leastnoise.ZCDP('1/2')",
    ("open", "dataset"): "it goes into leastnoise.open(data, ledger=, dataset=)",
    ("open", "readonly"): "leave it out: opening charges nothing",
    ("check", "epsilon"): "a check is not private, and nothing is charged",
    ("simulate", "random_state"): "give simulate(1)",
}
_ALSO = {"private_score": ", and parameters of the statistic such as bounds="}


def misfit(
    call: Callable[..., object],
    name: str,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    suggested: Iterable[str] | None,
) -> str:
    """The error of a call that does not fit its parameters; see ``explained``."""
    from inspect import signature  # only for an error

    every = signature(call).parameters
    known = {x: one for x, one in every.items() if x not in ("self", "cls", "options")}
    takes = f"it takes {', '.join(f'{x}=' for x in known) or 'nothing'}"
    takes += _ALSO.get(name, "")
    for x in kwargs if "options" not in every else ():
        if x not in known:
            if name == "group_by":
                return f"keys stand in a mapping: group_by({{{x!r}: ['N', 'S']}}); {takes}"
            if name == "where":
                return f"a condition is written with col: where(leastnoise.col({x!r}) == ...)"
            if (name, x) in _ONLY:
                return f"{name} has no parameter {x}=: {_ONLY[name, x]}; {takes}"
            if suggested is not None and x in _IN_RELEASE:
                also = "" if x == "epsilon" else f", {x}=..."
                call_it = f"leastnoise.release({name}(...), data, epsilon=1{also})"
                return f"{name} has no parameter {x}=: it goes into the release, {call_it}; {takes}"
            if x in _GOES:
                return f"{name} has no parameter {x}=: {_GOES[x]}; {takes}"
            near = meant(x, known)
            hint = f" (did you mean {near}=?)" if near else ""
            return f"{name} has no parameter {x}={hint}; {takes}"
    placed = [x for x, one in every.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    given = {*placed[: len(args)], *kwargs}
    missing = [x for x, one in known.items() if one.default is one.empty and x not in given]
    surplus = args[len(placed) :]
    if surplus:
        named = " and ".join(x for x in placed if x in known) or "nothing"
        wrong = f"{name} takes {named} by position and the rest by name"
        if name == "where":
            return f"{wrong}: join conditions by &, where((...) & (...)); {takes}"
        likely = missing if suggested is None else [*missing, *suggested, *known]
        if placed[-1:] == ["columns"] and type(surplus[0]) is str:
            return f"{wrong}: give columns= as a list of names, ['age', 'pay']; {takes}"
        wanted = next((x for x in likely if x in known and x not in {*placed, *kwargs}), None)
    elif missing:
        wanted = missing[0]
        wrong = f"{name} needs {wanted}="
    else:
        return f"{name} was given one parameter twice; {takes}"
    if wanted is None:
        return f"{wrong}: {takes}"
    shown = surplus and suggested is not None and type(surplus[0]) is float
    example = _EXAMPLES.get(wanted, surplus[0] if shown else "...")
    return f"{wrong}: give {wanted}={example}; {takes}"
