"""Sessions: what is asked next, given what was answered so far.

A session does no asking itself. It says which questions are waiting (those of several members can be asked
at the same time), takes their replies in any order, and knows when it is over: a scripted agent, recorded
replies and a live model drive it the same way.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from concord.people.studies.agents import AgentDesign
from concord.people.studies.expressions import Value, over_members
from concord.people.studies.format import Allocation, Choice, Experiment, Item, Number, Ranking
from concord.people.studies.plan import Member, SessionPlan, StudyPlan
from concord.people.studies.replies import ItemAnswer, ItemOutcome, NoReply, empty_values, read_answers
from concord.people.studies.wording import (
    Compiled,
    CompiledStep,
    compile_experiment,
    form_of,
    in_words,
    render_items,
    template,
)
from concord.records import AnswerForm, Message

Agent = Callable[["Question"], str | None]
"""A scripted agent: a question to a reply (``None``: no reply)."""


@dataclass(frozen=True, slots=True)
class Question:
    """One message that waits for a reply."""

    id: str
    session: "Session"
    member: Member
    step: CompiledStep
    level: str | None
    """The level of the within factor the step is asked over."""
    round: int

    @property
    def condition(self) -> Mapping[str, str]:
        """Return the levels of all factors in force."""
        over = self.step.spec.over
        own = {} if over is None or self.level is None else {over: self.level}
        return {**self.session.plan.cell, **own}

    @property
    def items(self) -> tuple[tuple[str, Item], ...]:
        """Return the items asked, with their names."""
        return self.session.items(self)

    @property
    def forms(self) -> tuple[AnswerForm, ...]:
        """Return the answers that are asked for, item by item."""
        return self.session.forms(self)

    @property
    def messages(self) -> tuple[Message, ...]:
        """Write everything that is sent: who the participant is, what was said before, the question."""
        return self.session.messages(self)

    def order_of(self, item: str) -> tuple[str, ...]:
        """Return the options of an item in the order this participant sees them."""
        return _order_shown(self.step, self.member, item)


@dataclass(frozen=True, slots=True)
class TurnReply:
    """One reply and what was read from it; a question that could not be asked has none."""

    id: str
    condition: Mapping[str, str]
    """Levels of the factors between participants."""
    reply: str | None
    answers: tuple[tuple[str, ItemAnswer], ...]
    """Items with their full names (the level of a within factor, or the round, appended)."""
    prompt: str | None = None
    """The question as it was put; ``None`` where it could not be asked."""
    told: str | None = None
    """Who the participant was told to be, where the design says so."""


def _order_shown(step: CompiledStep, member: Member, name: str) -> tuple[str, ...]:
    item = dict(step.items)[name]
    listed = tuple(item.options) if isinstance(item, Choice | Ranking) else ()
    return member.orders.get(name, listed)


@dataclass(slots=True)
class _Seat:
    """What is known of one member."""

    member: Member
    turns: list[tuple[CompiledStep, str | None]] = field(default_factory=list)
    at: int = 0
    current: dict[str, Value] = field(default_factory=dict)
    """Latest value of every bare name, for templates and conditions."""
    values: dict[str, Value] = field(default_factory=dict)
    """Every variable under its full name."""
    unread: set[str] = field(default_factory=set)
    """Variables whose answer could not be read."""
    said: list[tuple[Question, str]] = field(default_factory=list)
    between: dict[str, tuple[Message, ...]] = field(default_factory=dict)
    """What was said between a question and the reply that counts, where it was asked again."""


class Session:
    """A session in progress.

    Parameters
    ----------
    plan
        Who takes part, and in which condition.
    compiled
        The experiment.
    design
        How members are told who they are.
    """

    def __init__(self, plan: SessionPlan, compiled: Compiled, design: AgentDesign) -> None:
        self.plan, self.compiled, self.design = plan, compiled, design
        self.outcomes: Counter[tuple[str, str | None, ItemOutcome]] = Counter()
        """Answers by item, level of the within factor it was asked over, and outcome."""
        self.given: list[TurnReply] = []
        """Every reply in the order it came."""
        self.round = 1
        self.feedback: dict[str, Value] = {}
        self.ended_early = False
        """A round without a single known answer leaves nothing to give feedback on."""
        self._given = dict(cell_values(compiled.spec, plan.cell))
        self._seats = [_Seat(member) for member in plan.members]
        self._roles = compiled.spec.group is not None and compiled.spec.group.roles is not None
        self._waiting: dict[str, tuple[Question, _Seat]] = {}
        self._texts: dict[str, str] = {}
        self._begin_round()
        self._settle()

    @property
    def done(self) -> bool:
        """Nothing more will be asked."""
        return not self._waiting

    def waiting(self) -> tuple[Question, ...]:
        """Return the questions that can be asked now, in the order of the members."""
        return tuple(question for question, _ in self._waiting.values())

    def answer(self, question_id: str, reply: str | None) -> None:
        """Take a reply to a waiting question.

        Parameters
        ----------
        question_id
            Its id; one that does not wait is a ``KeyError``.
        reply
            The text; ``None`` where there is none.
        """
        question, seat = self._waiting[question_id]
        member = question.member
        prompt = self._text(question, seat)  # before the answer changes what templates read
        asked, read = self._asked(question), self.read(question, reply)
        del self._waiting[question_id]
        noted = [
            self._note(seat, name, item, answer, question.level)
            for (name, item, _), answer in zip(asked, read, strict=True)
        ]
        self.given.append(
            TurnReply(question_id, self.plan.cell, reply, tuple(noted), prompt, self._told(member))
        )
        if reply is not None:
            seat.said.append((question, reply))
        seat.at += 1
        if self._roles or not self._waiting:
            self._settle()
        elif seat.at < len(seat.turns):
            self._next(seat)
            if not self._waiting:
                self._settle()

    def _asked(self, question: Question) -> list[tuple[str, Item, tuple[str, ...]]]:
        """Return the items of a question with their options in the order shown."""
        return [(name, item, question.order_of(name)) for name, item in self.items(question)]

    def read(self, question: Question, reply: str | None) -> list[ItemAnswer]:
        """Read a reply to a waiting question, item by item; the session stays as it is."""
        seat = self._seat(question)
        asked = [
            (name, self._as_shown(item, question, seat), order) for name, item, order in self._asked(question)
        ]
        return read_answers(reply, asked)

    def forms(self, question: Question) -> tuple[AnswerForm, ...]:
        """Return the answers that a waiting question asks for."""
        scope = self._scope(question, self._seat(question))
        return tuple(form_of(item, order, scope) for _, item, order in self._asked(question))

    def asked_again(self, question_id: str, between: tuple[Message, ...]) -> None:
        """Take what was said between a waiting question and the reply that counts."""
        _, seat = self._waiting[question_id]
        seat.between[question_id] = between

    def _note(
        self, seat: _Seat, name: str, item: Item, answer: ItemAnswer, level: str | None
    ) -> tuple[str, ItemAnswer]:
        """Keep an answer under its bare and its full name; give it under the full one."""
        self.outcomes[name, level, answer.outcome] += 1
        suffix = f"_{level}" if level is not None else f"_{self.round}" if self.compiled.rounds > 1 else ""
        values = {**empty_values(item, name), **answer.values}
        seat.current.update(values)
        full = {variable + suffix: value for variable, value in values.items()}
        seat.values.update(full)
        if answer.reading is not None and not answer.reading.ok:
            seat.unread.update(full)
        return name + suffix, replace(answer, values=full)

    def _begin_round(self) -> None:
        for seat in self._seats:
            seat.turns, seat.at = list(self._turns(seat.member)), 0

    def _turns(self, member: Member) -> Iterator[tuple[CompiledStep, str | None]]:
        for step in self.compiled.steps:
            wanted = {"every": True, "first": self.round == 1, "later": self.round > 1}[step.spec.rounds]
            if not wanted or (step.spec.role is not None and step.spec.role != member.role):
                continue
            levels = (None,) if step.spec.over is None else member.orders[step.spec.over]
            for level in levels:
                yield step, level

    def _settle(self) -> None:
        """Go on until a question waits or everything is over."""
        while not self._waiting:
            if self._roles:
                left = [seat for seat in self._seats if seat.at < len(seat.turns)]
                seat = min(left, key=lambda seat: seat.turns[seat.at][0].index, default=None)
                if seat is None:
                    return
                self._next(seat)
                continue
            for seat in self._seats:
                self._next(seat)
            if self._waiting or not self._end_round():
                return

    def _next(self, seat: _Seat) -> None:
        """Put a member's next question on the list; steps that do not apply are passed over."""
        while seat.at < len(seat.turns):
            step, level = seat.turns[seat.at]
            if self._applies(step, seat):
                if self._can_show(step, seat):
                    question = Question(
                        self._id(seat, step, level), self, seat.member, step, level, self.round
                    )
                    self._waiting[question.id] = (question, seat)
                    if step.shows or self.round > 1:
                        self._text(question, seat)  # written now: what it shows may change later
                    return
                untold = ItemAnswer(NoReply.NOT_ASKED, {})
                passed = tuple(self._note(seat, name, item, untold, level) for name, item in step.items)
                self.given.append(TurnReply(self._id(seat, step, level), self.plan.cell, None, passed))
            seat.at += 1
            if self._roles:
                return

    def _applies(self, step: CompiledStep, seat: _Seat) -> bool:
        if step.when is None:
            return True
        profile = _as_values(seat.member.profile)
        return step.when({**profile, **self._known(seat)}) == 1.0

    def _known(self, seat: _Seat) -> dict[str, Value]:
        """Return what a member may be shown: its own answers, with roles those of all, and what they give."""
        values: dict[str, Value] = dict(self._given)
        if not self._roles:
            values |= _as_values(seat.member.profile)
        for one in self._seats if self._roles else (seat,):
            values |= one.values
        for one in self._seats if self._roles else (seat,):
            values |= one.current
        for name, expression in self.compiled.derived:
            values[name] = expression(values)
        return values

    def _can_show(self, step: CompiledStep, seat: _Seat) -> bool:
        if not step.shows:
            return True
        known = self._known(seat)
        return all(known.get(name) is not None for name in step.shows)

    def _items(self, step: CompiledStep, seat: _Seat) -> Iterator[tuple[str, Item]]:
        """Return the items of a step, limits that depend on earlier answers put in."""
        for name, item in step.items:
            if isinstance(item, Number) and isinstance(item.max, str):
                limit = self._known(seat)[item.max]
                yield name, item.model_copy(update={"max": limit})
            else:
                yield name, item

    def _as_shown(self, item: Item, question: Question, seat: _Seat) -> Item:
        """Return an item with the words of its options as the participant saw them."""
        key = "to" if isinstance(item, Allocation) else "options"
        if not isinstance(item, Allocation | Choice | Ranking) or not any(
            "{" in text for text in getattr(item, key).values()
        ):
            return item
        scope = self._scope(question, seat)
        shown = {name: template(text).fill(scope) for name, text in getattr(item, key).items()}
        return item.model_copy(update={key: shown})

    def _id(self, seat: _Seat, step: CompiledStep, level: str | None) -> str:
        over = "" if level is None else f"@{level}"
        round_ = f"#{self.round}" if self.compiled.rounds > 1 else ""
        return f"{self.plan.id}/{seat.member.number}/{step.index + 1}{over}{round_}"

    def _end_round(self) -> bool:
        """Compute feedback from all members; True when another round begins."""
        if self.compiled.feedback:
            members = [seat.current for seat in self._seats]
            shared: dict[str, Value] = dict(self._given)
            for name, expression in self.compiled.feedback:
                shared[name] = self.feedback[name] = over_members(expression, members, shared)
                for seat in self._seats:
                    seat.values[f"{name}_{self.round}" if self.compiled.rounds > 1 else name] = shared[name]
        if self.round >= self.compiled.rounds:
            return False
        if any(value is None for value in self.feedback.values()):
            self.ended_early = True
            return False
        self.round += 1
        self._begin_round()
        return True

    def _seat(self, question: Question) -> _Seat:
        return next(seat for seat in self._seats if seat.member is question.member)

    def items(self, question: Question) -> tuple[tuple[str, Item], ...]:
        """Return the items of a question as this participant gets them."""
        return tuple(self._items(question.step, self._seat(question)))

    def _told(self, member: Member) -> str | None:
        return self.design.system(member.profile, self.compiled.population)

    def messages(self, question: Question) -> tuple[Message, ...]:
        """Write everything that is sent for a question."""
        seat = self._seat(question)
        system = self._told(question.member)
        sent = [] if system is None else [Message("system", system)]
        for earlier, reply in seat.said:
            between = seat.between.get(earlier.id, ())
            sent += [Message("user", self._text(earlier, seat)), *between, Message("assistant", reply)]
        return (*sent, Message("user", self._text(question, seat)))

    def _text(self, question: Question, seat: _Seat) -> str:
        if question.id not in self._texts:
            scope = self._scope(question, seat)
            text = template(question.step.spec.text).fill(scope).rstrip()
            items = [(item, question.order_of(name)) for name, item in self._items(question.step, seat)]
            asked = render_items(items, scope, line=self.design.answer_line)
            self._texts[question.id] = f"{text}\n\n{asked}"
        return self._texts[question.id]

    def _scope(self, question: Question, seat: _Seat) -> dict[str, str]:
        scope = dict(_condition_scope(self.compiled.spec, question.condition))
        scope |= {"size": str(len(self._seats)), "round": str(question.round)}
        scope |= {
            f"feedback.{n}": in_words(_two_places(v)) for n, v in self.feedback.items() if v is not None
        }
        if question.step.shows:
            known = self._known(seat)
            for name in question.step.shows:
                value = known[name]
                scope[f"answer.{name}"] = "" if value is None else in_words(_two_places(value))
        for name, piece in self.compiled.texts.items():
            if piece.names <= scope.keys():
                scope[name] = piece.fill(scope)
        return scope

    def rows(self) -> list[dict[str, Value]]:
        """Return the variables of every participant (with roles: of the pair), when the session is over."""
        common = dict(self._given)
        if self._roles:
            merged = {name: value for seat in self._seats for name, value in seat.values.items()}
            return [self._row({**common, **merged})]
        return [
            self._row({**common, **_as_values(seat.member.profile), **seat.values}) for seat in self._seats
        ]

    def unread(self) -> list[frozenset[str]]:
        """Return the variables that could not be read, for each of the `rows`."""
        if self._roles:
            return [frozenset().union(*(seat.unread for seat in self._seats))]
        return [frozenset(seat.unread) for seat in self._seats]

    def _row(self, values: dict[str, Value]) -> dict[str, Value]:
        for name, expression in self.compiled.derived:
            values[name] = expression(values)
        return values

    def session_row(self) -> dict[str, Value]:
        """Return the variables of the group."""
        members = self.rows()
        shared = {name: value for name, value in members[0].items() if name in self._group_names()}
        for name, expression in self.compiled.of_session:
            shared[name] = over_members(expression, members, shared)
        return shared

    def _group_names(self) -> set[str]:
        rounds = range(1, self.compiled.rounds + 1)
        told = {f"{name}_{r}" for name, _ in self.compiled.feedback for r in rounds}
        return set(self._given) | told | {name for name, _ in self.compiled.feedback}


def _two_places(value: Value) -> str | float:
    return value if isinstance(value, str) else round(0.0 if value is None else value, 2)


def _as_values(profile: Mapping[str, str | int]) -> dict[str, Value]:
    return {name: value if isinstance(value, str) else float(value) for name, value in profile.items()}


def cell_values(spec: Experiment, cell: Mapping[str, str]) -> Iterator[tuple[str, Value]]:
    """Return the levels of the between factors of a cell, and the numbers they bring."""
    for factor, level in cell.items():
        yield factor, level
        for name, value in spec.factors[factor].values(level).items():
            if isinstance(value, int | float):
                yield f"{factor}_{name}", float(value)


def _condition_scope(spec: Experiment, condition: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for factor, level in condition.items():
        yield factor, level.replace("_", " ")
        for name, value in spec.factors[factor].values(level).items():
            yield f"{factor}.{name}", in_words(value)


def sessions_of(plan: StudyPlan) -> Iterator[Session]:
    """Open every session of a plan, one after another."""
    compiled = {
        name: compile_experiment(spec, plan.study.population_of(name))
        for name, spec in plan.study.experiments.items()
    }
    for session in plan.sessions:
        yield Session(session, compiled[session.experiment], plan.design)


def hold(session: Session, agent: Agent) -> Session:
    """Run a session to its end with a scripted agent."""
    while not session.done:
        for question in session.waiting():
            session.answer(question.id, agent(question))
    return session


def replaying(replies: Mapping[str, str] | Mapping[str, str | None]) -> Agent:
    """Make an agent of recorded replies, by question id."""
    return lambda question: replies.get(question.id)
