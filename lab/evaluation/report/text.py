"""Numbers and names in the report's notation, and text escaped for HTML."""

import re
from collections.abc import Callable
from html import escape
from typing import Any

__all__ = ["HOPS", "escape", "key_text", "listed", "measured", "name_of_isa", "number", "parted", "plural", "rich", "span", "words", "writer"]

NAMES = {"series": "competitor", "mlps": "lookups a second, million/s", "mpps": "packets a second, million/s"}
# Descriptions of `next_hops` of a row. Rules with numbers are printed unchanged.
HOPS = {"unmerged": "neighbouring routes always have different next hops", "unique": "each route has a next hop of its own"}
OPTION = re.compile(r"(?<!\S)(--?[A-Za-z][\w-]*)")
ISAS = {"avx512": "AVX-512", "avx2": "AVX2", "neon": "NEON", "scalar": "scalar"}


def rich(text: str) -> str:
    """Returns prose as HTML: text in backticks becomes code, and an option such as --name is not wrapped."""
    return OPTION.sub(r'<span class="option">\1</span>', re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)))


def parted(name: str) -> str:
    """Returns a name as HTML that may wrap after the characters that join its words."""
    return re.sub("[_:]", r"\g<0><wbr>", escape(name))


def measured(value: float) -> str:
    """Returns a measured number in three digits, 16.0 like 15.9; counts are for `number`."""
    # As it will be written: 0.9996 is 1.00.
    size = abs(float(f"{value:.3g}"))
    if size >= 100:
        return f"{value:,.0f}"
    for least, digits in ((10, 1), (1, 2), (0.1, 3), (0.01, 4)):
        if size >= least:
            return f"{value:.{digits}f}"
    return f"{value:.3g}"


def writer(values: list[Any]) -> Callable[[Any], str]:
    """Returns the notation for the numbers of one column: as counts if all are whole, otherwise with three digits."""
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if all(float(value).is_integer() for value in numbers):
        return number
    return lambda value: measured(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else number(value)


def number(value: Any) -> str:
    """Returns a number with three digits, or more if it is whole; other values unchanged."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return measured(value)


def key_text(value: Any) -> str:
    """Returns a field that identifies a row as text; years and call sizes stay unchanged."""
    if isinstance(value, int) and not isinstance(value, bool) and value < 10000:
        return str(value)
    return number(value)


def span(low: Any, high: Any) -> str:
    """Returns a range, or one number if both ends have the same text."""
    written = writer([low, high])
    first, last = written(low), written(high)
    return first if first == last else f"{first} to {last}"


def plural(count: int, singular: str, many: str | None = None) -> str:
    return f"{count:,} {singular if count == 1 else many or singular + 's'}"


def listed(things: list[str], join: str = "and") -> str:
    """Returns `a, b and c`."""
    if len(things) < 2:
        return "".join(things)
    return f"{', '.join(things[:-1])} {join} {things[-1]}"


def words(field: str) -> str:
    """Returns the name of a field or of a key as words."""
    return NAMES.get(field, field.replace("_", " "))


def name_of_isa(isa: str) -> str:
    return ISAS.get(isa, isa)
