#!/usr/bin/env python3
"""FINGERPOST_SCHEMES selects the schemes to compile and refuses unknown names. A table that requests a scheme that was left out gets an
error that explains how to build it."""

import json
import os
import re
import tempfile
from pathlib import Path

from scripts import ROOT, run, want

CXX, CMAKE = os.environ.get("CXX", "c++"), os.environ.get("CMAKE", "cmake")
OFF = [f"-DFINGERPOST_{part}=OFF" for part in ("PROGRAM", "TESTS", "INSTALL", "PYTHON")]
MAIN = """#include <cstdio>
#include <string>
#include "fingerpost/registry/one_scheme.hpp"
#include "fingerpost/registry/registry.hpp"
int main() {
    for (const char* name : {"planb", "planb:wide", "planbs", "poptrie", "packed_leaves"})
        std::printf("%s|%s\\n", name, fingerpost::why_not_built(name).c_str());
    return static_cast<int>(fingerpost::planb::entries<fingerpost::ipv6_address>().size());
}
"""
# The default scheme, and the scheme that it uses for large IPv4 tables.
DEFAULT = ("packed_leaves", "ranked_cells")
REASON = "this build does not have 'planb'; configure it with -DFINGERPOST_SCHEMES=planb or =all"


def configure(folder: str, schemes: str, status: int = 0) -> str:
    return run(CMAKE, "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DFINGERPOST_SCHEMES={schemes}", *OFF, status=status).stderr


def compiled(folder: str) -> set[str]:
    commands = json.loads((Path(folder) / "compile_commands.json").read_text(encoding="utf-8"))
    return {found[1] for command in commands if (found := re.search(r"/fingerpost/schemes/(\w+)/", command["file"]))}


with tempfile.TemporaryDirectory() as folder:
    for schemes, built in (("poptrie", {*DEFAULT, "poptrie"}), ("art,dxr", {*DEFAULT, "art", "dxr"})):
        configure(folder, schemes)
        want(compiled(folder) == built, f"{schemes}: {compiled(folder)} instead of {built}")
    refusal = " ".join(configure(folder, "poptire", status=1).split())
    want("'poptire', which is not all or one of art, bart," in refusal, f"an unknown name: {refusal}")
    configure(folder, "poptrie")
    main = Path(folder) / "main.cpp"
    main.write_text(MAIN, encoding="utf-8")
    run(CXX, "-std=c++20", "-O0", f"-I{ROOT}", main, f"{folder}/schemes_not_built.cpp", "-o", f"{folder}/main")
    # It ends with the number of planb's entries, which is left out.
    printed = run(f"{folder}/main").stdout
    want(printed == f"planb|{REASON}\nplanb:wide|{REASON}\nplanbs|\npoptrie|\npacked_leaves|\n", printed)
print("chosen_schemes_test: 2 choices, an unknown name, 5 names")
