"""What the form of a study file cannot say: that its parts fit each other and its numbers hold together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from concord.errors import OptionError, StudyProblem
from concord.files.yaml_file import Path_, YamlFile
from concord.people.studies.catalog import (
    Variable,
    cell_names,
    never_true,
    observed_variables,
    participant_variables,
    suffixes,
)
from concord.people.studies.expressions import Expression, over_members, parse_expression
from concord.people.studies.format import Experiment, Factor, Step, Study
from concord.people.studies.wording import item_texts, limit_of, template, variables_of

RESERVED = frozenset({"answer", "feedback", "round", "size", "age", "profile"})


def check_study(study: Study, document: YamlFile) -> list[StudyProblem]:
    """Check the experiments of a study whose form is right; its tests rely on them and are checked after."""
    problems: list[StudyProblem] = []
    for name in study.experiments:
        problems += _Experiment(study, name, document).check()
    return problems


@dataclass
class _Experiment:
    """The checks of one experiment."""

    study: Study
    name: str
    document: YamlFile
    problems: list[StudyProblem] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    """Factors that a template or a condition uses."""

    @property
    def spec(self) -> Experiment:
        return self.study.experiments[self.name]

    def fault(self, message: str, *path: str | int) -> None:
        self.problems.append(self.document.problem(("experiments", self.name, *path), message))

    def check(self) -> list[StudyProblem]:
        """Run every check; later ones rely on earlier ones."""
        for check in (self.factors, self.counts, self.group, self.steps, self.derived):
            check()
        if not self.problems:
            for name in self.spec.factors:
                if name not in self.used:
                    self.fault(
                        "no text, condition or step uses this factor; use it or delete it", "factors", name
                    )
        return self.problems

    def factors(self) -> None:
        """Check levels, what they bring, and orders."""
        for name, factor in self.spec.factors.items():
            here: Path_ = ("factors", name)
            if name in RESERVED or name in self.spec.items:
                self.fault(f"the name {name!r} is taken; choose another", *here)
            if len(set(factor.names)) < 2:
                self.fault(f"{len(set(factor.names))} level, expected at least 2 different ones", *here)
            if factor.vary == "between" and factor.order is not None:
                told = "a between factor has no order: nobody sees two of its levels; drop 'order'"
                self.fault(f"impossible counterbalancing: {told}", *here, "order")
            if not isinstance(factor.levels, list):
                self.same_fields(name, factor)
            if factor.order == "latin":
                self.latin(name, factor)

    def same_fields(self, name: str, factor: Factor) -> None:
        """Refuse a level that lacks what the other levels bring."""
        every = {field for level in factor.names for field in factor.values(level)}
        for level in factor.names:
            for lack in sorted(every - set(factor.values(level))):
                self.fault(f"lacks {lack!r}, which other levels have", "factors", name, "levels", level)

    def latin(self, name: str, factor: Factor) -> None:
        """Refuse a Latin square that the smallest cell of the paper's design cannot fill."""
        orders = len(factor.names) * (1 if len(factor.names) % 2 == 0 else 2)
        given = self.spec.participants.n
        smallest = min(given.values()) if isinstance(given, dict) else given
        if smallest is not None and smallest < orders:
            told = f"a balanced Latin square of {len(factor.names)} levels has {orders} orders"
            text = f"impossible counterbalancing: {told}, and a cell has {smallest} participants"
            self.fault(text, "factors", name, "order")

    def counts(self) -> None:
        """Check the numbers of participants against the cells."""
        participants, group = self.spec.participants, self.spec.group
        key = "n" if participants.sessions is None else "sessions"
        if (group is None) == (key == "sessions"):
            told = "a group study counts 'sessions', another one counts 'n'"
            self.fault(told, "participants")
        given = participants.n if participants.sessions is None else participants.sessions
        if isinstance(given, dict):
            cells = cell_names(self.spec)
            for cell in given:
                if cell not in cells:
                    self.fault(
                        f"no such cell; expected {', '.join(map(repr, cells))}", "participants", key, cell
                    )
            lacking = [cell for cell in cells if cell not in given]
            if lacking:
                self.fault(f"no number for {', '.join(map(repr, lacking))}", "participants", key)

    def group(self) -> None:
        """Check feedback and roles."""
        group = self.spec.group
        if group is None:
            return
        rounds = [v for v in self.round_variables()]
        shared = {name: v.sample for name, v in self.factor_values().items()}
        for name, text in group.feedback.items():
            found = self.expression(text, {*rounds, *shared}, "group", "feedback", name)
            if found is not None:
                self.try_over(found, dict.fromkeys(rounds, 1.0), shared, "group", "feedback", name)
            shared[name] = 1.0

    def round_variables(self) -> Iterator[str]:
        for step in self.spec.steps:
            for item in step.ask:
                if item in self.spec.items:
                    yield from variables_of(self.spec.items[item], item)

    def factor_values(self) -> dict[str, Variable]:
        return {
            name: v
            for name, v in participant_variables(self.study, self.name).items()
            if v.origin == "factor"
        }

    def try_over(
        self,
        found: Expression,
        member: Mapping[str, float | str],
        shared: Mapping[str, float | str],
        *path: str,
    ) -> None:
        try:
            over_members(found, [member], shared)
        except OptionError as error:
            self.fault(str(error), *path)

    def steps(self) -> None:
        """Check every text and condition, in order: what a text shows must exist by then."""
        asked: set[str] = set()
        for i, step in enumerate(self.spec.steps):
            self.step(i, step, asked)
            asked.update(v for item in step.ask if item in self.spec.items for v in self.answers(item, step))
        for item in self.spec.items:
            if not any(item in step.ask for step in self.spec.steps):
                self.fault("no step asks this item; ask it or delete it", "items", item)

    def answers(self, item: str, step: Step) -> list[str]:
        """Return the variables of an item, bare and by the level it was asked at."""
        bare = list(variables_of(self.spec.items[item], item))
        over = step.over if step.over in self.spec.factors else None
        levels = suffixes(self.spec, over) if over is not None else ()
        return bare + [name + level for name in bare for level in levels]

    def derivable(self, asked: set[str]) -> set[str]:
        """Return the derived variables that can be known once some questions were asked."""
        group = self.spec.group
        if group is not None and group.rounds > 1:
            return set(self.spec.derived)
        variables = participant_variables(self.study, self.name)
        hidden = "profile" if group is not None and group.roles is not None else None
        given = {n for n, v in variables.items() if v.origin in {"factor", "profile"} - {hidden}}
        known = {n: variables[n].sample if n in variables else 1.0 for n in given | asked}
        for name, text in self.spec.derived.items():
            try:
                found = parse_expression(text)
                if found.names <= known.keys() or found(known) is not None:
                    known[name] = 1.0
            except OptionError:
                known[name] = 1.0  # named where derived variables are checked
        return set(known) & set(self.spec.derived)

    def step(self, i: int, step: Step, asked: set[str]) -> None:
        """Check one step."""
        here: Path_ = ("steps", i)
        group = self.spec.group
        for item in step.ask:
            if item not in self.spec.items:
                self.fault(f"there is no item {item!r}; there are {', '.join(self.spec.items)}", *here, "ask")
        roles = None if group is None else group.roles
        if roles is None and step.role is not None:
            self.fault("a role in an experiment without roles", *here, "role")
        elif roles is not None and step.role not in roles:
            self.fault(f"the role is {step.role!r}, expected one of {', '.join(roles)}", *here)
        if step.over is not None:
            self.over(step, here)
        if step.rounds != "every" and (group is None or group.rounds == 1):
            self.fault("there is one round; drop 'rounds'", *here, "rounds")
        if step.when is not None:
            self.condition(step.when, asked, *here, "when")
        scope = self.scope(step, asked)
        self.text(step.text, scope, *here, "text")
        for name in step.ask:
            if name in self.spec.items:
                self.item(name, scope)

    def item(self, name: str, scope: set[str]) -> None:
        """Check the texts of an item, and the variable that limits it."""
        item = self.spec.items[name]
        for text in item_texts(item):
            self.text(text, scope, "items", name)
        limit = limit_of(item)
        if limit is not None and f"answer.{limit}" not in scope:
            there = ", ".join(sorted(n.removeprefix("answer.") for n in scope if n.startswith("answer.")))
            self.fault(f"{limit!r} is no earlier answer; there are {there or 'none'}", "items", name, "max")

    def over(self, step: Step, here: Path_) -> None:
        factor = self.spec.factors.get(str(step.over))
        if factor is None or factor.vary != "within":
            self.fault(f"{step.over!r} is no within factor", *here, "over")
            return
        self.used.add(str(step.over))
        if self.spec.group is not None and self.spec.group.rounds > 1:
            self.fault("a step over a factor cannot be in an experiment with rounds", *here, "over")

    def scope(self, step: Step, asked: set[str]) -> set[str]:
        """Return every name that the texts of a step may show."""
        names = set(self.spec.texts) | {f"answer.{name}" for name in asked}
        names |= {f"answer.{name}" for name in self.derivable(asked)}
        for name, factor in self.spec.factors.items():
            if factor.vary == "between" or step.over == name:
                names |= {name, *(f"{name}.{field}" for field in factor.values(factor.names[0]))}
        if self.spec.group is not None:
            names |= {"size", "round"}
            if step.rounds == "later":
                names |= {f"feedback.{name}" for name in self.spec.group.feedback}
                names |= {f"answer.{v}" for v in self.round_variables()}
        return names

    def text(self, text: str, scope: set[str], *path: str | int) -> None:
        """Check a template; the pieces it is made of are checked with it."""
        try:
            names = set(template(text).names)
            for piece in names & set(self.spec.texts):
                inner = template(self.spec.texts[piece]).names
                if inner & set(self.spec.texts):
                    self.fault("a piece of text cannot hold another piece", "texts", piece)
                names |= inner
        except OptionError as error:
            self.fault(str(error), *path)
            return
        for name in sorted(names - scope):
            shown = ", ".join(sorted(scope)) if scope else "none"
            self.fault(f"{{{name}}} does not exist here; there are {shown}", *path)
        self.used |= {name.partition(".")[0] for name in names}

    def condition(self, text: str, asked: set[str], *path: str | int) -> None:
        known = {v.name for v in self.factor_values().values()} | asked
        variables = participant_variables(self.study, self.name).values()
        known |= {v.name for v in variables if v.origin == "profile"} | self.derivable(asked)
        found = self.expression(text, known, *path)
        if found is not None:
            self.used |= {
                n for n in self.spec.factors if any(v == n or v.startswith(f"{n}_") for v in found.names)
            }
            self.try_on(found, *path)

    def expression(self, text: str, known: set[str], *path: str | int) -> Expression | None:
        """Parse an expression and check its names."""
        try:
            found = parse_expression(text)
        except OptionError as error:
            self.fault(str(error), *path)
            return None
        for name in sorted(found.names - known):
            self.fault(f"{name!r} does not exist here; there are {', '.join(sorted(known))}", *path)
        return None if found.names - known else found

    def try_on(self, found: Expression, *path: str | int) -> None:
        """Evaluate on samples: a word in arithmetic is found here, not in a run."""
        variables = participant_variables(self.study, self.name)
        for step in self.spec.steps:  # a condition inside a round reads the bare names
            for item in step.ask:
                if item in self.spec.items:
                    asked = variables_of(self.spec.items[item], item).items()
                    variables |= {name: Variable(name, words, "answer") for name, words in asked}
        for told in never_true(found, variables):
            self.fault(f"{found.text!r}: {told}", *path)
        try:
            found({name: v.sample for name, v in variables.items()})
        except OptionError as error:
            self.fault(f"{found.text!r}: {error}", *path)

    def derived(self) -> None:
        """Check derived variables, each on those before it."""
        if self.problems:
            return
        variables = participant_variables(self.study, self.name)
        known = set(observed_variables(self.study, self.name))
        for name, text in self.spec.derived.items():
            if name in known:
                self.fault(f"the name {name!r} is taken; choose another", "derived", name)
            found = self.expression(text, known, "derived", name)
            if found is not None:
                self.used |= {v for v in found.names if v in self.spec.factors}
                self.try_on(found, "derived", name)
            known.add(name)
        if self.spec.of_session and self.spec.group is None:
            self.fault("there are no groups; drop 'of_session'", "of_session")
        members = {name: v.sample for name, v in variables.items()}
        for name, text in self.spec.of_session.items():
            found = self.expression(text, {*members}, "of_session", name)
            if found is not None:
                self.try_over(found, members, members, "of_session", name)
            members[name] = 1.0
