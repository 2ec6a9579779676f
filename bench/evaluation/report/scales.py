"""Axes: which numbers stand at them, and how a figure's width is shared between labels and plot."""

import math
from typing import Any

CHARACTER = 7.0  # at most so wide in 12 pixels of any font that a browser may take
HEADROOM = 0.06


def steps_of_log(low: float, high: float, most: int) -> list[float]:
    """Returns round numbers around a range: 1, 2 and 5 of each power of ten, or powers alone where these are too many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for factors in ((1, 2, 5), (1, 3), (1,)):
        marks = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        below = [mark for mark in marks if mark <= low * 1.0001]
        above = [mark for mark in marks if mark >= high / 1.0001]
        start = below[-1] if below else marks[0]
        end = above[0] if above else marks[-1]
        chosen = [mark for mark in marks if start <= mark <= end]
        if len(chosen) <= most:
            return chosen
    power = math.ceil((last - first) / (most - 1))
    return [10.0**at for at in range(first, last + power, power)]


def steps_of_linear(high: float, most: int) -> list[float]:
    """Returns round numbers from zero to at least `high`."""
    if high <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(high / most))
    for factor in (1, 2, 2.5, 5, 10, 20, 25, 50, 100):
        step = factor * power
        count = math.ceil(high / step - 1e-9)
        if count <= most:
            return [step * at for at in range(count + 1)]
    raise AssertionError("the factors reach further than ten times")


def axis_text(value: float) -> str:
    """Returns the number at a mark: short, since marks stand close."""
    if value == 0:
        return "0"
    for least, word in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= least:
            return f"{value / (1e3 if word == 'k' else least):.4g}{word}"
    return f"{value:.4g}"


def label_expression(values: list[float]) -> str:
    """Returns the labels of an axis as an expression of Vega, which knows the value alone."""
    pairs = " : ".join(f"abs(datum.value - {value:.12g}) <= {abs(value) * 1e-6 + 1e-12:.3g} ? '{axis_text(value)}'" for value in values)
    return f"{pairs} : ''"


def axis(values: list[float], scale: str, title: str, **more: Any) -> dict[str, Any]:
    """Returns the encoding of a numeric axis: its scale from the first to the last mark, and its title."""
    return {
        "type": "quantitative",
        "title": title,
        "scale": {"type": scale, "domain": [values[0], values[-1]], "nice": False, "zero": False},
        "axis": {"values": values, "labelExpr": label_expression(values), **more},
    }


def title_with_unit(title: str, unit: str) -> str:
    return f"{title}, {unit}" if unit and unit not in title else title


def widest(labels: list[str]) -> float:
    return CHARACTER * max((len(label) for label in labels), default=0)
