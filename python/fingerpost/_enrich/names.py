"""The columns that enrich() adds: which ones, in which order and under which names. None comes twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fingerpost._enrich.types import ChoiceError

Renamings = Sequence[tuple[str, str]]


@dataclass
class Column:
    """A column that may be added for a field."""

    # The name of the table; None for the address itself.
    table: str | None
    # What the table calls it, or "prefix" or "address".
    own: str
    # Whether it is the matched prefix, which a column of the table may be called as well.
    is_prefix: bool
    # The names of field and table that stand before it.
    before: str
    # `own` until it is renamed.
    given: str
    # What stands in the output.
    whole: str
    is_renamed: bool = False

    def rename(self, to: str, is_whole: bool) -> None:
        """Gives it another name."""
        self.whole = to if is_whole else self.before + to
        self.given = to
        self.is_renamed = True


def choose_columns(
    fields: Sequence[str],
    tables: Mapping[str, Sequence[str]],
    add: Sequence[str] | None,
    rename: Renamings,
) -> tuple[list[list[Column]], list[tuple[str, str]]]:
    """Returns the added columns of each field in order, and the renamings that meet none of all that there are.

    tables: the columns of each. Raises ChoiceError for words of `add` that mean nothing.
    """
    every = [_columns_of(f"{field}_" if len(fields) > 1 else "", tables) for field in fields]
    unmet = [one for one in rename if not (_rename_whole(every, one) or _rename_everywhere(every, one))]
    if add is None:
        return [[each for each in field if each.table is not None] for field in every], unmet
    for word in add:
        if not any(_meant_by(field, word) for field in every):
            known = dict.fromkeys(each.given for field in every for each in field)
            raise ChoiceError(f"--columns: no column {word!r}; columns: {', '.join(known)}")
    return [[each for word in add for each in _meant_by(field, word)] for field in every], unmet


def rename_columns(names: Sequence[str], unmet: Renamings, added: Sequence[str]) -> list[str]:
    """Returns the names of the rows' columns after renamings by number. Raises ChoiceError for others."""
    made = list(names)
    for old, new in unmet:
        number = int(old) if old.isascii() and old.isdecimal() else 0
        if not 1 <= number <= len(made):
            raise ChoiceError(f"--rename: there is no column {old!r}; there are {', '.join(added)}")
        made[number - 1] = new
    return made


def refuse_equal_names(rows: Sequence[str], added: Sequence[str]) -> None:
    """Raises ChoiceError that names the way out when a name comes twice. Empty ones are no names."""
    seen: dict[str, int] = {}
    for number, name in enumerate([*rows, *added]):
        first = seen.setdefault(name, number)
        if first == number or not name:
            continue
        hint = f"--rename {first + 1}=NAME"
        if number < len(rows):
            raise ChoiceError(f"the rows have two columns {name!r}; {hint} renames the first")
        own = f"--rename {_escaped(name)}=NAME"
        if first < len(rows):
            raise ChoiceError(
                f"the rows already have a column {name!r}; {own} renames the added one, "
                f"{hint} that of the rows"
            )
        raise ChoiceError(
            f"two of the added columns would be called {name!r}; {own} renames the first, and --columns chooses "
            "what is added"
        )


def read_renamings(text: str) -> list[tuple[str, str]]:
    """Reads `OLD=NEW,...`; a backslash takes the meaning from the character behind it. Raises ValueError."""
    made: list[tuple[str, str]] = []
    parts = [""]
    characters = iter(text)
    for c in characters:
        if c == "\\":
            parts[-1] += next(characters, c)
        elif c == "=" and len(parts) == 1:
            parts.append("")
        elif c == ",":
            made.append(_pair(text, parts))
            parts = [""]
        else:
            parts[-1] += c
    return [*made, _pair(text, parts)]


def _pair(text: str, parts: list[str]) -> tuple[str, str]:
    if len(parts) != 2 or not all(parts):
        raise ValueError(f"{text!r} is no OLD=NEW,...")
    return parts[0], parts[1]


def _escaped(name: str) -> str:
    return "".join(f"\\{c}" if c in ",=\\" else c for c in name)


def _columns_of(before: str, tables: Mapping[str, Sequence[str]]) -> list[Column]:
    """The address, then of each table the prefix and its columns: the first of equal names is meant."""
    made = [Column(None, "address", False, before, "address", before + "address")]
    for table, values in tables.items():
        lead = f"{before}{table}_" if len(tables) > 1 else before
        made.append(Column(table, "prefix", True, lead, "prefix", lead + "prefix"))
        made += [Column(table, name, False, lead, name, lead + name) for name in values]
    return made


def _rename_whole(every: list[list[Column]], one: tuple[str, str]) -> bool:
    for field in every:
        for each in field:
            if not each.is_renamed and each.before + each.own == one[0]:
                each.rename(one[1], True)
                return True
    return False


def _rename_everywhere(every: list[list[Column]], one: tuple[str, str]) -> bool:
    """By the name behind those of field and table: the first in each table of each field."""
    met = False
    for field in every:
        done: set[str | None] = set()
        for each in field:
            if not each.is_renamed and each.own == one[0] and each.table not in done:
                each.rename(one[1], False)
                done.add(each.table)
                met = True
    return met


def _meant_by(field: list[Column], word: str) -> list[Column]:
    """Of each table one at most, by the names in the output, else by those of the table."""
    for names in ([each.given for each in field], [each.own for each in field]):
        found: dict[str | None, Column] = {}
        for each, name in zip(field, names, strict=True):
            if name == word:
                found.setdefault(each.table, each)
        if found:
            # The address itself is of no table, so it is meant in all of them.
            return [found[None]] if None in found else list(found.values())
    return []
