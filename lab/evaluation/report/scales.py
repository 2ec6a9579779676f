"""Axes: the numbers on them, and how a figure's width is divided between labels and plot."""

import math
import textwrap
from typing import Any

from .text import measured

CHARACTER = 7.8  # upper bound in any 12-pixel font that a browser may use
HEADROOM = 0.06


def steps_of_log(low: float, high: float, most: int) -> list[float]:
    """Returns round numbers within a range: 1, 2 and 5 of each power of ten, or fewer where these are too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for factors in ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1, 3), (1,)):
        marks = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        chosen = [mark for mark in marks if low / 1.0001 <= mark <= high * 1.0001]
        if len(chosen) <= most:
            return with_ends(chosen, low, high, most) or [low, high]
    every = math.ceil((last - first + 1) / most)
    return [10.0**at for at in range(first, last + 1, every) if low / 1.0001 <= 10.0**at <= high * 1.0001]


def with_ends(chosen: list[float], low: float, high: float, most: int) -> list[float]:
    """Adds a round number near each end of the range from which the chosen ones are far, while there is room."""
    finer = [factor * 10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for factor in (1, 1.5, 2, 3, 5, 7)]
    within = [mark for mark in finer if low / 1.0001 <= mark <= high * 1.0001]
    if not chosen or not within:
        return chosen
    if len(chosen) < most and chosen[0] / within[0] > 1.6:
        chosen = [within[0], *chosen]
    if len(chosen) < most and within[-1] / chosen[-1] > 1.6:
        chosen = [*chosen, within[-1]]
    return chosen


def steps_of_linear(low: float, high: float, most: int) -> list[float]:
    """Returns round numbers including zero, from at most `low` to at least `high`."""
    low, high = min(low, 0.0), max(high, 0.0)
    if high == low:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    for factor in (1, 2, 2.5, 5, 10, 20, 25, 50, 100):
        step = factor * power
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first <= most:
            return [step * at for at in range(first, last + 1)]
    raise AssertionError("the factors reach further than ten times")


def axis_text(value: float) -> str:
    """Returns the number at a mark, kept short because marks are close together."""
    if value == 0:
        return "0"
    for least, word in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= least:
            return f"{value / (1e3 if word == 'k' else least):.4g}{word}"
    return f"{value:.4g}"


def short_text(value: float) -> str:
    """Returns a large number for a mark: with three digits, and M for million."""
    for least, word in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= least:
            return f"{measured(float(f'{value:.3g}') / least)}{word}"
    return f"{value:.3g}"


def label_expression(values: list[float]) -> str:
    """Returns the labels of an axis as an expression of Vega, in which only the value is available."""
    pairs = " : ".join(f"abs(datum.value - {value:.12g}) <= {abs(value) * 1e-6 + 1e-12:.3g} ? '{axis_text(value)}'" for value in values)
    return f"{pairs} : ''"


def log_domain(low: float, high: float) -> tuple[float, float]:
    """Returns a range with some room at both ends, and a factor of at least three between them."""
    short = max(0.0, math.log(3) - math.log(high / low)) / 2
    room = math.exp(short + HEADROOM * math.log(max(high / low, 3)) / 2)
    return low / room, high * room


def axis(values: list[float], scale: str, title: str, ends: tuple[float, float] | None = None, **more: Any) -> dict[str, Any]:
    """Returns the encoding of a numeric axis: its scale between the ends, or from the first to the last mark, and its title."""
    first, last = ends or (values[0], values[-1])
    return {
        "type": "quantitative",
        "title": title,
        "scale": {"type": scale, "domain": [first, last], "nice": False, "zero": False},
        "axis": {"values": values, "labelExpr": label_expression(values), "labelFlush": False, **more},
    }


def title_with_unit(title: str, unit: str) -> str:
    return f"{title}, {unit}" if unit and unit not in title else title


def with_scale(title: str, scale: str) -> str:
    """Returns the title of an axis with a word on its scale, unless that is linear."""
    return f"{title} (log scale)" if scale == "log" else title


def wrapped(label: str, most: int) -> str:
    """Returns a name, wrapped at blanks into lines of limited length."""
    return "\n".join(textwrap.wrap(label, most, break_long_words=False, break_on_hyphens=False)) or label


def widest(labels: list[str]) -> float:
    """Returns the width of labels in pixels; labels may have several lines."""
    return CHARACTER * max((len(line) for label in labels for line in label.split("\n")), default=0) + 3
