"""Docstrings are plain text with examples; Sphinx reads reStructuredText. Makes the one into the other."""

import re
import textwrap

ARGUMENTS = re.compile(r"^(\w+(?:, \w+)*): (.*)$")
MARKUP = re.compile(r"([*|\\]|(?<=\w)_(?!\w))")


def escaped(text: str) -> str:
    parts = text.split("`")
    parts[::2] = [MARKUP.sub(r"\\\1", part) for part in parts[::2]]
    return "`".join(parts) if len(parts) % 2 else "'".join(parts)


def paragraph_as_rst(lines: list[str]) -> list[str]:
    if lines[0].lstrip().startswith(">>>"):
        return textwrap.dedent("\n".join(lines)).split("\n")
    if all(line.startswith("    ") for line in lines):
        return ["::", "", *lines]
    if not any(ARGUMENTS.match(line) for line in lines):
        return [escaped(line.strip()) for line in lines]
    # One item for each argument, with the lines that go on with it; text above them is a paragraph.
    made: list[str] = []
    in_list = False
    for line in lines:
        found = ARGUMENTS.match(line)
        if found:
            if made and not in_list:
                made.append("")
            in_list = True
            names = ", ".join(f"``{name}``" for name in found[1].split(", "))
            made.append(f"- {names}: {escaped(found[2])}")
        else:
            made.append(("  " if in_list else "") + escaped(line.strip()))
    return made


def as_rst(lines: list[str]) -> list[str]:
    made: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            made += [*paragraph_as_rst(paragraph), ""]
            paragraph = []
    return made
