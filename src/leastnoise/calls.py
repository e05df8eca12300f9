"""Calls that do not fit the parameters of a function: what is wrong, and what would fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature

from leastnoise._lazy import meant

# How to write a parameter.
_EXAMPLES = {
    "bounds": "(lower, upper)",
    "epsilon": "1",
    "metric": '"accuracy", "r2" or another scorer of scikit-learn',
}


def misfit(
    call: Callable[..., object],
    name: str,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    suggested: Iterable[str] | None,
) -> str:
    """The error of a call that does not fit its parameters; see ``leastnoise.params.explained``."""
    every = signature(call).parameters
    known = {x: one for x, one in every.items() if x not in ("self", "options")}
    takes = f"it takes {', '.join(f'{x}=' for x in known) or 'nothing'}"
    for x in kwargs if "options" not in every else ():
        if x not in known:
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
        likely = missing if suggested is None else [*missing, *suggested, *known]
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
