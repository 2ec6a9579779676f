#!/usr/bin/env python3
"""Checks that fingerpost.h compiles alone as C and C++, and that libfingerpost.so exports exactly its functions."""

import os
import re
import sys
import tempfile
from pathlib import Path

from scripts import ROOT, run, want

HEADER = ROOT / "capi/fingerpost.h"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
# With fewer functions than this, the regular expression no longer matches the declarations.
LEAST = 60


def declared() -> set[str]:
    """Returns the names of the functions that the header declares."""
    code = re.sub(r"//[^\n]*", "", HEADER.read_text(encoding="utf-8"))
    return set(re.findall(r"\b(fingerpost_\w+)\([^()]*\);", code))


def exported(library: Path) -> set[str]:
    found = set()
    for line in run("nm", "-D", "--defined-only", library).stdout.splitlines():
        _, kind, name = line.split(maxsplit=2)
        if kind != "A":  # the symbol of the version itself
            found.add(name.split("@")[0])
    return found


def wanted_soname() -> str:
    text = (ROOT / "cmake/FingerpostCapi.cmake").read_text(encoding="utf-8")
    return "libfingerpost.so." + re.search(r"FINGERPOST_ABI (\d+)", text).group(1)


def soname(library: Path) -> str:
    match = re.search(r"\(SONAME\).*\[(.+)\]", run("readelf", "-d", library).stdout)
    return match.group(1) if match else ""


def compile_alone(compiler: str, standard: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / f"alone.{suffix}"
        source.write_text("#include <fingerpost.h>\ntypedef int not_empty;\n", encoding="utf-8")
        run(compiler, f"-std={standard}", *STRICT, f"-I{HEADER.parent}", source)


def main() -> int:
    build = Path(sys.argv[1])
    for standard in ("c99", "c11", "c17", "gnu99"):
        compile_alone(os.environ.get("CC", "cc"), standard, "c")
    for standard in ("c++11", "c++20"):
        compile_alone(os.environ.get("CXX", "c++"), standard, "cpp")

    library = build / "libfingerpost.so"
    functions, symbols = declared(), exported(library)
    missing, more = sorted(functions - symbols), sorted(symbols - functions)
    want(not missing and not more, f"declared, but not exported: {missing}; exported, but not declared: {more}")
    want(len(functions) >= LEAST, f"only {len(functions)} functions")
    want(soname(library) == wanted_soname(), f"the library calls itself {soname(library)}")
    print(f"exports_test: {len(functions)} functions, 6 standards")
    return 0


if __name__ == "__main__":
    sys.exit(main())
