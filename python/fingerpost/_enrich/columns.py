"""Names and types of the added columns, and the lookups of a batch of addresses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy
import pyarrow as pa
import pyarrow.compute as pc

from fingerpost._core import Error, Report
from fingerpost._enrich.names import Column, Renamings, choose_columns, refuse_equal_names, rename_columns
from fingerpost._enrich.types import ChoiceError
from fingerpost._types import AnyTable

# Wants of lookup_many with a fixed meaning. Columns with these names are read from the value.
_RESERVED = ("value", "index", "length", "prefix")
# Index for addresses without a route. Routes never have it.
_NO_ROUTE = (1 << 32) - 1

# Addresses of sockets: in brackets, with a port, or with a zone. Exactly one of the three groups matches.
_SOCKET = r"(?s)^(?:\[([^\]%]*)(?:%[^\]]+)?\](?::[0-9]{1,5})?|([^:\[][^:]*\.[^:]*):[0-9]{1,5}|([^\[%]+)%.+)$"


@dataclass
class Added:
    """A column that a table adds for a field: its name, its want for lookup_many, its type."""

    name: str
    want: str
    # Column of the value, if its name means something else in lookup_many.
    part: str | None
    type: pa.DataType


@dataclass
class Answers:
    """Results of a batch of addresses: masks without nulls, and the added columns in order."""

    bad: pa.BooleanArray
    present: pa.BooleanArray
    matched: pa.BooleanArray
    columns: list[pa.Array]


@dataclass
class _Query:
    """A table and the columns that it adds."""

    table: AnyTable
    added: list[Added]

    @property
    def wants(self) -> list[str]:
        return ["index", *dict.fromkeys(column.want for column in self.added)]


@dataclass
class _Place:
    """Position of an added column: its table and its index among the columns of that table."""

    table: int
    column: int


class Field:
    """A column of addresses, which may be in structs."""

    def __init__(
        self, name: str, path: list[int], queries: list[_Query], order: list[_Place | str], threads: int
    ) -> None:
        """path: the index of the column and those of the members within it.

        order: the added columns, as positions in `queries` or the name of the address column.
        """
        self.name = name
        self._path = path
        self._queries = queries
        self._order = order
        self._has_address = any(isinstance(entry, str) for entry in order)
        self._threads = threads

    def column_of(self, batch: pa.RecordBatch) -> pa.Array:
        """Returns the addresses of a batch."""
        column = batch.column(self._path[0])
        return pc.struct_field(column, self._path[1:]) if len(self._path) > 1 else column

    def added_fields(self) -> list[pa.Field]:
        """Returns the names and types of the added columns."""
        fields = []
        for entry in self._order:
            if isinstance(entry, str):
                fields.append(pa.field(entry, pa.string()))
            else:
                added = self._queries[entry.table].added[entry.column]
                fields.append(pa.field(added.name, added.type))
        return fields

    def look_up(self, rows: pa.Array) -> Answers:
        """Looks up the addresses of a batch."""
        if pa.types.is_dictionary(rows.type):
            return self._look_up_dictionary(rows)
        rows = _plain_layout(rows)
        answers = self._ask(rows)
        absent = rows.is_null()
        address = rows
        at = pc.indices_nonzero(_bad(answers, absent))
        if len(at) and _is_text(rows.type):
            texts = rows.take(at)
            plain = pc.ascii_trim(texts, " \t")
            blank = _is_blank(plain)
            absent = pc.or_(absent, _spread(at, blank, len(rows)))
            changed = pc.and_not(pc.not_equal(texts, plain), blank)
            if pc.any(changed, min_count=0).as_py():
                mask = _spread(at, changed, len(rows))
                plain = plain.filter(changed)
                answers = [_merge(old, mask, new) for old, new in zip(answers, self._ask(plain), strict=True)]
                if self._has_address:
                    address = pc.replace_with_mask(address, mask, plain)
        if self._has_address:
            address = pc.replace_substring_regex(address, _SOCKET, r"\1\2\3")
        return self._answers(answers, absent, address)

    def reason(self, rows: pa.Array, row: int) -> tuple[str, str]:
        """Returns the text of a bad row and the reason why it is not an address."""
        bad_row = rows.slice(row, 1)
        report = Report()
        self._queries[0].table.lookup_many(bad_row, "index", report=report)
        _, text, reason = report.first_bad[0]
        return text, reason

    def _answers(self, answers: list[pa.StructArray], absent: pa.BooleanArray, address: pa.Array) -> Answers:
        present = answers[0].field(0).is_valid()
        matched = _matched(answers[0])
        for answer in answers[1:]:
            matched = pc.or_(matched, _matched(answer))
        columns = []
        for place in self._order:
            if isinstance(place, str):
                columns.append(pc.if_else(present, address.cast(pa.string()), pa.scalar(None, pa.string())))
            else:
                query = self._queries[place.table]
                columns.append(_column_of(answers[place.table], query, query.added[place.column]))
        return Answers(pc.and_not(pc.invert(present), absent), present, matched, columns)

    def _look_up_dictionary(self, rows: pa.DictionaryArray) -> Answers:
        entries = self.look_up(rows.dictionary)

        def spread(mask: pa.BooleanArray) -> pa.BooleanArray:
            return pc.fill_null(mask.take(rows.indices), False)

        columns = [column.take(rows.indices) for column in entries.columns]
        return Answers(spread(entries.bad), spread(entries.present), spread(entries.matched), columns)

    def _ask(self, rows: pa.Array) -> list[pa.StructArray]:
        return [
            query.table.lookup_many(rows, query.wants, default={"index": _NO_ROUTE}, threads=self._threads)
            for query in self._queries
        ]


@dataclass
class Plan:
    """The fields and the schema of the output."""

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
    """Finds the fields and names the added columns. Raises ChoiceError for unknown fields and repeated names."""
    paths = [_field_path(field_name, schema) for field_name in fields]
    places = [_column_at(schema, path) for path in paths]
    values = {table_name: value_names(table) for table_name, table in tables.items()}
    chosen, unmet = choose_columns([name for name, _ in places], values, add, rename)
    plan_fields: list[Field] = []
    added: list[pa.Field] = []
    for path_of_field, (name, type_of_field), columns in zip(paths, places, chosen, strict=True):
        _check_type(path, name, type_of_field)
        if any(column.table is None for column in columns) and not _is_text(_value_type(type_of_field)):
            raise ChoiceError(f"--columns address: column {name!r} is not text; it is {type_of_field}")
        plan_fields.append(_make_field(name, path_of_field, tables, values, columns, threads))
        added += plan_fields[-1].added_fields()
    names = rename_columns(schema.names, unmet, [column.name for column in added])
    if writes_names:
        refuse_equal_names(names, [column.name for column in added])
    rows = [schema.field(i).with_name(name) for i, name in enumerate(names)]
    return Plan(plan_fields, pa.schema([*rows, *added], schema.metadata))


def _make_field(
    name: str,
    path: list[int],
    tables: dict[str, AnyTable],
    values: dict[str, list[str]],
    columns: list[Column],
    threads: int,
) -> Field:
    queries = {table_name: _Query(table, []) for table_name, table in tables.items()}
    places = list(tables)
    order: list[_Place | str] = []
    for column in columns:
        if column.table is None:
            order.append(column.whole)
            continue
        query = queries[column.table]
        order.append(_Place(places.index(column.table), len(query.added)))
        query.added.append(_added(query.table, column, values[column.table]))
    return Field(name, path, list(queries.values()), order, threads)


def field_number(field: str | int, names: list[str]) -> int:
    """Returns the index of a column, from 0, by its name or by its number from 1."""
    if field in names:
        if names.count(str(field)) > 1:
            raise ChoiceError(f"--field: two columns are called {field!r}; use the number of one")
        return names.index(str(field))
    number = int(field) if str(field).isdecimal() else 0
    if not 1 <= number <= len(names):
        raise ChoiceError(f"--field: no column {str(field)!r}; columns: {', '.join(names)}")
    return number - 1


def _field_path(field: str | int, schema: pa.Schema) -> list[int]:
    """Returns the index of a column and those of the members within it, as in "source.ip"."""
    nested = None if field in schema.names else _nested_path(str(field), list(schema))
    return nested or [field_number(field, schema.names)]


def _nested_path(field: str, columns: list[pa.Field]) -> list[int] | None:
    for number, column in enumerate(columns):
        if column.name == field:
            return [number]
        if pa.types.is_struct(column.type) and field.startswith(f"{column.name}."):
            rest = _nested_path(field.removeprefix(f"{column.name}."), list(column.type))
            if rest is not None:
                return [number, *rest]
    return None


def _column_at(schema: pa.Schema, path: list[int]) -> tuple[str, pa.DataType]:
    """Returns the name of a column, with dots for members of structs, and its type."""
    column = schema.field(path[0])
    name = column.name
    for number in path[1:]:
        column = column.type.field(number)
        name += f".{column.name}"
    return name, column.type


def value_names(table: AnyTable) -> list[str]:
    """Returns the names of the columns of a table, as in the program."""
    if table.value_kind == "int":
        return ["next_hop"]
    return list(table.columns) or (["value"] if table.value_kind == "object" else [])


def refuse_unknown(tables: dict[str, AnyTable], add: list[str] | None, rename: Renamings) -> None:
    """Raises ChoiceError if `add` names an unknown column."""
    choose_columns(
        [""],
        {name: value_names(table) for name, table in tables.items()},
        _bare(add, rename),
        rename,
    )


def _bare(add: list[str] | None, rename: Renamings) -> list[str] | None:
    """Returns the names in `add` except new names, which may exist for one field only."""
    return None if add is None else [name for name in add if all(name != new for _, new in rename)]


def _added(table: AnyTable, column: Column, values: list[str]) -> Added:
    """Returns the description of an added column."""
    want, part = column.own, None
    # The prefix precedes a table column of the same name, which is read from the value.
    if column.is_prefix:
        pass
    elif not table.columns:
        want = "value"
    elif column.own in _RESERVED:
        want, part = "value", column.own if len(values) > 1 else None
    added_type = table.lookup_many(pa.array([], pa.string()), [want]).type.field(0).type
    if part is not None:
        added_type = added_type.field(part).type
    return Added(column.whole, want, part, added_type)


def _check_type(path: str, name: str, kind: pa.DataType) -> None:
    plain = _value_type(kind)
    fixed = pa.types.is_fixed_size_binary(plain) and plain.byte_width in (4, 16)
    if not (_is_text(plain) or plain == pa.uint32() or fixed or _is_binary(plain) or pa.types.is_null(plain)):
        raise Error(
            f"{path}: column {name!r} is {kind}; addresses are text (string, large_string, string_view), "
            "binary of 4 or 16 bytes in network order, uint32 in host order, or a dictionary of one of these"
        )


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


def _plain_layout(rows: pa.Array) -> pa.Array:
    """Returns the rows in a layout that all functions of pyarrow support."""
    if pa.types.is_null(rows.type) or pa.types.is_string_view(rows.type):
        return rows.cast(pa.string())
    if pa.types.is_fixed_size_binary(rows.type) or pa.types.is_binary_view(rows.type):
        return rows.cast(pa.binary())
    return rows


def _is_blank(rows: pa.Array) -> pa.BooleanArray:
    return pc.equal(pc.binary_length(rows), 0)


def _bad(answers: list[pa.StructArray], absent: pa.BooleanArray) -> pa.BooleanArray:
    return pc.and_not(answers[0].field(0).is_null(), absent)


def _matched(answer: pa.StructArray) -> pa.BooleanArray:
    return pc.fill_null(pc.not_equal(answer.field(0), _NO_ROUTE), False)


def _spread(at: pa.Array, chosen: pa.BooleanArray, rows: int) -> pa.BooleanArray:
    """Returns a mask of all rows from a mask of the rows at some positions."""
    positions = at.filter(chosen)
    mask = pa.repeat(pa.scalar(False), rows).to_numpy(zero_copy_only=False).copy()
    mask[positions.to_numpy()] = True
    return pa.array(mask)


def _merge(old: pa.StructArray, mask: pa.BooleanArray, new: pa.StructArray) -> pa.StructArray:
    at = pc.subtract(pc.cumulative_sum(mask.cast(pa.int64())), 1)
    # Append `new` to `old` and take rows from both: this works for columns of all types, even structs.
    itself = pa.array(numpy.arange(len(old), dtype=numpy.int64))
    chosen = pc.if_else(mask, pc.add(at, len(old)), itself)
    return pa.concat_arrays([old, new.cast(old.type)]).take(chosen)


def _column_of(answer: pa.StructArray, query: _Query, added: Added) -> pa.Array:
    column = answer.field(query.wants.index(added.want))
    if added.part is not None:
        column = pc.struct_field(column, [added.part])
    return column if column.type == added.type else column.cast(added.type)
