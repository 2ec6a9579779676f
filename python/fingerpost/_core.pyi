"""Types of the extension module. The compiled module has the docstrings."""

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from os import PathLike
from typing import Any, Generic, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt
from _typeshed import SupportsKeysAndGetItem
from typing_extensions import Self, Unpack

from fingerpost._reports import TableReport
from fingerpost._views import ItemsView, KeysView, ValuesView

_V = TypeVar("_V")
_V_co = TypeVar("_V_co", covariant=True)
_D = TypeVar("_D")
_R = TypeVar("_R")

Family: TypeAlias = Literal[4, 6]
Path: TypeAlias = str | PathLike[str]
Address: TypeAlias = str | bytes | SupportsIndex | IPv4Address | IPv6Address
Prefix: TypeAlias = (
    str
    | bytes
    | IPv4Network
    | IPv6Network
    | IPv4Address
    | IPv6Address
    | IPv4Interface
    | IPv6Interface
    | tuple[str | bytes | IPv4Address | IPv6Address, SupportsIndex]
    | tuple[SupportsIndex, SupportsIndex, SupportsIndex]
)
# A str, int, float or bool, depending on the type of its column; None if it is missing. Known only at run time.
Cell: TypeAlias = Any
# A row: a cell if the table has one column, otherwise a dict[str, Cell]. The number of columns is known only at run
# time, so type checkers accept both. To choose, annotate: `table: Table[dict[str, Any]] = Table.from_csv(...)`.
Row: TypeAlias = Any

class _Stream(Protocol):
    """An object with read(), such as a file, io.StringIO or io.BytesIO."""

    def read(self) -> str | bytes: ...

class _Routes(Protocol[_V_co]):
    """An object with keys() and items(), such as a mapping or a table."""

    def keys(self) -> Iterable[Prefix]: ...
    def items(self) -> Iterable[tuple[Prefix, _V_co]]: ...

_Mapping: TypeAlias = _Routes[_V] | Mapping[str, _V]
Routes: TypeAlias = _Routes[_V] | Mapping[str, _V] | Iterable[tuple[Prefix, _V]]

__version__: str

class Error(ValueError): ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

ArrowData: TypeAlias = _ArrowArray | _ArrowStream

class _Frame(Protocol):
    """A frame of pandas, Polars or pyarrow, or another Arrow table with named columns."""

    @property
    def columns(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class ArrowColumn:
    def __len__(self) -> int: ...
    def to_pylist(self) -> list[object]: ...
    @property
    def null_count(self) -> int: ...
    @property
    def num_chunks(self) -> int: ...
    @property
    def chunked(self) -> bool: ...
    @property
    def type(self) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Report:
    def __init__(self) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def matched(self) -> int: ...
    @property
    def missed(self) -> int: ...
    @property
    def nulls(self) -> int: ...
    @property
    def bad(self) -> int: ...
    @property
    def first_bad(self) -> list[tuple[int, str, str]]: ...

# Runs a command line of the program and returns the exit code. Replaces the handlers of signals. None if the module was
# built without the program.
run_program: Callable[[list[bytes]], int] | None

class _RouteIterator(Iterator[_V], Generic[_V]):
    def __iter__(self) -> Self: ...
    def __next__(self) -> _V: ...
    def __length_hint__(self) -> int: ...

class Table(MutableMapping[str, _V]):
    @overload
    def __init__(
        self: Table[int], routes: Routes[int] | None = None, *, values: type[int], scheme: str | None = None
    ) -> None: ...
    @overload
    def __init__(
        self: Table[str],
        routes: Routes[str | Mapping[str, str] | Sequence[str]] | None = None,
        *,
        values: tuple[str],
        scheme: str | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Table[dict[str, str]],
        routes: Routes[Mapping[str, str] | Sequence[str]] | None = None,
        *,
        values: tuple[str, str, Unpack[tuple[str, ...]]],
        scheme: str | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Table[Row],
        routes: Routes[Cell | Mapping[str, Cell] | Sequence[Cell]] | None = None,
        *,
        values: Sequence[str] | Mapping[str, type],
        scheme: str | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self, routes: Routes[_V] | None = None, *, values: type[object] = ..., scheme: str | None = None
    ) -> None: ...
    @overload
    def __init__(
        self: Table[int],
        routes: _Frame,
        *,
        values: type[int],
        network: str | Sequence[str] | None = None,
        scheme: str | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Table[Row],
        routes: _Frame,
        *,
        values: type[object] | Sequence[str] | Mapping[str, type] = ...,
        network: str | Sequence[str] | None = None,
        scheme: str | None = None,
    ) -> None: ...
    def __getitem__(self, prefix: Prefix) -> _V: ...
    def __setitem__(self, prefix: Prefix, value: _V) -> None: ...
    def __delitem__(self, prefix: Prefix) -> None: ...
    def __contains__(self, prefix: object) -> bool: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __reversed__(self) -> Iterator[str]: ...
    def __or__(self, other: _Mapping[_V]) -> Table[_V]: ...
    def __ror__(self, other: _Mapping[_V]) -> Table[_V]: ...
    def __ior__(self, other: Routes[_V]) -> Self: ...
    def _iterate_values(self, reverse: bool = False) -> Iterator[_V]: ...
    def _iterate_items(self, reverse: bool = False) -> Iterator[tuple[str, _V]]: ...
    def _set_pickled(self, state: tuple[object, ...]) -> None: ...
    def keys(self) -> KeysView: ...
    def values(self) -> ValuesView[_V]: ...
    def items(self) -> ItemsView[_V]: ...
    @overload
    def get(self, prefix: Prefix, default: None = None) -> _V | None: ...
    @overload
    def get(self, prefix: Prefix, default: _V) -> _V: ...
    @overload
    def get(self, prefix: Prefix, default: _D) -> _V | _D: ...
    @overload
    def pop(self, prefix: Prefix) -> _V: ...
    @overload
    def pop(self, prefix: Prefix, default: _V) -> _V: ...
    @overload
    def pop(self, prefix: Prefix, default: _D) -> _V | _D: ...
    def popitem(self) -> tuple[str, _V]: ...
    @overload
    def setdefault(self: Table[_D | None], prefix: Prefix, default: None = None) -> _D | None: ...
    @overload
    def setdefault(self, prefix: Prefix, default: _V) -> _V: ...
    def clear(self) -> None: ...
    # Positional only: keywords are prefixes.
    def update(self, routes: Routes[_V] | SupportsKeysAndGetItem[str, _V] = ..., /, **more: _V) -> None: ...
    def replace_all(self, routes: Routes[_V]) -> None: ...
    @overload
    def lookup(
        self, address: Address, default: None = None, *, family: Family | None = None
    ) -> _V | None: ...
    @overload
    def lookup(self, address: Address, default: _D, *, family: Family | None = None) -> _V | _D: ...
    # Of a list: a list. Bad rows are None, whatever the default is.
    @overload
    def lookup_many(
        self,
        rows: list[_R] | tuple[_R, ...],
        want: Literal["value"] = "value",
        *,
        default: None = None,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> list[_V | None]: ...
    @overload
    def lookup_many(
        self,
        rows: list[_R] | tuple[_R, ...],
        want: Literal["value"] = "value",
        *,
        default: _D,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> list[_V | _D | None]: ...
    @overload
    def lookup_many(
        self,
        rows: list[_R] | tuple[_R, ...],
        want: Literal["index", "length"],
        *,
        default: None = None,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> list[int | None]: ...
    @overload
    def lookup_many(
        self,
        rows: list[_R] | tuple[_R, ...],
        want: Literal["index", "length"],
        *,
        default: _D,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> list[int | _D | None]: ...
    @overload
    def lookup_many(
        self,
        rows: list[_R] | tuple[_R, ...],
        want: Literal["prefix"],
        *,
        default: None = None,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> list[str | None]: ...
    @overload
    def lookup_many(
        self,
        rows: list[_R] | tuple[_R, ...],
        want: Literal["prefix"],
        *,
        default: _D,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> list[str | _D | None]: ...
    # A column, whose type is known only at run time.
    @overload
    def lookup_many(
        self,
        rows: list[_R] | tuple[_R, ...],
        want: str,
        *,
        default: object = None,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> list[Cell]: ...
    @overload
    def lookup_many(
        self,
        rows: list[_R] | tuple[_R, ...],
        want: list[str] | tuple[str, ...],
        *,
        default: object = None,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> dict[str, list[Any]]: ...
    @overload
    def lookup_many(
        self,
        rows: npt.NDArray[np.generic],
        want: str = "value",
        *,
        default: object = None,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> npt.NDArray[np.generic]: ...
    @overload
    def lookup_many(
        self,
        rows: npt.NDArray[np.generic],
        want: list[str] | tuple[str, ...],
        *,
        default: object = None,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> dict[str, npt.NDArray[np.generic]]: ...
    # Arrow data: the result has the type of the library that the rows come from.
    @overload
    def lookup_many(
        self,
        rows: object,
        want: str | list[str] | tuple[str, ...] = "value",
        *,
        default: object = None,
        on_error: Literal["null", "raise"] = "null",
        threads: int = 1,
        family: Family | None = None,
        report: Report | None = None,
        prefixes: bool = False,
    ) -> Any: ...
    @overload
    def lookup_first64(
        self,
        first: npt.NDArray[np.uint64],
        low: npt.NDArray[np.uint64] | None = None,
        *,
        want: str = "value",
        default: object = None,
        threads: int = 1,
        report: Report | None = None,
    ) -> npt.NDArray[np.generic]: ...
    @overload
    def lookup_first64(
        self,
        first: npt.NDArray[np.uint64],
        low: npt.NDArray[np.uint64] | None = None,
        *,
        want: list[str] | tuple[str, ...],
        default: object = None,
        threads: int = 1,
        report: Report | None = None,
    ) -> dict[str, npt.NDArray[np.generic]]: ...
    @overload
    @classmethod
    def from_arrow(
        cls, networks: ArrowData, values: ArrowData, *, scheme: str | None = None
    ) -> Table[object]: ...
    @overload
    @classmethod
    def from_arrow(
        cls,
        networks: _Frame,
        values: None = None,
        *,
        network: str | Sequence[str] | None = None,
        scheme: str | None = None,
    ) -> Table[Row]: ...
    def _repr_html_(self) -> str: ...
    def match(self, address: Address, *, family: Family | None = None) -> tuple[str, _V] | None: ...
    def all_matches(self, address: Address, *, family: Family | None = None) -> list[tuple[str, _V]]: ...
    def covering(self, prefix: Prefix) -> list[tuple[str, _V]]: ...
    def covered(self, prefix: Prefix) -> list[tuple[str, _V]]: ...
    def match_prefix(self, prefix: Prefix) -> tuple[str, _V] | None: ...
    def parent(self, prefix: Prefix) -> tuple[str, _V] | None: ...
    def children(self, prefix: Prefix) -> list[tuple[str, _V]]: ...
    def freeze(self) -> None: ...
    @property
    def frozen(self) -> bool: ...
    def copy(self) -> Table[_V]: ...
    def __copy__(self) -> Table[_V]: ...
    def __deepcopy__(self, memo: dict[int, object]) -> Table[_V]: ...
    def stats(self) -> dict[str, object]: ...
    @property
    def memory(self) -> int: ...
    @property
    def scheme(self) -> str: ...
    @property
    def value_kind(self) -> Literal["object", "int", "rows"]: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def types(self) -> dict[str, type]: ...
    @property
    def report(self) -> TableReport | None: ...
    def save(self, path: Path) -> None: ...
    @staticmethod
    def open(path: Path) -> Table[Any]: ...
    @overload
    @staticmethod
    def from_file(
        path: Path | _Stream,
        *,
        network: str | Sequence[str] | None = None,
        columns: str,
        types: Mapping[str, type] | None = None,
        routing_table: str | None = None,
        aliases: bool = False,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[Cell]: ...
    @overload
    @staticmethod
    def from_file(
        path: Path | _Stream,
        *,
        network: str | Sequence[str] | None = None,
        columns: tuple[str],
        types: Mapping[str, type] | None = None,
        routing_table: str | None = None,
        aliases: bool = False,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[Cell]: ...
    @overload
    @staticmethod
    def from_file(
        path: Path | _Stream,
        *,
        network: str | Sequence[str] | None = None,
        columns: tuple[str, str, Unpack[tuple[str, ...]]],
        types: Mapping[str, type] | None = None,
        routing_table: str | None = None,
        aliases: bool = False,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[dict[str, Cell]]: ...
    @overload
    @staticmethod
    def from_file(
        path: Path | _Stream,
        *,
        network: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        types: Mapping[str, type] | None = None,
        routing_table: str | None = None,
        aliases: bool = False,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[Row]: ...
    @overload
    @staticmethod
    def from_csv(
        path: Path | _Stream,
        *,
        network: str | Sequence[str] | None = None,
        columns: str,
        types: Mapping[str, type] | None = None,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[Cell]: ...
    @overload
    @staticmethod
    def from_csv(
        path: Path | _Stream,
        *,
        network: str | Sequence[str] | None = None,
        columns: tuple[str],
        types: Mapping[str, type] | None = None,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[Cell]: ...
    @overload
    @staticmethod
    def from_csv(
        path: Path | _Stream,
        *,
        network: str | Sequence[str] | None = None,
        columns: tuple[str, str, Unpack[tuple[str, ...]]],
        types: Mapping[str, type] | None = None,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[dict[str, Cell]]: ...
    @overload
    @staticmethod
    def from_csv(
        path: Path | _Stream,
        *,
        network: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        types: Mapping[str, type] | None = None,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[Row]: ...
    @staticmethod
    def from_text(
        path: Path | _Stream,
        *,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[Cell]: ...
    @staticmethod
    def from_mrt(
        path: Path | _Stream,
        *,
        peer: str | int | IPv4Address | IPv6Address | None = None,
        skip_bad: int = 0,
        strict: bool = False,
        family: Family | None = None,
        scheme: str | None = None,
    ) -> Table[dict[str, Cell]]: ...

def _register_sql_functions(module_path: str) -> bool: ...
def _set_sql_table(name: str, table: Table[Any]) -> None: ...
def _remove_sql_table(name: str, message: str) -> None: ...
def _hold_lookup(
    table: Table[Any], want: str | Sequence[str], default: object, on_error: str, threads: int
) -> tuple[int, str | None, ArrowColumn]: ...
