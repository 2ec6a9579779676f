"""Converts a declared figure and its rows to a Vega-Lite specification, in one width that fits a phone and half a screen.

The names of bars and dots are above their marks, so that the plot has the whole width.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .marks import Style
from .palette import variable
from .rows import Point, in_order, more_is_better
from .scales import HEADROOM, axis, axis_text, log_domain, short_text, steps_of_linear, steps_of_log, title_with_unit, widest, with_scale, wrapped
from .text import key_text

WIDTH, HEIGHT = 440, 270  # pixels; that of figures with rows follows from these
MOST_CHARACTERS = 56  # in a line of a name
LINE = 15  # pixels of a line of a name
VALUE_SPACE = 60  # for the number after a bar
NEAR = 5  # pixels between two marks of which one hides the other
ASIDE = 5  # pixels between lines that would hide each other
ROW_ASIDE = 8  # pixels between marks in a row: as high as a mark
MOST_ASIDE = 5  # places of these
INK, QUIET, GRID, PAPER = (variable(name) for name in ("ink", "quiet", "grid", "paper"))

Spec = dict[str, Any]


@dataclass(frozen=True)
class Plot:
    """The contents of a figure. All results of a figure share it, so that they share the axes."""

    figure: dict[str, Any]
    styles: dict[str, Style]
    extent: tuple[float, float]  # the least and the largest value of all results
    places: list[Any]  # of the x axis, in order
    written: Callable[[Any], str]  # a value as text


def extent_of(points: list[Point]) -> tuple[float, float]:
    ends = [value for point in points for value in (point.y, point.low, point.high) if value is not None]
    return min(ends), max(ends)


def order_of_places(figure: dict[str, Any], points: list[Point]) -> list[Any]:
    """Returns the positions on x: competitors by their value, the best first; anything else in the order of measurement."""
    if figure.get("x", "case") != figure.get("series", "series"):
        return in_order([point.x for point in points])
    best: dict[Any, float] = {}
    for point in points:
        best.setdefault(point.x, point.y)
    return sorted(best, key=lambda place: best[place], reverse=more_is_better(figure["y"]))


def place_text(figure: dict[str, Any], place: Any) -> str:
    """Returns the name of a position: what a number counts, then the number."""
    if isinstance(place, bool) or not isinstance(place, (int, float)):
        return key_text(place)
    field = str(figure.get("x", "case"))
    return f"{figure.get('x_title', field.replace('_', ' '))}: {key_text(place)}"


def value_axis(plot: Plot, most: int, **more: Any) -> tuple[Spec, float]:
    """Returns the encoding of the values and where a bar begins."""
    figure, (low, high) = plot.figure, plot.extent
    scale = figure.get("y_scale", "linear")
    ends = None
    if scale == "log" and low > 0:
        ends = log_domain(low, high)
        values = steps_of_log(*ends, most)
    else:
        scale = "linear"
        values = steps_of_linear(low, high * (1 + HEADROOM / 3), most)
    title = with_scale(title_with_unit(figure.get("y_title", figure["y"]), figure.get("y_unit", "")), scale)
    return axis(values, scale, title, ends, **more), ends[0] if ends else 0.0


def datum_of(plot: Plot, point: Point) -> Spec:
    style = plot.styles[point.series]
    datum: Spec = {
        "x": point.x,
        "place": wrapped(place_text(plot.figure, point.x), MOST_CHARACTERS),
        "series": point.series,
        "y": point.y,
        "colour": style.colour,
        "fill": PAPER if point.settled is False else style.colour,
        "shape": style.shape,
        "text": short_text(point.y) if plot.extent[1] >= 1e6 else plot.written(point.y),
        "lead": style.is_default,
    }
    if point.low is not None and point.high is not None:
        datum |= {"low": point.low, "high": point.high}
    return datum


def nominal(field: str) -> Spec:
    return {"field": field, "type": "nominal", "scale": None, "legend": None}


def base(width: float, values: list[Spec], encoding: Spec, layers: list[Spec], step: float | None = None) -> Spec:
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": width,
        "height": {"step": step} if step else HEIGHT,
        "padding": {"left": 2, "right": 2, "top": 4, "bottom": 2},
        "data": {"values": values},
        "encoding": encoding,
        "layer": layers,
        "config": {
            "background": "transparent",
            "aria": False,
            "font": "sans-serif",
            "view": {"stroke": None},
            "axis": {
                "labelColor": QUIET,
                "titleColor": QUIET,
                "gridColor": GRID,
                "domainColor": QUIET,
                "tickColor": QUIET,
                "labelFontSize": 12,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
                "labelLimit": 0,
                "titleLimit": 0,
                "labelOverlap": False,
                "labelPadding": 6,
                "titlePadding": 8,
            },
        },
    }


def quartiles(along: str) -> Spec:
    """Returns the line from the first to the third quartile."""
    return {
        "mark": {"type": "rule", "strokeWidth": 1.3},
        "transform": [{"filter": "isValid(datum.low)"}],
        "encoding": {
            along: {"field": "low", "type": "quantitative"},
            along + "2": {"field": "high"},
            "color": {"value": INK} if along == "x" else nominal("colour"),
        },
    }


def symbols(size: float) -> Spec:
    return {
        "mark": {"type": "point", "filled": True, "opacity": 1, "strokeWidth": 1.4},
        "encoding": {
            "shape": nominal("shape"),
            "fill": nominal("fill"),
            "stroke": nominal("colour"),
            "size": {"condition": {"test": "datum.lead", "value": size * 1.25}, "value": size},
        },
    }


def most_lines(places: list[str]) -> int:
    return max((place.count("\n") + 1 for place in places), default=1)


def row_of(places: list[str]) -> Spec:
    """Returns the encoding of the rows. Their names are not labels of an axis."""
    return {"field": "place", "type": "nominal", "sort": None, "title": None, "axis": None, "scale": {"domain": places, "padding": 0}}


def names_above(places: list[str], bottom: float) -> list[Spec]:
    """Returns layers of names at the left end, above the marks of each position; `bottom` counts from the middle of a row.

    Vega aligns the first line of a text there and not the last, so names with equally many lines form a layer.
    """
    layers = []
    for count in sorted({place.count("\n") for place in places}):
        own = [{"place": place} for place in places if place.count("\n") == count]
        mark = {"type": "text", "align": "left", "baseline": "bottom", "fontSize": 12, "lineHeight": LINE, "lineBreak": "\n"}
        layers.append(
            {
                "data": {"values": own},
                "mark": mark | {"dy": bottom - LINE * count},
                "encoding": {"text": {"field": "place"}, "color": {"value": INK}, "x": {"value": 0}},
            }
        )
    return layers


def numbers_after(offset: float, gap: float = 9) -> Spec:
    """Returns the layer of numbers after the marks and their quartiles."""
    return {
        "mark": {"type": "text", "align": "left", "baseline": "middle", "dx": gap, "fontSize": 11.5, "yOffset": offset},
        "transform": [{"calculate": "isValid(datum.high) ? max(datum.y, datum.high) : datum.y", "as": "end"}],
        "encoding": {"x": {"field": "end", "type": "quantitative"}, "text": {"field": "text"}, "color": {"value": INK}},
    }


def bars(plot: Plot, points: list[Point]) -> Spec:
    """Horizontal bars, or a group of them at each position, with the number after each bar."""
    places = [wrapped(place_text(plot.figure, place), MOST_CHARACTERS) for place in plot.places]
    lines_above = most_lines(places)
    names = [name for name in plot.styles if any(point.series == name for point in points)]
    grouped = plot.figure.get("x", "case") != plot.figure.get("series", "series") and len(names) > 1
    count = len(names) if grouped else 1
    x, zero = value_axis(plot, 5, domain=False, ticks=False)
    thick = 14 if count == 1 else 13
    step = count * thick + 11 + LINE * lines_above
    shift = LINE * lines_above / 2
    if grouped:
        lanes = {name: (at - (count - 1) / 2) * thick + shift for at, name in enumerate(names)}
    else:
        lanes = dict.fromkeys(names, float(shift))
    layers: list[Spec] = []
    data = [datum_of(plot, point) for point in points]
    for name in names:
        offset = lanes[name]
        chosen = [{"filter": {"field": "series", "equal": name}}] if len(names) > 1 and grouped else []
        bar: Spec = {
            "mark": {"type": "bar", "height": thick - 2, "yOffset": offset, "strokeWidth": 1.4},
            "encoding": {"x": x | {"field": "y"}, "x2": {"datum": zero}, "fill": nominal("fill"), "stroke": nominal("colour")},
        }
        line = quartiles("x")
        line["mark"] = line["mark"] | {"yOffset": offset}
        for layer in (bar, line, numbers_after(offset, 6)):
            layers.append(layer | {"transform": chosen + layer.get("transform", [])})
        if not grouped:
            break
    layers += names_above(places, shift - count * thick / 2 - 1)
    return base(WIDTH - VALUE_SPACE - 4, data, {"y": row_of(places)}, layers, step)


def dots(plot: Plot, points: list[Point]) -> Spec:
    """A line for each position with a mark for each series.

    Up to four series have their own lanes; with more, series that would hide each other are shifted.
    """
    places = [wrapped(place_text(plot.figure, place), MOST_CHARACTERS) for place in plot.places]
    names = list(plot.styles)
    x, _ = value_axis(plot, 5, domain=False, ticks=False)
    alone = plot.figure.get("x", "case") == plot.figure.get("series", "series")
    shift = LINE * most_lines(places) / 2
    if len(names) <= 4:
        lanes = {name: ROW_ASIDE * (at - (len(names) - 1) / 2) for at, name in enumerate(names)}
    else:
        lanes = {} if alone else shifts_of_coinciding(plot, points, WIDTH, ROW_ASIDE, ROW_ASIDE)
    lowest, highest = min(lanes.values(), default=0), max(lanes.values(), default=0)
    step = max(17, highest - lowest + 15) + 2 * shift + 3
    layers: list[Spec] = []
    data = [datum_of(plot, point) for point in points]
    # The leading series is drawn last, on top of the others.
    for name in sorted(names, key=lambda entry: plot.styles[entry].is_default):
        offset = lanes.get(name, 0) + shift
        chosen = [{"filter": {"field": "series", "equal": name}}]
        line, mark = quartiles("x"), symbols(62)
        line["mark"] = line["mark"] | {"yOffset": offset}
        line["encoding"] = line["encoding"] | {"color": nominal("colour")}
        mark["mark"] = mark["mark"] | {"yOffset": offset}
        mark["encoding"] = mark["encoding"] | {"x": x | {"field": "y"}}
        for layer in (line, mark):
            layers.append(layer | {"transform": chosen + layer.get("transform", [])})
    if alone:
        layers.append(numbers_after(shift))
    layers += names_above(places, shift - max(10, 5 - lowest))
    return base(WIDTH - (VALUE_SPACE if alone else 24), data, {"y": row_of(places)}, layers, step)


def shifts_of_coinciding(plot: Plot, points: list[Point], length: float, aside: float = ASIDE, close: float = NEAR) -> dict[str, float]:
    """Returns the shift of each series in pixels, so that none hides another one with equal values.

    `length` is the length of the value axis. The default scheme is not shifted, nor is a series that does not coincide with an earlier
    one.
    """
    low, high = plot.extent
    logarithmic = plot.figure.get("y_scale", "linear") == "log" and low > 0
    # A linear axis includes zero.
    low, high = (low, high) if logarithmic else (min(low, 0.0), max(high, 0.0))

    def pixel(value: float) -> float:
        if high <= low:
            return 0.0
        return length * (math.log(value / low) / math.log(high / low) if logarithmic else (value - low) / (high - low))

    at: dict[str, dict[Any, float]] = {}
    for point in points:
        at.setdefault(point.series, {}).setdefault(point.x, pixel(point.y))
    places: dict[str, int] = {}
    for name in sorted(at, key=lambda entry: not plot.styles[entry].is_default):
        near = {places[other] for other in places if any(abs(at[name][x] - at[other][x]) < close for x in at[name].keys() & at[other].keys())}
        places[name] = next((place for place in range(MOST_ASIDE) if place not in near), len(at) % MOST_ASIDE)
    return {name: aside * ((place + 1) // 2) * (1 if place % 2 else -1) for name, place in places.items()}


def lines(plot: Plot, points: list[Point], joined: bool = True) -> Spec:
    """Marks over an axis of numbers or positions, joined by lines."""
    figure = plot.figure
    y, _ = value_axis(plot, 6, domain=False, ticks=False)
    labels = [tick for tick in y["axis"]["values"]]
    room = widest([axis_text(value) for value in labels])
    y["axis"] |= {"minExtent": room, "titleAngle": 0, "titleAlign": "left", "titleAnchor": "start", "titleX": -room - 6, "titleY": -12}
    scale = figure.get("x_scale") or ("linear" if all(isinstance(place, (int, float)) for place in plot.places) else "ordinal")
    title = title_with_unit(figure.get("x_title", figure.get("x", "case")), figure.get("x_unit", ""))
    x: Spec
    if scale == "ordinal" or not all(isinstance(place, (int, float)) for place in plot.places):
        places = [key_text(place) for place in plot.places]
        room_for_one = (WIDTH - room) / max(len(places), 1)
        slanted = widest(places) > room_for_one - 6
        look: Spec = {"grid": False, "labelAngle": -50 if slanted else 0, "labelColor": INK}
        if slanted:
            look |= {"labelAlign": "right", "labelBaseline": "middle", "minExtent": widest(places) * 0.8}
        x = {"field": "place", "type": "ordinal", "sort": None, "title": title, "axis": look, "scale": {"type": "point", "domain": places, "padding": 0.5}}
    else:
        low, high = min(plot.places), max(plot.places)
        if scale == "log" and low > 0:
            ends: tuple[float, float] | None = log_domain(low, high)
            few = len(plot.places) <= 6 and all(len(axis_text(place)) <= 4 for place in plot.places)
            values = [float(value) for value in plot.places] if few else steps_of_log(*log_domain(low, high), 6)
        else:
            scale, ends, values = "linear", None, steps_of_linear(low, high, 6)
        x = axis(values, scale, with_scale(title, scale), ends, grid=False) | {"field": "x"}
    layers: list[Spec] = []
    shifts = shifts_of_coinciding(plot, points, HEIGHT)
    # The axis title names the unit, so that the labels are short.
    data = [datum_of(plot, point) | {"place": key_text(point.x)} for point in points]
    for name in sorted(plot.styles, key=lambda entry: plot.styles[entry].is_default):
        style = plot.styles[name]
        chosen = [{"filter": {"field": "series", "equal": name}}]
        aside = {"xOffset": shifts.get(name, 0)}
        if joined:
            line = {"type": "line", "strokeWidth": 2.6 if style.is_default else 1.6} | aside
            layers.append({"mark": line, "transform": chosen, "encoding": {"x": x, "y": y | {"field": "y"}, "color": nominal("colour")}})
        bar, mark = quartiles("y"), symbols(52 if joined else 78)
        bar["mark"], mark["mark"] = bar["mark"] | aside, mark["mark"] | aside
        bar["encoding"] = bar["encoding"] | {"x": x}
        mark["encoding"] = mark["encoding"] | {"x": x, "y": y | {"field": "y"}}
        for layer in (bar, mark):
            layers.append(layer | {"transform": chosen + layer.get("transform", [])})
    result = base(WIDTH - room - 34, data, {}, layers)
    result["padding"] = {"left": 2, "right": 18, "top": 6, "bottom": 2}
    return result


def spec_of(plot: Plot, points: list[Point]) -> Spec:
    """Returns the specification of a figure of the kinds bars, lines and points."""
    kind = plot.figure["kind"]
    numeric = all(isinstance(place, (int, float)) for place in plot.places)
    if kind == "lines":
        return lines(plot, points)
    if kind == "points" and numeric and plot.figure.get("x_scale") != "ordinal":
        return lines(plot, points, joined=False)
    names = {point.series for point in points}
    alone = plot.figure.get("x", "case") == plot.figure.get("series", "series")
    if kind == "points" or (len(names) > 3 and not alone) or plot.figure.get("y_scale") == "log":
        return dots(plot, points)
    return bars(plot, points)


def verdict_spec(lines_of: list[Spec]) -> Spec:
    """Ranges of ratios on one logarithmic axis: a paper's as a broad band, ours as a line with a dot for each case.

    A line has `place`, its name, `paper_low` and `paper_high`, and `numbers`.
    """
    lines_of = [entry | {"place": wrapped(entry["place"], MOST_CHARACTERS)} for entry in lines_of]
    places = [entry["place"] for entry in lines_of]
    everything = [1.0, *(value for entry in lines_of for value in (entry["paper_low"], entry["paper_high"], *entry["numbers"]))]
    ends = log_domain(min(everything), max(everything))
    x = axis(steps_of_log(*ends, 6), "log", "ratio", ends, domain=False, ticks=False)
    shift = LINE * most_lines(places) / 2

    def rule(low: str, high: str, colour: str, thick: float) -> Spec:
        mark = {"type": "rule", "strokeWidth": thick, "color": variable(colour), "yOffset": shift}
        return {"mark": mark, "encoding": {"x": x | {"field": low}, "x2": {"field": high}}}

    # A paper's single value is a band of 5 pixels, so that it can be seen.
    across = WIDTH - 24
    wider = (ends[1] / ends[0]) ** (2.5 / across)
    data = [
        {
            "place": entry["place"],
            "paper_low": entry["paper_low"] / (wider if entry["paper_low"] == entry["paper_high"] else 1),
            "paper_high": entry["paper_high"] * (wider if entry["paper_low"] == entry["paper_high"] else 1),
            "low": min(entry["numbers"]),
            "high": max(entry["numbers"]),
        }
        for entry in lines_of
    ]
    dots_of = {
        "data": {"values": [{"place": entry["place"], "y": value} for entry in lines_of for value in entry["numbers"]]},
        "mark": {"type": "point", "filled": True, "size": 58, "opacity": 1, "fill": variable("default"), "yOffset": shift} | {"stroke": PAPER, "strokeWidth": 1},
        "encoding": {"x": x | {"field": "y"}},
    }
    same = {"mark": {"type": "rule", "strokeDash": [3, 3], "color": QUIET}, "encoding": {"x": x | {"datum": 1}, "y": {"value": 0}, "y2": {"value": "height"}}}
    layers = [rule("paper_low", "paper_high", "band", 12), same, rule("low", "high", "default", 2.2), dots_of]
    layers += names_above(places, shift - 10)
    return base(across, data, {"y": row_of(places)}, layers, 2 * shift + 23)


__all__ = ["Plot", "extent_of", "order_of_places", "spec_of", "verdict_spec"]
