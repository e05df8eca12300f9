"""The error that every check of this room raises: what was claimed, and the data that refute it."""

from __future__ import annotations

from leastnoise.errors import LeastNoiseError, ParameterTypeError


class PrivacyViolation(LeastNoiseError, AssertionError):
    """A claim on which a guarantee rests is false; the message holds a counterexample.

    The checks run on data sets that they make up, so values may be shown here. No other error of
    this library shows one.

    Attributes
    ----------
    subject : str
        What was checked.
    law : str
        The claim that failed, such as "neighbour law".
    detail : str
        How it failed, in the message.
    facts : dict
        The counterexample: data sets, level and numbers by name.
    """

    def __init__(self, subject: str, law: str, detail: str, **facts: object) -> None:
        lines = [f"{subject} breaks {law!r}: {detail}"]
        lines += [f"  {name} = {value}" for name, value in facts.items()]
        super().__init__("\n".join(lines))
        self.subject, self.law, self.detail, self.facts = subject, law, detail, facts


def check_kind(value: object, name: str, method: str) -> None:
    """Refuse what lacks the method by which a parameter is used, and a class for an object."""
    if isinstance(value, type) or not hasattr(value, method):
        raise ParameterTypeError(f"{name} must be an object with {method}(), got {value!r}")


class Subject:
    """What is being checked, so that every failure names it in the same way."""

    __slots__ = ("facts", "name")

    def __init__(self, name: str, **facts: object) -> None:
        self.name, self.facts = name, facts

    def violation(self, law: str, detail: str, **facts: object) -> PrivacyViolation:
        """The error for one broken law."""
        return PrivacyViolation(self.name, law, detail, **self.facts, **facts)

    def within(self, **facts: object) -> Subject:
        """The same subject under further circumstances."""
        return Subject(self.name, **self.facts, **facts)
