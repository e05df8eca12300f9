"""Running a plan: checked against the schema, charged for all tables at once, then drawn."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leastnoise._version import __version__
from leastnoise.document import Section
from leastnoise.errors import LedgerError
from leastnoise.plans.plan import Plan, TablePlan
from leastnoise.record import Release, Releases
from leastnoise.record.flat import promise
from leastnoise.session.batch import Batch, Progress
from leastnoise.session.opening import MAIN_TABLE, open
from leastnoise.statistics import Count

if TYPE_CHECKING:
    from leastnoise.accounting import Balance
    from leastnoise.session.session import Session


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """A released table: its plan, what each group's answers got, the charge, the values."""

    plan: TablePlan
    epsilon: Fraction
    charge: str
    releases: Releases[Any, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The releases of a plan, and their total cost."""

    plan: Plan
    tables: tuple[TableOutcome, ...]
    charge: str
    remaining: str | None

    @property
    def records(self) -> list[Release]:
        """Every record of every table."""
        return [
            record
            for table in self.tables
            for row in table.releases.rows()
            for record in row.records.values()
        ]

    @property
    def unit(self) -> str:
        """The unit of privacy: "row", or the column that identifies persons."""
        return self.records[0].guarantee.scope.unit

    @property
    def spent(self) -> str:
        """The charge for these numbers, and whether it was made now or earlier."""
        again = [bool((record.ledger or {}).get("from_cache")) for record in self.records]
        if not any(again):
            return self.charge
        part = "all" if all(again) else "some"
        return f"{self.charge}; {part} of it before, and served again from the ledger at no charge"

    @property
    def tracked(self) -> str:
        """Whether a ledger was charged, and under which entries."""
        first = self.records[0]
        entries = sorted({record.ledger["entry"] for record in self.records if record.ledger})
        if len(entries) < 2 or self.spent != self.charge:
            return first.tracked
        dataset = (first.ledger or {}).get("dataset")
        return f"charged to the ledger of {dataset!r} as entries {entries[0]} to {entries[-1]}"

    @property
    def promise(self) -> str:
        """One line: what the whole report promises, and whom."""
        return f"Differential privacy with {self.charge} in all; {self.records[0].protects}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the budget, and every table with all its records."""
        return {
            "title": self.plan.title,
            "plan": Path(self.plan.source).name,
            "data": self.plan.file.name,
            "charge": self.charge,
            "spent": self.spent,
            "remaining": self.remaining,
            "protects": self.records[0].protects,
            "not_protected": self.records[0].not_protected,
            "tables": [
                {
                    "name": table.plan.name,
                    "title": table.plan.title,
                    "where": None if table.plan.where is None else str(table.plan.where),
                    "epsilon_per_group": str(table.epsilon),
                    "charge": table.charge,
                    "promise": promise(table.releases),
                    "releases": table.releases.to_dict(),
                }
                for table in self.tables
            ],
            "version": __version__,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Prepared:
    """NOT PRIVATE. A plan whose every table fits the data's schema; nothing is charged or read.

    ``epsilons`` is what each group's answers get, by table.
    """

    plan: Plan
    session: Session
    batch: Batch
    epsilons: dict[str, Fraction]

    @property
    def charge(self) -> Balance:
        """The charge that ``release`` will make."""
        return self.batch.charge()

    def release(self, progress: Progress | None = None) -> Outcome:
        """Charge, read and draw.

        Raises
        ------
        BudgetExceededError
            If the ledger has too little left; nothing is spent then.
        """
        plan, charge = self.plan, str(self.charge)
        costs = {table.name: str(self.batch.charge(table.name)) for table in plan.tables}
        with Section(plan.source, "privacy", {}).locating_errors():
            made = self.batch.release(purpose=plan.purpose, reuse=plan.reuse, progress=progress)
        remaining = None
        if self.session.ledger is not None:
            with suppress(LedgerError):  # what was paid for comes out without it
                remaining = str(self.session.remaining)
        tables = tuple(
            TableOutcome(table, self.epsilons[table.name], costs[table.name], made[table.name])
            for table in plan.tables
        )
        return Outcome(plan, tables, charge, remaining)


@contextmanager
def prepare(plan: Plan) -> Generator[Prepared]:
    """Open the data and check every table of a plan against its schema.

    Parameters
    ----------
    plan : Plan
        From ``load_plan``.

    Yields
    ------
    Prepared
        ``charge`` is what ``release()`` will be charged.

    Raises
    ------
    LeastNoiseError
        Whatever the library raises, with the plan's file and the place in it, before a value is
        read and at no cost.
    """
    with Section(plan.source, "", {}).locating_errors():
        session = open(
            plan.file,
            ledger=plan.ledger,
            dataset=plan.dataset,
            table=MAIN_TABLE if plan.table is None else plan.table,
            relation=plan.relation,
            missing=plan.missing,
            unit=plan.unit,
            max_rows=plan.max_rows,
            **plan.reading,
        )
    with session:
        batch = session.batch()
        weights = sum((table.weight for table in plan.tables), Fraction(0))
        epsilons: dict[str, Fraction] = {}
        for table in plan.tables:
            paid: dict[str, Any] = {"epsilon": table.epsilon}
            if plan.total is not None:
                paid = {"charge": plan.total * table.weight / weights}
            epsilons[table.name] = _add(plan, table, session, batch, paid)
        yield Prepared(plan, session, batch, epsilons)


def _add(
    plan: Plan, table: TablePlan, session: Session, batch: Batch, paid: dict[str, Any]
) -> Fraction:
    """Check rows and statistics one by one first, so that an error names its place."""
    rows: dict[str, Any] = {
        "where": table.where,
        "groups": table.groups,
        "max_groups": table.max_groups,
        "other": table.other,
    }
    with Section(plan.source, table.place, {}).locating_errors():
        epsilon = session.batch().add("rows", {"rows": Count()}, **paid, **rows)
    for asked in table.statistics:
        with Section(plan.source, asked.place, {}).locating_errors():
            session.batch().add(
                asked.name,
                {asked.name: asked.statistic},
                epsilon=epsilon * asked.share,
                mechanisms={} if asked.mechanism is None else {asked.name: asked.mechanism},
                **rows,
            )
    with Section(plan.source, table.place, {}).locating_errors():
        batch.add(
            table.name,
            {asked.name: asked.statistic for asked in table.statistics},
            epsilon=epsilon,
            weights={asked.name: asked.share for asked in table.statistics},
            mechanisms={a.name: a.mechanism for a in table.statistics if a.mechanism is not None},
            **rows,
        )
    return epsilon
