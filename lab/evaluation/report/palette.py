"""The colours of the report for light and dark, and the contrast between two colours.

A figure names colours as CSS variables, so that one picture serves both modes. tests/evaluation/report_palette_test.py computes
that text has a contrast of 4.5 to 1 and marks of 3 to 1 in both.
"""

# `paper` is the background, `shade` that of table heads and notes. Texts use ink, quiet and the verdicts' colours.
LIGHT = {
    "paper": "#ffffff",
    "shade": "#f4f5f3",
    "ink": "#1d2329",
    "quiet": "#58616b",
    "line": "#d9dcdf",
    "grid": "#e6e8ea",
    "link": "#0a5cb8",
    "warn": "#8a4500",
    "good": "#1b6e3c",
    "fair": "#7a5a00",
    "poor": "#a8322d",
    "band": "#8b939c",
    "default": "#0b63c5",
    "baseline": "#c05a08",
    "m1": "#3f7f78",
    "m2": "#8a5c94",
    "m3": "#76762f",
    "m4": "#5c7085",
    "m5": "#a95a67",
    "m6": "#8a6a4a",
}
DARK = {
    "paper": "#15181c",
    "shade": "#1e2227",
    "ink": "#e6e9ec",
    "quiet": "#a0a9b3",
    "line": "#3a4149",
    "grid": "#2a3037",
    "link": "#7ab8ff",
    "warn": "#f0b070",
    "good": "#74c793",
    "fair": "#dcbc5c",
    "poor": "#f09088",
    "band": "#78828c",
    "default": "#55a6ff",
    "baseline": "#f29a4e",
    "m1": "#79b3ab",
    "m2": "#c29acb",
    "m3": "#b5b568",
    "m4": "#96aabf",
    "m5": "#da929d",
    "m6": "#c4a380",
}
MODES = {"light": LIGHT, "dark": DARK}
TEXTS = ("ink", "quiet", "link", "warn", "good", "fair", "poor")
GROUNDS = ("paper", "shade")
MARKS = ("default", "baseline", "m1", "m2", "m3", "m4", "m5", "m6", "band")
MUTED = ("m1", "m2", "m3", "m4", "m5", "m6")
# The share of the default scheme's colour in the darkest cell of a matrix.
STRONGEST_CELL = 0.4


def variable(name: str) -> str:
    return f"var(--{name})"


def style_sheet() -> str:
    """Returns the variables of both modes; print is always light."""

    def block(colours: dict[str, str]) -> str:
        return "".join(f"--{name}:{colour};" for name, colour in colours.items())

    return (
        f":root{{color-scheme:light dark;{block(LIGHT)}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{block(DARK)}}}}}\n"
    )


def channels(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def mixed(colour: str, ground: str, share: float) -> str:
    """Returns `share` of a colour over a ground, as color-mix in srgb does."""
    parts = [share * a + (1 - share) * b for a, b in zip(channels(colour), channels(ground), strict=True)]
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def luminance(colour: str) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, other: str) -> float:
    """Returns the WCAG 2 contrast, from 1 to 21."""
    high, low = sorted((luminance(first), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
