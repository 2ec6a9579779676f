"""Selection, order and unique names of the columns that enrich() adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fingerpost._enrich.types import ChoiceError

Renamings = Sequence[tuple[str, str]]


@dataclass
class Column:
    """A column that can be added for a field."""

    # Name of the table; None for the address itself.
    table: str | None
    # Name in the table, or "prefix" or "address".
    own: str
    # Whether it is the matched prefix. A column of the table may also be called "prefix".
    is_prefix: bool
    # Names of field and table before the column name.
    before: str
    # New name, or `own` if it is not renamed.
    name: str
    # Name in the output.
    whole: str
    is_renamed: bool = False

    def rename(self, to: str, is_whole: bool) -> None:
        """Renames the column."""
        self.whole = to if is_whole else self.before + to
        self.name = to
        self.is_renamed = True


def choose_columns(
    fields: Sequence[str],
    tables: Mapping[str, Sequence[str]],
    add: Sequence[str] | None,
    rename: Renamings,
) -> tuple[list[list[Column]], list[tuple[str, str]]]:
    """Returns the added columns of each field in order, and the renamings that match no column.

    tables: the columns of each table. Raises ChoiceError for unknown names in `add`.
    """
    every = [_columns_of(f"{field}_" if len(fields) > 1 else "", tables) for field in fields]
    unmet = [pair for pair in rename if not (_rename_whole(every, pair) or _rename_everywhere(every, pair))]
    if add is None:
        return [[column for column in field if column.table is not None] for field in every], unmet
    for name in add:
        if not any(_matching(field, name) for field in every):
            known = dict.fromkeys(column.name for field in every for column in field)
            raise ChoiceError(f"--columns: no column {name!r}; columns: {', '.join(known)}")
    return [[column for name in add for column in _matching(field, name)] for field in every], unmet


def rename_columns(names: Sequence[str], unmet: Renamings, added: Sequence[str]) -> list[str]:
    """Returns the names of the rows' columns after renaming by number. Raises ChoiceError for other renamings."""
    renamed = list(names)
    for old, new in unmet:
        number = int(old) if old.isascii() and old.isdecimal() else 0
        if not 1 <= number <= len(renamed):
            raise ChoiceError(f"--rename: no column {old!r}; columns: {', '.join(added)}")
        renamed[number - 1] = new
    return renamed


def refuse_equal_names(rows: Sequence[str], added: Sequence[str]) -> None:
    """Raises ChoiceError with a remedy if a name is repeated. Empty names do not count."""
    numbers: dict[str, int] = {}
    for number, name in enumerate([*rows, *added]):
        first = numbers.setdefault(name, number)
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
    """Parses `OLD=NEW,...`. A backslash escapes the next character. Raises ValueError."""
    renamings: list[tuple[str, str]] = []
    parts = [""]
    characters = iter(text)
    for c in characters:
        if c == "\\":
            parts[-1] += next(characters, c)
        elif c == "=" and len(parts) == 1:
            parts.append("")
        elif c == ",":
            renamings.append(_pair(text, parts))
            parts = [""]
        else:
            parts[-1] += c
    return [*renamings, _pair(text, parts)]


def _pair(text: str, parts: list[str]) -> tuple[str, str]:
    if len(parts) != 2 or not all(parts):
        raise ValueError(f"{text!r} is not OLD=NEW,...")
    return parts[0], parts[1]


def _escaped(name: str) -> str:
    return "".join(f"\\{c}" if c in ",=\\" else c for c in name)


def _columns_of(before: str, tables: Mapping[str, Sequence[str]]) -> list[Column]:
    """Returns the address, then the prefix and the columns of each table. Names refer to the first match."""
    columns = [Column(None, "address", False, before, "address", before + "address")]
    for table, values in tables.items():
        lead = f"{before}{table}_" if len(tables) > 1 else before
        columns.append(Column(table, "prefix", True, lead, "prefix", lead + "prefix"))
        columns += [Column(table, name, False, lead, name, lead + name) for name in values]
    return columns


def _rename_whole(every: list[list[Column]], renaming: tuple[str, str]) -> bool:
    for field in every:
        for column in field:
            if not column.is_renamed and column.before + column.own == renaming[0]:
                column.rename(renaming[1], True)
                return True
    return False


def _rename_everywhere(every: list[list[Column]], renaming: tuple[str, str]) -> bool:
    """Renames by the name without field and table: the first match in each table of each field."""
    is_used = False
    for field in every:
        renamed_tables: set[str | None] = set()
        for column in field:
            if not column.is_renamed and column.own == renaming[0] and column.table not in renamed_tables:
                column.rename(renaming[1], False)
                renamed_tables.add(column.table)
                is_used = True
    return is_used


def _matching(field: list[Column], target: str) -> list[Column]:
    """Returns at most one column per table, by the names in the output, or else by those of the table."""
    for names in ([column.name for column in field], [column.own for column in field]):
        matches: dict[str | None, Column] = {}
        for column, name in zip(field, names, strict=True):
            if name == target:
                matches.setdefault(column.table, column)
        if matches:
            # The address belongs to no table and is added once.
            return [matches[None]] if None in matches else list(matches.values())
    return []
