#!/usr/bin/env python3
"""Checks that a program that uses one scheme links no other scheme: its symbols name only that scheme, and the stripped program is
small."""

import os
import re
import sys
import tempfile
from pathlib import Path

from scripts import ROOT, run, want

CXX = os.environ.get("CXX", "c++")
# Bytes of the stripped program. The default has kernels for each kind of call, tuning, instruction set and family.
MOST_BYTES = {"packed_leaves": 1_600_000, "poptrie": 1_000_000}
MAP = """#include <cstdio>
#include <string>
#include "fingerpost/map/map.hpp"

int main() {
    fingerpost::map<std::string> sites;
    if (!sites.insert_or_assign(*fingerpost::parse_prefix<fingerpost::ipv4_address>("10.0.0.0/8"), "Zurich"))
        return 1;
    const std::string* site = sites.lookup(*fingerpost::parse_address<fingerpost::ipv4_address>("10.1.2.3"));
    std::puts(site == nullptr ? "none" : site->c_str());
}
"""
ENTRY = """#include <cstdio>
#include "fingerpost/registry/one_scheme.hpp"
#include "fingerpost/table/table.hpp"
using namespace fingerpost;

int main() {
    auto live = table<ipv6_address>::create(SCHEME::entries<ipv6_address>().front());
    if (!live || live->announce({}, {7}) != errc::ok)
        return 1;
    auto reader = live->reader();
    return reader && reader->pin().lookup({5}).id == 7 ? 0 : 2;
}
"""


def schemes() -> set[str]:
    text = (ROOT / "fingerpost/registry/list.hpp").read_text(encoding="utf-8")
    return set(re.findall(r"DO\((\w+)\)", text)) - {"name"}


def linked(program: Path) -> set[str]:
    """The schemes that have a symbol in the program."""
    spaces = set(re.findall(r"fingerpost::(\w+)::", run("nm", "-C", program).stdout))
    return spaces & schemes()


def build_program(source: str, build: Path, folder: Path) -> Path:
    (folder / "main.cpp").write_text(source, encoding="utf-8")
    program = folder / "program"
    run(CXX, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", folder / "main.cpp", build / "libfingerpost.a", "-o", program)
    return program


def main() -> int:
    build = Path(sys.argv[1])
    is_release = "CMAKE_BUILD_TYPE:STRING=Release\n" in (build / "CMakeCache.txt").read_text(encoding="utf-8")
    sizes = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for scheme, source in (("packed_leaves", MAP), ("poptrie", ENTRY.replace("SCHEME", "poptrie"))):
            program = build_program(source, build, folder)
            run(program)
            found = linked(program)
            # The default takes ranked_cells for large IPv4 tables.
            allowed = {scheme, "ranked_cells"} if scheme == "packed_leaves" else {scheme}
            want(found == allowed, f"a program with {scheme} links {sorted(found)}")
            run("strip", program)
            sizes[scheme] = program.stat().st_size
            want(not is_release or sizes[scheme] < MOST_BYTES[scheme], f"a program with {scheme} takes {sizes[scheme]} bytes")
    print("one_scheme_test: " + ", ".join(f"{scheme} {size} bytes" for scheme, size in sizes.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
