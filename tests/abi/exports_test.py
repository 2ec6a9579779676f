#!/usr/bin/env python3
"""Checks that fingerpost.h compiles alone as C and C++, and that libfingerpost.so exports exactly its functions."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADER = ROOT / "capi/fingerpost.h"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
# With fewer functions than this, the regular expression no longer matches the declarations.
LEAST = 60


def declared() -> set[str]:
    """Returns the names of the functions that the header declares."""
    code = re.sub(r"//[^\n]*", "", HEADER.read_text(encoding="utf-8"))
    return set(re.findall(r"\b(fingerpost_\w+)\([^()]*\);", code))


def exported(library: Path) -> set[str]:
    listing = subprocess.run(["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True)
    found = set()
    for line in listing.stdout.splitlines():
        _, kind, name = line.split(maxsplit=2)
        if kind != "A":  # the symbol of the version itself
            found.add(name.split("@")[0])
    return found


def wanted_soname() -> str:
    text = (ROOT / "cmake/FingerpostCapi.cmake").read_text(encoding="utf-8")
    return "libfingerpost.so." + re.search(r"FINGERPOST_ABI (\d+)", text).group(1)


def soname(library: Path) -> str:
    listing = subprocess.run(["readelf", "-d", str(library)], check=True, capture_output=True, text=True).stdout
    match = re.search(r"\(SONAME\).*\[(.+)\]", listing)
    return match.group(1) if match else ""


def compile_alone(compiler: str, standard: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / f"alone.{suffix}"
        source.write_text("#include <fingerpost.h>\ntypedef int not_empty;\n", encoding="utf-8")
        command = [compiler, f"-std={standard}", *STRICT, f"-I{HEADER.parent}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"exports_test: {standard}: {done.stderr}")


def main() -> int:
    build = Path(sys.argv[1])
    for standard in ("c99", "c11", "c17", "gnu99"):
        compile_alone(os.environ.get("CC", "cc"), standard, "c")
    for standard in ("c++11", "c++20"):
        compile_alone(os.environ.get("CXX", "c++"), standard, "cpp")

    library = build / "libfingerpost.so"
    functions, symbols = declared(), exported(library)
    for name in sorted(functions - symbols):
        print(f"exports_test: {name} is declared, but not exported", file=sys.stderr)
    for name in sorted(symbols - functions):
        print(f"exports_test: {name} is exported, but not declared", file=sys.stderr)
    if functions != symbols or len(functions) < LEAST:
        return 1
    if soname(library) != wanted_soname():
        sys.exit(f"exports_test: the library calls itself {soname(library)}")
    print(f"exports_test: {len(functions)} functions, 6 standards")
    return 0


if __name__ == "__main__":
    sys.exit(main())
