"""The colour and the shape of each series, and the legend: written as HTML, so that it wraps and is the same for all widths."""

from dataclasses import dataclass

from .palette import MUTED, variable
from .text import escape, plural

MOST_NAMED = 7  # others besides the default scheme and the baseline: more cannot be told apart
OTHERS = (1, 2, 4, 5, 6, 7)  # shapes

# In a square from -1 to 1, as Vega wants them.
SHAPES = (
    "M-.8,0A.8,.8,0,1,1,.8,0A.8,.8,0,1,1,-.8,0Z",
    "M-.7,-.7H.7V.7H-.7Z",
    "M0,-1L.95,.7H-.95Z",
    "M0,-1L.85,0L0,1L-.85,0Z",
    "M0,1L.95,-.7H-.95Z",
    "M-.3,-.9H.3V-.3H.9V.3H.3V.9H-.3V.3H-.9V-.3H-.3Z",
    "M1,0L-.7,.95V-.95Z",
    "M-1,0L.7,.95V-.95Z",
)


@dataclass(frozen=True)
class Style:
    colour: str
    shape: str
    is_default: bool
    is_named: bool


def plain(name: str) -> str:
    """Returns the scheme that a series is of, without its variant and version."""
    return name.split(":")[0].split(" ")[0]


def styles(names: list[str], default: str, baseline: str, named: int = MOST_NAMED, alone: bool = False) -> dict[str, Style]:
    """Returns a style for each name, the best first: the default scheme and the baseline have colours of their own, others muted ones.

    Colour and shape together are unique for the first `named`; the others are dots of one colour. With `alone` every name stands at
    its marks, so that all others have one colour.
    """
    lead = default if default in names else next((name for name in names if plain(name) == default), None)
    second = baseline if baseline in names else None
    if lead is None and second is None and names:
        lead = names[0]
    found: dict[str, Style] = {}
    others = 0
    for name in names:
        if name == lead:
            found[name] = Style(variable("default"), SHAPES[0], True, True)
        elif name == second:
            found[name] = Style(variable("baseline"), SHAPES[3], False, True)
        elif alone or others >= named:
            found[name] = Style(variable("band"), SHAPES[0], False, False)
        else:
            turn, colour = divmod(others, len(MUTED))
            found[name] = Style(variable(MUTED[colour]), SHAPES[OTHERS[(colour + turn) % len(OTHERS)]], False, True)
            others += 1
    return found


def legend(known: dict[str, Style]) -> str:
    """Returns the legend, with one entry for all that have no style of their own."""
    if len(known) < 2:
        return ""
    parts = []
    unnamed = [name for name, style in known.items() if not style.is_named]
    for name, style in known.items():
        if not style.is_named:
            continue
        text = f"<b>{escape(name)}</b>" if style.is_default else escape(name)
        parts.append(f"<li>{symbol(style)}{text}</li>")
    if unnamed:
        text = plural(len(unnamed), "other") + ", named in the table below"
        parts.append(f"<li>{symbol(known[unnamed[0]])}{text}</li>")
    return f'<ul class="legend">{"".join(parts)}</ul>'


def symbol(style: Style) -> str:
    return f'<svg viewBox="-1.2 -1.2 2.4 2.4" aria-hidden="true"><path fill="{style.colour}" d="{style.shape}"/></svg>'
