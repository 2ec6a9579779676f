#!/usr/bin/env python3
"""FINGERPOST_SCHEMES selects the schemes to compile and refuses unknown names. A table that requests a scheme that was left out gets an
error that explains how to build it."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import ROOT

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


def want(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"chosen_schemes_test: {words}")


def configure(folder: str, schemes: str) -> "subprocess.CompletedProcess[str]":
    words = ["-S", str(ROOT), "-B", folder, "-G", "Ninja", f"-DFINGERPOST_SCHEMES={schemes}", *OFF]
    return subprocess.run([CMAKE, *words], capture_output=True, text=True, check=False)


def compiled(folder: str) -> set[str]:
    commands = json.loads((Path(folder) / "compile_commands.json").read_text(encoding="utf-8"))
    return {found[1] for command in commands if (found := re.search(r"/fingerpost/schemes/(\w+)/", command["file"]))}


with tempfile.TemporaryDirectory() as folder:
    for schemes, built in (("poptrie", {*DEFAULT, "poptrie"}), ("art,dxr", {*DEFAULT, "art", "dxr"})):
        done = configure(folder, schemes)
        want(done.returncode == 0, done.stderr)
        want(compiled(folder) == built, f"{schemes}: {compiled(folder)} instead of {built}")
    done = configure(folder, "poptire")
    refusal = " ".join(done.stderr.split())
    want(done.returncode != 0 and "'poptire', which is not all or one of art, bart," in refusal, f"an unknown name: {refusal}")
    want(configure(folder, "poptrie").returncode == 0, "poptrie again")
    main = Path(folder) / "main.cpp"
    main.write_text(MAIN, encoding="utf-8")
    program = [CXX, "-std=c++20", "-O0", f"-I{ROOT}", str(main), str(Path(folder) / "schemes_not_built.cpp"), "-o", f"{folder}/main"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    want(done.returncode == 0, done.stderr)
    done = subprocess.run([f"{folder}/main"], capture_output=True, text=True, check=False)
    want(done.returncode == 0, "planb has entries though it is left out")
    want(done.stdout == f"planb|{REASON}\nplanb:wide|{REASON}\nplanbs|\npoptrie|\npacked_leaves|\n", done.stdout)
print("chosen_schemes_test: 2 choices, an unknown name, 5 names")
