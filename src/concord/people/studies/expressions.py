"""Derived variables: arithmetic and comparison, and nothing else.

An expression is parsed by Python's own grammar into a tree, the tree is checked against a short list of
what may be in it, and is turned into closures. Nothing is ever handed to ``eval``.
"""

import ast
import math
import operator
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from concord.errors import OptionError

Value = float | str | None
"""A number, a word (the level of a factor, the option chosen), or ``None``: not known."""
Values = Mapping[str, Value]
MAX_LENGTH = 1_000
MAX_DEPTH = 60

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
}
_ORDER: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_OF_NUMBERS: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "sum": math.fsum,
    "min": min,
    "max": max,
}
_OF_ONE: dict[str, Callable[[float], float]] = {"abs": abs, "log": math.log, "sqrt": math.sqrt}
FUNCTIONS = (*_OF_NUMBERS, *_OF_ONE, "first")
"""The only names that may be called; ``first(a, b)`` is the first of its arguments that is known."""
_ALLOWED = (
    "expected numbers, names, words in quotes, + - * / % **, comparisons, and, or, not, "
    f"and the functions {', '.join(FUNCTIONS)}"
)
_Node = Callable[[Values], Value]


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression."""

    text: str
    names: frozenset[str]
    """Every variable it reads."""
    words: frozenset[tuple[str, str]]
    """Every variable that it compares with a word, and the word."""
    _run: _Node

    def __call__(self, values: Values) -> Value:
        """Return the value; ``None`` where a variable it needs is not known or the result does not exist."""
        try:
            result = self._run(values)
        except (ZeroDivisionError, OverflowError, ValueError, statistics.StatisticsError):
            return None
        if isinstance(result, float) and not math.isfinite(result):
            return None
        return result


def parse_expression(text: str) -> Expression:
    """Parse an expression."""
    if len(text) > MAX_LENGTH:
        raise OptionError(f"{text[:40]!r}...: {len(text)} characters, expected at most {MAX_LENGTH}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        raise OptionError(f"{text!r} is not an expression; {_ALLOWED}") from fault
    names: set[str] = set()
    words: set[tuple[str, str]] = set()
    run = _Compiler(text, names, words).node(tree.body, 0)
    return Expression(text, frozenset(names), frozenset(words), run)


@dataclass(frozen=True, slots=True)
class _Compiler:
    """Turns a tree into closures; what is not on the list is refused by name."""

    text: str
    names: set[str]
    words: set[tuple[str, str]]

    def refuse(self, what: str) -> OptionError:
        """Make the error for something that may not be in an expression."""
        return OptionError(f"{self.text!r}: {what} is not allowed; {_ALLOWED}")

    def node(self, tree: ast.expr, depth: int) -> _Node:
        """Compile one node."""
        if depth > MAX_DEPTH:
            raise self.refuse(f"nesting of more than {MAX_DEPTH}")
        match tree:
            case ast.Constant(value=value):
                return self.constant(value)
            case ast.Name(id=name):
                self.names.add(name)
                return lambda values: values.get(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _arithmetic(_BINARY[type(op)], self.node(left, depth + 1), self.node(right, depth + 1))
            case ast.UnaryOp(op=op, operand=operand):
                return self.unary(op, self.node(operand, depth + 1))
            case ast.Compare():
                return self.comparison(tree, depth)
            case ast.BoolOp(op=op, values=parts):
                return _logic([self.node(part, depth + 1) for part in parts], decides=isinstance(op, ast.Or))
            case ast.Call():
                return self.call(tree, depth)
        raise self.refuse(_kind(tree))

    def constant(self, value: object) -> _Node:
        """Compile a number or a word."""
        if isinstance(value, str):
            return lambda values: value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse(repr(value))
        if isinstance(value, int) and abs(value) > 10**15:
            raise self.refuse("a number beyond 10^15")
        number = float(value)
        return lambda values: number

    def unary(self, op: ast.unaryop, operand: _Node) -> _Node:
        """Compile a sign or a negation."""
        if isinstance(op, ast.Not):
            return lambda values: None if (x := _truth(operand(values))) is None else float(not x)
        if isinstance(op, ast.USub):
            return lambda values: None if (x := _not_a_word(operand(values))) is None else -x
        if isinstance(op, ast.UAdd):
            return lambda values: _not_a_word(operand(values))
        raise self.refuse("this sign")

    def comparison(self, tree: ast.Compare, depth: int) -> _Node:
        """Compile a comparison of two values: words for equality, numbers for order."""
        if len(tree.ops) != 1:
            raise self.refuse("a chain of comparisons (write a < b and b < c)")
        left, right = self.node(tree.left, depth + 1), self.node(tree.comparators[0], depth + 1)
        op = tree.ops[0]
        if isinstance(op, ast.Eq | ast.NotEq):
            self.words.update(_compared_values(tree.left, tree.comparators[0]))
            return _equality(left, right, wanted=isinstance(op, ast.Eq))
        if type(op) in _ORDER:
            return _arithmetic(_ORDER[type(op)], left, right)
        raise self.refuse("this comparison")

    def call(self, tree: ast.Call, depth: int) -> _Node:
        """Compile one of the few functions."""
        name = tree.func.id if isinstance(tree.func, ast.Name) else _kind(tree.func)
        if name not in FUNCTIONS:
            raise self.refuse(f"the call of {name!r}")
        if tree.keywords or not tree.args or any(isinstance(arg, ast.Starred) for arg in tree.args):
            raise self.refuse(f"{name} with such arguments")
        arguments = [self.node(arg, depth + 1) for arg in tree.args]
        if name == "first":
            return lambda values: next((x for f in arguments if (x := f(values)) is not None), None)
        if name in _OF_ONE:
            if len(arguments) != 1:
                raise self.refuse(f"{name} of {len(arguments)} values")
            of_one = _OF_ONE[name]
            return lambda values: None if (x := _not_a_word(arguments[0](values))) is None else of_one(x)
        return _many(_OF_NUMBERS[name], arguments)


def _compared_values(left: ast.expr, right: ast.expr) -> Iterator[tuple[str, str]]:
    """Return the variable and the word of a comparison of the two, whichever is first."""
    for name, word in ((left, right), (right, left)):
        if isinstance(name, ast.Name) and isinstance(word, ast.Constant) and isinstance(word.value, str):
            yield name.id, word.value


def _not_a_word(value: Value) -> float | None:
    if isinstance(value, str):
        raise OptionError(f"{value!r} is a word, not a number")
    return value


def _truth(value: Value) -> bool | None:
    number = _not_a_word(value)
    return None if number is None else number != 0


def _arithmetic(of: Callable[[float, float], float], left: _Node, right: _Node) -> _Node:
    def run(values: Values) -> Value:
        a, b = _not_a_word(left(values)), _not_a_word(right(values))
        if a is None or b is None:
            return None
        result = of(a, b)
        return None if isinstance(result, complex) else float(result)

    return run


def _equality(left: _Node, right: _Node, *, wanted: bool) -> _Node:
    def run(values: Values) -> Value:
        a, b = left(values), right(values)
        return None if a is None or b is None else float((a == b) is wanted)

    return run


def _logic(parts: list[_Node], *, decides: bool) -> _Node:
    """Compile ``or`` (decided by a true part) or ``and`` (by a false one); unknown stays unknown."""

    def run(values: Values) -> Value:
        truths = [_truth(part(values)) for part in parts]
        if decides in truths:
            return float(decides)
        return None if None in truths else float(not decides)

    return run


def _many(of: Callable[[Sequence[float]], float], arguments: list[_Node]) -> _Node:
    def run(values: Values) -> Value:
        numbers = [_not_a_word(argument(values)) for argument in arguments]
        known = [x for x in numbers if x is not None]
        return float(of(known)) if len(known) == len(numbers) else None

    return run


def _kind(tree: ast.AST) -> str:
    """Name a kind of node as a writer of studies would."""
    words = {
        "Attribute": "an attribute (a dot)",
        "Subscript": "an index (square brackets)",
        "Lambda": "a function",
        "ListComp": "a loop",
        "GeneratorExp": "a loop",
        "List": "a list",
        "Tuple": "a tuple",
        "Dict": "a mapping",
        "IfExp": "if ... else",
        "JoinedStr": "a format string",
        "NamedExpr": "an assignment",
        "BinOp": "this operator",
    }
    name = type(tree).__name__
    return words.get(name, name)


def over_members(expression: Expression, members: Sequence[Values], shared: Values) -> Value:
    """Evaluate an expression over a group."""
    # ``mean(guess)`` is the mean over all members whose guess is known; a name outside such a function is a
    # value the members share (a factor, feedback computed before).
    tree = ast.parse(expression.text.strip(), mode="eval").body
    known: dict[str, Value] = dict(shared)
    replaced = _Aggregates(members, shared, known).visit(tree)
    return parse_expression(ast.unparse(replaced))(known)


class _Aggregates(ast.NodeTransformer):
    """Computes every call of an aggregate over the members and puts a name in its place."""

    def __init__(self, members: Sequence[Values], shared: Values, known: dict[str, Value]) -> None:
        self.members, self.shared, self.known = members, shared, known

    def visit_Call(self, tree: ast.Call) -> ast.AST:  # noqa: N802 - the name is given by ast
        """Compute mean, median, sum, min and max of one argument over the members."""
        if not (isinstance(tree.func, ast.Name) and tree.func.id in _OF_NUMBERS and len(tree.args) == 1):
            return self.generic_visit(tree)
        inner = parse_expression(ast.unparse(tree.args[0]))
        found = [_not_a_word(inner({**self.shared, **member})) for member in self.members]
        numbers = [x for x in found if x is not None]
        name = f"over_members_{len(self.known)}"
        self.known[name] = float(_OF_NUMBERS[tree.func.id](numbers)) if numbers else None
        return ast.Name(name, ast.Load())
