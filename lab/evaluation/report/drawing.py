"""Renders specifications to SVG with vl-convert, and makes the output small, free of fonts and suitable for a page.

Equal specifications give equal bytes. Vega's roles and descriptions are removed: a figure is one image with one description,
followed by its table.
"""

import json
import math
import re
from typing import Any
from xml.etree import ElementTree

from .text import escape

VEGA_LITE = "5.21"
NAMESPACE = "{http://www.w3.org/2000/svg}"
DROPPED = {"class", "pointer-events", "font-family", "role", "clip-path"}
NUMBER = re.compile(r"-?\d+\.\d{2,}")
# Defaults of SVG attributes.
DEFAULTS = {"opacity": "1", "stroke-width": "1", "transform": "translate(0,0)", "text-anchor": "start", "font-weight": "normal"}


class MissingPackage(Exception):
    """vl-convert-python is not installed."""


def converter() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise MissingPackage(
            "figures are drawn by vl-convert-python, which this Python does not have: run `pip install vl-convert-python`, in an "
            "environment whose python3 comes first in PATH, or `tools/python_env report` in the source tree"
        ) from error
    return vl_convert


def rounded(text: str) -> str:
    """Returns text with its numbers rounded to one decimal: 1/10 of a pixel is invisible."""
    return NUMBER.sub(lambda matches: f"{float(matches[0]):.1f}".removesuffix(".0").replace("-0.0", "0"), text)


def is_invisible(node: ElementTree.Element) -> bool:
    """Whether a node is invisible: an empty group, or a path without a colour."""
    tag = node.tag.removeprefix(NAMESPACE)
    if tag in ("g", "defs"):
        return len(node) == 0
    if tag in ("path", "rect", "line"):
        has_fill = node.get("fill", "none") not in ("none", "transparent")
        has_stroke = node.get("stroke", "none") not in ("none", "transparent")
        return not has_fill and not has_stroke
    return tag == "text" and len(node) == 0 and not (node.text or "").strip()


def attributes(node: ElementTree.Element) -> dict[str, str]:
    remaining = {}
    for name, value in node.attrib.items():
        if name in DROPPED or name.startswith("aria-") or DEFAULTS.get(name) == value:
            continue
        if name == "style":
            continue
        if name == "font-size":
            value = value.removesuffix("px")
        remaining[name] = value if name in ("fill", "stroke") else rounded(value)
    return remaining


def written(node: ElementTree.Element) -> str:
    """Returns a node as text, without invisible nodes and redundant groups."""
    inside = "".join(written(child) for child in node)
    tag = node.tag.removeprefix(NAMESPACE)
    remaining = attributes(node)
    if tag == "g":
        remaining = {name: value for name, value in remaining.items() if name == "transform"}
        if not inside or not remaining:
            return inside
    elif is_invisible(node):
        return ""
    if tag in ("text", "tspan"):
        inside = escape(node.text or "") + inside
    start = " ".join([tag, *(f'{name}="{escape(value)}"' for name, value in remaining.items())])
    return f"<{start}>{inside}</{tag}>" if inside else f"<{start}/>"


def clean(svg: str, description: str, width: int) -> str:
    """Returns the picture with at least this width: a browser's font may need more room on the right than vl-convert's."""
    root = ElementTree.fromstring(svg)
    inside = "".join(written(child) for child in root)
    across = max(width, math.ceil(float(root.get("width", "0"))))
    down = math.ceil(float(root.get("height", "0")))
    return (
        f'<svg viewBox="0 0 {across} {down}" width="{across}" height="{down}" fill="none" role="img" '
        f'aria-label="{escape(description)}">{inside}</svg>'
    )


def draw(spec: dict[str, Any], description: str, width: int) -> str:
    """Returns a specification as SVG for this width."""
    return clean(converter().vegalite_to_svg(json.dumps(spec), vl_version=VEGA_LITE), description, width)
