"""What the columns of a hand-made table hold, as a person says it: `--map`, and the suggested file."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from concord.errors import OptionError
from concord.files.contents import read_bytes
from concord.files.text import decode
from concord.people.table.columns import KNOWN, fold
from concord.people.table.handmade.header import Header, title_key
from concord.people.table.handmade.words import FIELDS, IDENTITY, NOT_USED, Meaning

_CANONICAL = {"reported": "any", "p_value": "p", "effect_d": "d", "k": "count"}
"""Columns of a table of tests whose fields have another name here."""


def read_mapping(given: Sequence[str]) -> dict[str, str]:
    """Read mappings: ``title=column``, or the path of a file with one of them a line."""
    found: dict[str, str] = {}
    for one in given:
        path = Path(one)
        if "=" not in one or path.is_file():
            if not path.is_file():
                raise OptionError(f"--map {one!r}: expected 'title=column' or a mapping file")
            found.update(_read_file(path))
        else:
            title, _, column = one.rpartition("=")
            found[title.strip()] = column.strip()
    for title, column in found.items():
        target(column, title)
    return found


def _read_file(path: Path) -> dict[str, str]:
    found = {}
    for number, line in enumerate(decode(path.name, read_bytes(path), None).splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        title, sign, column = text.rpartition(" = ")
        if not sign:
            raise OptionError(f"{path.name}, line {number}: got {text!r}, expected 'title = column'")
        found[title.strip()] = column.partition("#")[0].strip()
    return found


def target(column: str, title: str) -> Meaning | None:
    """Return what a mapping's right side means: ``study``, ``human``, ``human_t``, ``agent_mean2``, ``-``.

    Examples
    --------
    >>> target("human_mean2", "x"), target("-", "x")
    (Meaning(field='mean', side='human', agent='', group='2'), None)
    """
    if column == NOT_USED:
        return None
    name = fold(column)
    exact = {field.casefold(): field for field in FIELDS}
    if name in exact:
        return Meaning(exact[name])  # numbers without a side: those of a long table
    if name[:-1] in ("human", "agent") and name[-1] in "12":
        return Meaning("any", name[:-1], "", name[-1])  # any result of one group: "26/40", "5.2 (1.1)"
    side, _, rest = name.partition("_")
    if side in ("human", "agent"):
        if not rest:
            return Meaning("any", side)
        group = (
            rest[-1]
            if rest[-1] in "12" and rest[:-1] in ("mean", "mean_se", "sd", "se", "count", "percent", "n")
            else ""
        )
        plain = rest[:-1] if group else rest
        plain = _CANONICAL.get(plain, plain)
        if plain in exact and exact[plain] not in IDENTITY:
            return Meaning(exact[plain], side, "", group)
    by_side = [field for field in FIELDS if field not in IDENTITY]
    known = [*KNOWN, *IDENTITY, *(f"{one}_{field}" for one in ("human", "agent") for field in by_side)]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; the nearest is {near[0]!r}" if near else ""
    raise OptionError(f"--map: {title!r} is mapped to {column!r}, which is no column{hint}")


def apply(header: Header, mapping: Mapping[str, str], place: str) -> Header:
    """Return a header with the meanings that a mapping gives."""
    wanted = {title_key(title): (title, target(column, title)) for title, column in mapping.items()}
    titles = [title_key(title) for title in header.titles]
    last = [title_key(title.rpartition(" / ")[2]) for title in header.titles]
    meanings = list(header.meanings)
    for key, (title, meaning) in wanted.items():
        places = [j for j, own in enumerate(titles) if own == key]
        places = places or [j for j, own in enumerate(last) if own == key]
        if not places:
            raise OptionError(
                f"--map: {place} has no column {title!r}; found {', '.join(map(repr, header.titles))}"
            )
        for j in places:
            meanings[j] = _with_agents_name(meaning, header.meanings[j])
    return replace(header, meanings=tuple(meanings))


def _with_agents_name(meaning: Meaning | None, before: Meaning | None) -> Meaning | None:
    """Return what a mapping says of a column, with the agent's name that its title holds."""
    if meaning is None or before is None or meaning.side != before.side:
        return meaning
    return replace(meaning, agent=before.agent)


def apply_known(header: Header, mapping: Mapping[str, str]) -> Header:
    """Return the header of a further table of a sheet with what a mapping says of its columns."""
    titles = {title_key(title) for title in header.titles}
    own = {title: column for title, column in mapping.items() if title_key(title) in titles}
    return apply(header, own, "")


def suggestion(header: Header, file: str) -> str:
    """Return the text of a mapping file: every column, and what it is taken for."""
    lines = [
        f"# What the columns of {file} hold; change the right side, then:",
        f"# concord score people {file} --map THIS_FILE",
        "# '-' is a column that is not used; human and agent alone take any printed result.",
    ]
    times = Counter(map(title_key, header.titles))
    for title, meaning in zip(header.titles, header.meanings, strict=True):
        if title:
            # a mapping names a column by its title: of two alike it could not say which
            is_one = times[title_key(title)] == 1
            mark = "" if is_one else "# one of several of this title, taken with its neighbours: "
            lines.append(f"{mark}{title} = {NOT_USED if meaning is None else words_for(meaning)}")
    if not any(meaning is not None and meaning.side is not None for meaning in header.meanings):
        lines += [
            "# no title says whose results it holds; for example:",
            "# TITLE = study, finding, test, human (a result of people), agent (of the model), agent_name,",
            "# human_t, human_df, human_n, human_p, human_mean1, human_sd1, human_n1, agent_percent2",
        ]
    return "\n".join(lines) + "\n"


def words_for(meaning: Meaning) -> str:
    """Return a meaning as a mapping writes it."""
    if meaning.side is None:
        return meaning.field
    group = meaning.group if meaning.group in ("1", "2") else ""
    return f"{meaning.side}{group}" if meaning.field == "any" else f"{meaning.side}_{meaning.field}{group}"
