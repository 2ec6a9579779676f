#!/usr/bin/env python3
"""Runs pages: checks that commands print exactly what the page shows.

    tests/pages/run.py [--update] PAGE.md ...

A page runs in an empty folder, where $FINGERPOST is the program. It consists of prose and fenced blocks. A block ```` ```text NAME ````
is a file of this name. A block ```` ```console ```` contains bash commands as `$ COMMAND`, continued by lines `> MORE`. Each is followed
by its errors, its output, and its exit code in brackets unless that is 0, or N in a block ```` ```console N ````.

`{...}` matches anything within a line; alone on a line it matches any number of lines. `(no line end)` marks output without a final line
end. Control characters are shown as `␉`, other bytes as `⟨ff⟩`. $TESTS is the folder `tests`.

--update writes the current output into the pages, and keeps each `{...}` that still matches.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (?P<command>.*\n(?:> .*\n)*)(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
ANYTHING = "{...}"
SECONDS = 590
SETTINGS = ("FINGERPOST_ISA", "FINGERPOST_TUNE", "FINGERPOST_TABLE", "FINGERPOST_EVALUATION", "COLUMNS", "NO_COLOR", "TERM", "PYTHONPATH")


class Wrong(Exception):
    pass


@dataclass
class Page:
    path: Path
    folder: Path
    commands: int = 0

    def environment(self) -> dict[str, str]:
        plain = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        return plain | {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "XDG_CONFIG_HOME": str(self.folder / "home"), "TESTS": str(Path(__file__).resolve().parents[1]),
        }  # fmt: skip

    def run(self, command: str, usual: int) -> str:
        self.commands += 1
        script = "set -o pipefail\n" + re.sub(r"^> ", "", command, flags=re.MULTILINE)
        try:
            done = subprocess.run(
                ["bash", "-c", script], cwd=self.folder / "here", env=self.environment(), capture_output=True, stdin=subprocess.DEVNULL,
                check=False, timeout=SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Wrong(f"{self.path}: no end after {SECONDS} s: $ {command}") from None
        if "fingerpost" in command and "2>&1" not in command and re.search(rb"^fingerpost: ", done.stdout, re.MULTILINE):
            raise Wrong(f"{self.path}: a message on stdout: $ {command}{shown(done.stdout)}")
        return shown(done.stderr) + shown(done.stdout) + (f"[{done.returncode}]\n" if done.returncode != usual else "")


def shown(data: bytes) -> str:
    """The output in the notation of a page: every byte is visible, and the last line has an end."""

    def visible(match: re.Match[str]) -> str:
        char = match[0]
        if ord(char) < 0x20 or char == "\x7f":
            return chr(0x2421 if char == "\x7f" else 0x2400 + ord(char))
        return "".join(f"⟨{byte:02x}⟩" for byte in char.encode("utf-8", "surrogateescape"))

    text = data.decode("utf-8", "surrogateescape")
    text = re.sub("[\x00-\x09\x0b-\x1f\x7f-\x9f\udc80-\udcff]", visible, text)
    return text if not text or text.endswith("\n") else text + "\n(no line end)\n"


def fits(line: str, wanted: str) -> bool:
    return line == wanted or (ANYTHING in wanted and re.fullmatch(".*".join(map(re.escape, wanted.split(ANYTHING))), line) is not None)


def matched(output: list[str], wanted: list[str]) -> tuple[int, list[str]]:
    """Returns the number of lines that differ, and the output with each `{...}` of `wanted` that still matches."""
    # costs[i][j], for the first i output lines and the first j expected lines: the number of differing lines, the number of lines that a
    # `{...}` matches, and the last step.
    costs = [[(0, 0, "")] * (len(wanted) + 1) for _ in range(len(output) + 1)]
    for i in range(len(output) + 1):
        for j in range(len(wanted) + 1):
            rest = j > 0 and wanted[j - 1] == ANYTHING
            steps = []
            if i and j:
                same = not rest and fits(output[i - 1], wanted[j - 1])
                steps.append((costs[i - 1][j - 1], 0 if same else 1, 0, "same" if same else "other"))
            if i:
                steps.append((costs[i - 1][j], 0 if rest else 1, int(rest), "any" if rest else "more"))
            if j:
                steps.append((costs[i][j - 1], 0 if rest else 1, 0, "rest" if rest else "less"))
            costs[i][j] = min(((cost[0] + more, cost[1] + lines, step) for cost, more, lines, step in steps), default=(0, 0, ""))
    kept, i, j = [], len(output), len(wanted)
    while i or j:
        step = costs[i][j][2]
        if step in ("same", "rest"):
            kept.append(wanted[j - 1])
        elif step in ("other", "more"):
            kept.append(output[i - 1])
        i -= step not in ("rest", "less")
        j -= step not in ("any", "more")
    return costs[-1][-1][0], kept[::-1]


def checked(page: Page, block: re.Match[str], text: str, update: bool) -> str:
    """Runs the commands of a block. Returns the block with their output."""
    body = block["text"]
    if not COMMAND.match(body):
        raise Wrong("a block `console` does not begin with a command")

    def run(step: re.Match[str]) -> str:
        printed = page.run(step["command"], int(block["info"].partition(" ")[2] or 0))
        differences, kept = matched(printed.splitlines(), step["output"].splitlines())
        if differences and not update:
            line = text.count("\n", 0, block.start("text") + step.start()) + 1
            diff = difflib.unified_diff(step["output"].splitlines(), kept, "page", "printed", lineterm="")
            raise Wrong(f"{page.path}:{line}: $ {step['command']}" + "\n".join([*diff][:200]))
        return f"$ {step['command']}" + "".join(f"{line}\n" for line in kept)

    return COMMAND.sub(run, body)


def check(path: Path, program: Path, update: bool) -> int:
    """Returns the number of commands."""
    text = path.read_text(encoding="utf-8")
    parts, at = [], 0
    with tempfile.TemporaryDirectory() as name:
        page = Page(path, Path(name))
        for folder in ("bin", "home", "here"):
            (page.folder / folder).mkdir()
        (page.folder / "bin/fingerpost").symlink_to(program)
        for block in FENCE.finditer(text):
            kind, _, file = block["info"].partition(" ")
            if file and kind != "console":
                (page.folder / "here" / file).write_text(block["text"], encoding="utf-8")
            elif kind == "console":
                parts += [text[at : block.start("text")], checked(page, block, text, update)]
                at = block.end("text")
    shown_only = FENCE.sub(lambda block: "" if block["info"] == "text" else block[0], text)
    if page.commands == 0 or page.commands != len(re.findall(r"^\$ ", shown_only, re.MULTILINE)):
        raise Wrong(f"{path}: {page.commands} commands ran, and there are {len(re.findall('^[$] ', shown_only, re.MULTILINE))}")
    if update:
        path.write_text("".join([*parts, text[at:]]), encoding="utf-8")
    return page.commands


def main() -> int:
    paths = [Path(word) for word in sys.argv[1:] if word != "--update"]
    program = Path(os.environ.get("FINGERPOST") or "-").resolve()
    if not paths or not os.access(program, os.X_OK) or program.is_dir():
        sys.exit("run.py: name pages, and set FINGERPOST to the program to test")
    for path in paths:
        try:
            print(f"{path}: {check(path, program, '--update' in sys.argv)} commands")
        except Wrong as wrong:
            sys.exit(f"{wrong}\nTo take what is printed: FINGERPOST={program} tests/pages/run.py --update {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
