"""Columns of addresses to added columns: names and types of what is added, and the lookups of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy
import pyarrow as pa
import pyarrow.compute as pc

from fingerpost._core import Error, Report
from fingerpost._enrich.names import Column, Renamings, choose_columns, refuse_equal_names, rename_columns
from fingerpost._enrich.types import ChoiceError
from fingerpost._types import AnyTable

# Names with a meaning of their own in lookup_many: columns so called are had as a part of the value.
_RESERVED = ("value", "index", "length", "prefix")
# Of `index`, for addresses without a route; no route has it.
_NO_ROUTE = (1 << 32) - 1

# Addresses as sockets have them: in brackets, with a port, with a zone. One group of three matches.
_SOCKET = r"(?s)^(?:\[([^\]%]*)(?:%[^\]]+)?\](?::[0-9]{1,5})?|([^:\[][^:]*\.[^:]*):[0-9]{1,5}|([^\[%]+)%.+)$"


@dataclass
class Added:
    """A column that is added for a field by a table: its name, what lookup_many is asked for, its type."""

    name: str
    want: str
    # The part of the value, where lookup_many knows the name of the column by another meaning.
    part: str | None
    type: pa.DataType


@dataclass
class Answers:
    """What a batch of addresses led to: masks without nulls, and the added columns in order."""

    bad: pa.BooleanArray
    present: pa.BooleanArray
    matched: pa.BooleanArray
    columns: list[pa.Array]


@dataclass
class _Asked:
    """A table and what it is asked for."""

    table: AnyTable
    added: list[Added]

    @property
    def wants(self) -> list[str]:
        return ["index", *dict.fromkeys(one.want for one in self.added)]


@dataclass
class _Place:
    """Where an added column stands among what a field asks."""

    table: int
    column: int


class Field:
    """A column with addresses."""

    def __init__(
        self, name: str, number: int, asked: list[_Asked], order: list[_Place | str], threads: int
    ) -> None:
        """order: of the added columns: places in `asked`, or the name of the address."""
        self.name = name
        self.number = number
        self._asked = asked
        self._order = order
        self._has_address = any(isinstance(one, str) for one in order)
        self._threads = threads

    def added_fields(self) -> list[pa.Field]:
        """Returns names and types of the added columns."""
        fields = []
        for one in self._order:
            if isinstance(one, str):
                fields.append(pa.field(one, pa.string()))
            else:
                added = self._asked[one.table].added[one.column]
                fields.append(pa.field(added.name, added.type))
        return fields

    def look_up(self, rows: pa.Array) -> Answers:
        """Looks up the addresses of a batch."""
        if pa.types.is_dictionary(rows.type):
            return self._look_up_dictionary(rows)
        rows = _plain_layout(rows)
        found = self._ask(rows)
        absent = rows.is_null()
        address = rows
        at = pc.indices_nonzero(_bad(found, absent))
        if len(at) and _is_text(rows.type):
            given = rows.take(at)
            plain = pc.ascii_trim(given, " \t")
            blank = _is_blank(plain)
            absent = pc.or_(absent, _spread(at, blank, len(rows)))
            changed = pc.and_not(pc.not_equal(given, plain), blank)
            if pc.any(changed, min_count=0).as_py():
                mask = _spread(at, changed, len(rows))
                plain = plain.filter(changed)
                found = [_merge(old, mask, new) for old, new in zip(found, self._ask(plain), strict=True)]
                if self._has_address:
                    address = pc.replace_with_mask(address, mask, plain)
        if self._has_address:
            address = pc.replace_substring_regex(address, _SOCKET, r"\1\2\3")
        return self._answers(found, absent, address)

    def reason(self, rows: pa.Array, row: int) -> tuple[str, str]:
        """Returns the text of a bad row and why it is no address."""
        one = rows.slice(row, 1)
        report = Report()
        self._asked[0].table.lookup_many(one, "index", report=report)
        _, text, reason = report.first_bad[0]
        return text, reason

    def _answers(self, found: list[pa.StructArray], absent: pa.BooleanArray, address: pa.Array) -> Answers:
        present = found[0].field(0).is_valid()
        matched = _matched(found[0])
        for one in found[1:]:
            matched = pc.or_(matched, _matched(one))
        columns = []
        for place in self._order:
            if isinstance(place, str):
                columns.append(pc.if_else(present, address.cast(pa.string()), pa.scalar(None, pa.string())))
            else:
                each = self._asked[place.table]
                columns.append(_column_of(found[place.table], each, each.added[place.column]))
        return Answers(pc.and_not(pc.invert(present), absent), present, matched, columns)

    def _look_up_dictionary(self, rows: pa.DictionaryArray) -> Answers:
        entries = self.look_up(rows.dictionary)

        def spread(mask: pa.BooleanArray) -> pa.BooleanArray:
            return pc.fill_null(mask.take(rows.indices), False)

        columns = [column.take(rows.indices) for column in entries.columns]
        return Answers(spread(entries.bad), spread(entries.present), spread(entries.matched), columns)

    def _ask(self, rows: pa.Array) -> list[pa.StructArray]:
        return [
            each.table.lookup_many(rows, each.wants, default={"index": _NO_ROUTE}, threads=self._threads)
            for each in self._asked
        ]


@dataclass
class Plan:
    """Fields, what each gets, and the schema of what is written."""

    fields: list[Field]
    schema: pa.Schema


def make_plan(
    schema: pa.Schema,
    path: str,
    tables: dict[str, AnyTable],
    fields: list[str | int],
    add: list[str] | None,
    rename: Renamings,
    threads: int,
    writes_names: bool,
) -> Plan:
    """Finds the fields and names the added columns. Raises ChoiceError for fields that there are not, and equal names."""
    numbers = [field_number(given, schema.names) for given in fields]
    values = {called: value_names(table) for called, table in tables.items()}
    chosen, unmet = choose_columns([schema.names[number] for number in numbers], values, add, rename)
    made: list[Field] = []
    added: list[pa.Field] = []
    for number, columns in zip(numbers, chosen, strict=True):
        name = schema.names[number]
        of = schema.field(number).type
        _check_type(path, name, of)
        if any(one.table is None for one in columns) and not _is_text(_value_type(of)):
            raise ChoiceError(f"--columns address: column {name!r} is not text; it is {of}")
        made.append(_make_field(name, number, tables, values, columns, threads))
        added += made[-1].added_fields()
    names = rename_columns(schema.names, unmet, [one.name for one in added])
    if writes_names:
        refuse_equal_names(names, [one.name for one in added])
    rows = [schema.field(i).with_name(name) for i, name in enumerate(names)]
    return Plan(made, pa.schema([*rows, *added], schema.metadata))


def _make_field(
    name: str,
    number: int,
    tables: dict[str, AnyTable],
    values: dict[str, list[str]],
    columns: list[Column],
    threads: int,
) -> Field:
    asked = {called: _Asked(table, []) for called, table in tables.items()}
    places = list(tables)
    order: list[_Place | str] = []
    for one in columns:
        if one.table is None:
            order.append(one.whole)
            continue
        each = asked[one.table]
        order.append(_Place(places.index(one.table), len(each.added)))
        each.added.append(_added(each.table, one, values[one.table]))
    return Field(name, number, list(asked.values()), order, threads)


def field_number(given: str | int, names: list[str]) -> int:
    """Returns the number of a column, from 0: by its name, else by its number from 1."""
    if given in names:
        if names.count(str(given)) > 1:
            raise ChoiceError(f"--field: two columns are called {given!r}; use the number of one")
        return names.index(str(given))
    number = int(given) if str(given).isdecimal() else 0
    if not 1 <= number <= len(names):
        raise ChoiceError(f"--field: no column {str(given)!r}; columns: {', '.join(names)}")
    return number - 1


def value_names(table: AnyTable) -> list[str]:
    """Returns the columns that a table has, as the program calls them."""
    if table.value_kind == "int":
        return ["next_hop"]
    return list(table.columns) or (["value"] if table.value_kind == "object" else [])


def refuse_unknown(tables: dict[str, AnyTable], add: list[str] | None, rename: Renamings) -> None:
    """Raises ChoiceError for what is to be added and is no column."""
    choose_columns(
        [""], {called: value_names(table) for called, table in tables.items()}, _bare(add, rename), rename
    )


def _bare(add: list[str] | None, rename: Renamings) -> list[str] | None:
    """Returns the words of `add` but for new names, which may be those of columns of one field alone."""
    return None if add is None else [word for word in add if all(word != new for _, new in rename)]


def _added(table: AnyTable, column: Column, values: list[str]) -> Added:
    """Returns how lookup_many is asked for a column."""
    want, part = column.own, None
    # The first of equal names is the prefix; a column of the table that is called so is a part of the value.
    if column.is_prefix:
        pass
    elif not table.columns:
        want = "value"
    elif column.own in _RESERVED:
        want, part = "value", column.own if len(values) > 1 else None
    of = table.lookup_many(pa.array([], pa.string()), [want]).type.field(0).type
    if part is not None:
        of = of.field(part).type
    return Added(column.whole, want, part, of)


def _check_type(path: str, name: str, of: pa.DataType) -> None:
    plain = _value_type(of)
    fixed = pa.types.is_fixed_size_binary(plain) and plain.byte_width in (4, 16)
    if not (_is_text(plain) or plain == pa.uint32() or fixed or _is_binary(plain) or pa.types.is_null(plain)):
        raise Error(
            f"{path}: column {name!r} is {of}; addresses are text (string, large_string, string_view), "
            "binary of 4 or 16 bytes in network order, uint32 in host order, or a dictionary of one of these"
        )


def _value_type(of: pa.DataType) -> pa.DataType:
    return of.value_type if pa.types.is_dictionary(of) else of


def _is_text(of: pa.DataType) -> bool:
    return bool(pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of))


def _is_binary(of: pa.DataType) -> bool:
    return bool(pa.types.is_binary(of) or pa.types.is_large_binary(of) or pa.types.is_binary_view(of))


def _plain_layout(rows: pa.Array) -> pa.Array:
    """Returns the rows in a layout that all functions of pyarrow take."""
    if pa.types.is_null(rows.type) or pa.types.is_string_view(rows.type):
        return rows.cast(pa.string())
    if pa.types.is_fixed_size_binary(rows.type) or pa.types.is_binary_view(rows.type):
        return rows.cast(pa.binary())
    return rows


def _is_blank(rows: pa.Array) -> pa.BooleanArray:
    return pc.equal(pc.binary_length(rows), 0)


def _bad(found: list[pa.StructArray], absent: pa.BooleanArray) -> pa.BooleanArray:
    return pc.and_not(found[0].field(0).is_null(), absent)


def _matched(found: pa.StructArray) -> pa.BooleanArray:
    return pc.fill_null(pc.not_equal(found.field(0), _NO_ROUTE), False)


def _spread(at: pa.Array, of: pa.BooleanArray, rows: int) -> pa.BooleanArray:
    """Returns a mask of all rows from one of the rows at the given places."""
    chosen = at.filter(of)
    mask = pa.repeat(pa.scalar(False), rows).to_numpy(zero_copy_only=False).copy()
    mask[chosen.to_numpy()] = True
    return pa.array(mask)


def _merge(old: pa.StructArray, mask: pa.BooleanArray, new: pa.StructArray) -> pa.StructArray:
    at = pc.subtract(pc.cumulative_sum(mask.cast(pa.int64())), 1)
    # Rows of `new` follow those of `old`: one take serves columns of all types, structs too.
    itself = pa.array(numpy.arange(len(old), dtype=numpy.int64))
    chosen = pc.if_else(mask, pc.add(at, len(old)), itself)
    return pa.concat_arrays([old, new.cast(old.type)]).take(chosen)


def _column_of(found: pa.StructArray, asked: _Asked, added: Added) -> pa.Array:
    column = found.field(asked.wants.index(added.want))
    if added.part is not None:
        column = pc.struct_field(column, [added.part])
    return column if column.type == added.type else column.cast(added.type)
