#!/usr/bin/env python3
"""Compiles and runs the examples in README.md and docs/, and compares their output with the page.

An example is a fenced block whose info string ends in `run`, or in `run data` when it needs the files of $FINGERPOST_DATA/mrt in its
folder; without them it is skipped. An example in docs/use/tasks.md also finds the files of the folder docs/use/tasks, and likewise for
every page with a folder of the same name. The kinds of examples:

    ```cpp run        a whole program, compiled against the library; the `text output` block after it shows its output
    ```c run          a whole program in C99, linked to the shared library; its output follows in the same way
    ```console run    `$ command` lines, each followed by its output; one folder and one shell per page
    ```cmake run      a CMakeLists.txt next to the tree `fingerpost/` and a main.cpp; configured but not built
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from scripts import ALL, ROOT

# The position of each C++ example in the combined program, by its number.
together: dict[str, list[str]] = {}
FENCE = re.compile(r"^```(?P<info>\S[^\n]*)?\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
MRT = Path(os.environ.get("FINGERPOST_DATA") or ROOT / "../shared/data") / "mrt"
# With fewer examples than this, the pattern no longer finds all of them.
LEAST = {"cpp": 6, "c": 3, "console": 8, "cmake": 1}


@dataclass
class Example:
    where: str  # file and line
    kind: str
    text: str
    output: str | None


class Wrong(Exception):
    pass


def read_build() -> tuple[Path, dict[str, str]]:
    """Returns the build folder of the tested program and its CMake cache."""
    program = os.environ.get("FINGERPOST")
    if not program:
        sys.exit("docs_examples_test: set FINGERPOST to the program to test")
    folder = Path(program).resolve().parent.parent
    for needed in ("libfingerpost.a", "libfingerpost.so", "CMakeCache.txt"):
        if not (folder / needed).is_file():
            sys.exit(f"docs_examples_test: {folder / needed} is missing: FINGERPOST must point into a build folder")
    lines = (folder / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith(("#", "//")))
    return folder, {name.split(":")[0]: value for name, value in pairs}


def examples(page: Path) -> list[Example]:
    text = page.read_text(encoding="utf-8")
    blocks = list(FENCE.finditer(text))
    found = []
    for block, after in pairwise([*blocks, None]):
        words = (block["info"] or "").split()
        if words[1:] not in (["run"], ["run", "data"]) or (words[2:] and not MRT.is_dir()):
            continue
        line = text.count("\n", 0, block.start()) + 1
        output = after["text"] if after is not None and after["info"] == "text output" else None
        found.append(Example(f"{page.relative_to(ROOT)}:{line}", words[0], block["text"], output))
    return found


def run(command: list[str], where: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("FINGERPOST_ISA", "FINGERPOST_TUNE")}
    done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Wrong(f"{shlex.join(command)}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compare(printed: str, wanted: str) -> None:
    if printed.rstrip() != wanted.rstrip():
        raise Wrong(f"printed:\n{printed}\ninstead of:\n{wanted}")


def compile_cpp(text: str, folder: Path, build: Path, cache: dict[str, str]) -> list[str]:
    (folder / "main.cpp").write_text(text, encoding="utf-8")
    flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", f"-I{ROOT}"]
    if cache.get("FINGERPOST_SANITIZE"):
        flags.append(f"-fsanitize={cache['FINGERPOST_SANITIZE']}")
    compiler = cache.get("CMAKE_CXX_COMPILER", "g++")
    run([compiler, *flags, "main.cpp", str(build / "libfingerpost.a"), "-o", "program"], folder)
    return [str(folder / "program")]


def compile_together(pages: list[Path], folder: Path, build: Path, cache: dict[str, str]) -> None:
    """Compiles all C++ examples together, each in its own namespace. Separately they take five times as long.

    Missing includes show only when an example is compiled alone, as with FINGERPOST_TESTS=all. Examples that cannot be combined are
    always compiled alone.
    """
    found = [example for page in pages for example in examples(page) if example.kind == "cpp"]
    heads = dict.fromkeys(line for one in found for line in one.text.splitlines() if line.startswith("#include"))
    parts = [*heads]
    for number, one in enumerate(found):
        body = re.sub(r"^#include.*$", "", one.text, flags=re.MULTILINE).rstrip().removesuffix("}")
        parts.append(f"namespace example_{number} {{\n{body}return 0;\n}}\n}}")
    calls = "".join(f"    case {number}: return example_{number}::main();\n" for number in range(len(found)))
    parts.append(f"#include <cstdlib>\nint main(int, char** words) {{\n    switch (std::atoi(words[1])) {{\n{calls}    }}\n    return 99;\n}}\n")
    try:
        program = compile_cpp("\n".join(parts), folder, build, cache)
    except Wrong as wrong:
        print(f"docs_examples_test: examples are compiled one by one, as they do not fit together: {wrong}")
        return
    together.update((one.where, [*program, str(number)]) for number, one in enumerate(found))


def check_cpp(example: Example, folder: Path, build: Path, cache: dict[str, str]) -> None:
    printed = run(together.get(example.where) or compile_cpp(example.text, folder, build, cache), folder)
    if example.output is not None:
        compare(printed, example.output)


def check_c(example: Example, folder: Path, build: Path, cache: dict[str, str]) -> None:
    (folder / "main.c").write_text(example.text, encoding="utf-8")
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT / 'capi'}"]
    if cache.get("FINGERPOST_SANITIZE"):
        flags.append(f"-fsanitize={cache['FINGERPOST_SANITIZE']}")
    libraries = [f"-L{build}", "-lfingerpost", f"-Wl,-rpath,{build}"]
    run([cache.get("CMAKE_C_COMPILER") or "cc", *flags, "main.c", *libraries, "-o", "program"], folder)
    printed = run(["./program"], folder)
    if example.output is not None:
        compare(printed, example.output)


def check_console(example: Example, folder: Path, build: Path, _cache: dict[str, str]) -> None:
    """Runs each command in a separate shell: files persist, variables do not."""
    (folder / "build").mkdir(exist_ok=True)
    link = folder / "build/bin"
    if not link.exists():
        link.symlink_to(build / "bin")
    steps: list[tuple[str, list[str]]] = []
    for line in example.text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps:
            steps[-1][1].append(line)
        else:
            raise Wrong(f"output before the first command: {line}")
    for command, wanted in steps:
        script = f"set -o pipefail; PATH=$PWD/build/bin:$PATH; {{ {command}\n}} 2>&1"
        try:
            compare(run(["bash", "-c", script], folder), "\n".join(wanted))
        except Wrong as wrong:
            raise Wrong(f"$ {command}\n{wrong}") from None


def check_cmake(example: Example, folder: Path, _build: Path, cache: dict[str, str]) -> None:
    (folder / "CMakeLists.txt").write_text(example.text, encoding="utf-8")
    (folder / "main.cpp").touch()
    (folder / "fingerpost").symlink_to(ROOT)
    compiler = f"-DCMAKE_CXX_COMPILER={cache.get('CMAKE_CXX_COMPILER', 'g++')}"
    run([cache.get("CMAKE_COMMAND", "cmake"), "-S", ".", "-B", "out", compiler], folder)


def main() -> int:
    build, cache = read_build()
    checks = {"cpp": check_cpp, "c": check_c, "console": check_console, "cmake": check_cmake}
    counts = dict.fromkeys(checks, 0)
    faults = 0
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    program = tempfile.TemporaryDirectory()
    if not ALL:
        compile_together(pages, Path(program.name), build, cache)
    for page in pages:
        with tempfile.TemporaryDirectory() as scratch:
            for file in [*MRT.glob("*"), *page.with_suffix("").glob("*")]:
                (Path(scratch) / file.name).symlink_to(file.resolve())
            for example in examples(page):
                try:
                    if example.kind not in checks:
                        raise Wrong(f"no idea how to run {example.kind}")
                    counts[example.kind] += 1
                    checks[example.kind](example, Path(scratch), build, cache)
                except Wrong as wrong:
                    faults += 1
                    print(f"{example.where}: {wrong}", file=sys.stderr)
    for kind, least in LEAST.items():
        if counts[kind] < least:
            faults += 1
            print(f"docs_examples_test: only {counts[kind]} examples in {kind}, {least} are due", file=sys.stderr)
    total = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"docs_examples_test: {total}; {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
