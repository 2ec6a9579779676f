"""The colour and shape of each series, and the legend, which is HTML so that it wraps and is equal for all widths."""

from dataclasses import dataclass

from .palette import MUTED, variable
from .text import escape, plural

MOST_NAMED = 7  # others besides the default scheme and the baseline: readers cannot distinguish more
OTHERS = (1, 2, 4, 5, 6, 7, 8)  # shapes
# Besides the default scheme and the baseline, the schemes that stand in most figures: each has one style in the whole report.
FREQUENT = (
    "poptrie",
    "hbs",
    "neurotrie",
    "cp_trie",
    "patricia",
    "fib6_radix",
    "binary_search_on_lengths",
    "multibit_fixed",
    "tree_bitmap",
    "sail_l",
)

# In a square from -1 to 1, as Vega requires.
SHAPES = (
    "M-.8,0A.8,.8,0,1,1,.8,0A.8,.8,0,1,1,-.8,0Z",
    "M-.7,-.7H.7V.7H-.7Z",
    "M0,-1L.95,.7H-.95Z",
    "M0,-1L.85,0L0,1L-.85,0Z",
    "M0,1L.95,-.7H-.95Z",
    "M-.3,-.9H.3V-.3H.9V.3H.3V.9H-.3V.3H-.9V-.3H-.3Z",
    "M1,0L-.7,.95V-.95Z",
    "M-1,0L.7,.95V-.95Z",
    "M-.9,-.55L-.55,-.9L0,-.35L.55,-.9L.9,-.55L.35,0L.9,.55L.55,.9L0,.35L-.55,.9L-.9,.55L-.35,0Z",
)


@dataclass(frozen=True)
class Style:
    colour: str
    shape: str
    is_default: bool
    is_named: bool


def plain(name: str) -> str:
    """Returns the scheme of a series, without variant and version."""
    return name.split(":")[0].split(" ")[0]


def fixed_style(at: int) -> Style:
    """Returns a pair of colour and shape, of which there are 42."""
    turn, colour = divmod(at, len(MUTED))
    return Style(variable(MUTED[colour]), SHAPES[OTHERS[(colour + turn) % len(OTHERS)]], False, True)


class Styler:
    """Assigns a style to each series. A scheme of FREQUENT always has the same one; other names keep theirs within one chapter.

    The default scheme and the baseline have reserved colours, others muted ones. Colour and shape together are unique for 42 others.
    """

    def __init__(self, default: str, baseline: str) -> None:
        self.default, self.baseline = default, baseline
        self.known: dict[str, Style] = {}

    def other(self, name: str, beside: list[Style]) -> Style:
        """Returns the style of a name. A new name gets a shape and a colour that no adjacent style has, if possible."""
        if name not in self.known:
            used = {fixed_style(at) for at in range(len(FREQUENT))} | set(self.known.values())
            free = [style for at in range(len(MUTED) * len(OTHERS)) if (style := fixed_style(at)) not in used]
            shapes, colours = {style.shape for style in beside}, {style.colour for style in beside}
            everything = free or [fixed_style(len(self.known))]
            self.known[name] = min(everything, key=lambda style: (style.shape in shapes, style.colour in colours))
        return self.known[name]

    def styles(self, names: list[str], alone: bool = False) -> dict[str, Style]:
        """Returns a style for each name of a figure, the best first.

        Except for the default scheme, the baseline and MOST_NAMED others, series are dots of one colour. With `alone`, names are written
        at their marks, so all others have one colour.
        """
        lead = self.default if self.default in names else next((name for name in names if plain(name) == self.default), None)
        second = self.baseline if self.baseline in names else None
        if lead is None and second is None and names and plain(names[0]) not in (*FREQUENT, self.baseline):
            lead = names[0]
        matches: dict[str, Style] = {}
        frequent = {name: fixed_style(FREQUENT.index(name)) for name in names if name in FREQUENT}
        # Names that have a style from another figure keep it, so that a new name takes another one.
        remaining = [self.known[name] for name in names if name in self.known]
        others = 0
        for name in names:
            if name == lead:
                matches[name] = Style(variable("default"), SHAPES[0], True, True)
            elif name == second:
                matches[name] = Style(variable("baseline"), SHAPES[3], False, True)
            elif alone or others >= MOST_NAMED:
                matches[name] = Style(variable("band"), SHAPES[0], False, False)
            else:
                matches[name] = frequent[name] if name in frequent else self.other(name, [*frequent.values(), *remaining, *matches.values()])
                others += 1
        return matches


def legend(known: dict[str, Style]) -> str:
    """Returns the legend, with one entry for all names without an individual style."""
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
