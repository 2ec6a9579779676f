#!/usr/bin/env python3
"""Adds the source tree to another project, by add_subdirectory and by FetchContent. Only the library is built, the parent's settings
stay unchanged, and its programs link.

Compiling the library takes minutes, so the project links the libraries of this build instead.
"""

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from scripts import ALL, ROOT, run, want

CC, CXX, CMAKE = (os.environ.get(name, name.lower()) for name in ("CC", "CXX", "CMAKE"))
WAYS = {
    "add_subdirectory": f'add_subdirectory("{ROOT}" fingerpost)',
    "FetchContent": f"""include(FetchContent)
FetchContent_Declare(fingerpost SOURCE_DIR "{ROOT}")
FetchContent_MakeAvailable(fingerpost)""",
}
PARENT = f"""cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DOF_THE_PARENT")
@WAY@
foreach(name IN ITEMS BUILD_TYPE CXX_STANDARD CXX_EXTENSIONS POSITION_INDEPENDENT_CODE EXPORT_COMPILE_COMMANDS
    CXX_COMPILER_LAUNCHER CXX_FLAGS_RELEASE MODULE_PATH RUNTIME_OUTPUT_DIRECTORY)
  message(NOTICE "setting ${{name}}=${{CMAKE_${{name}}}}")
endforeach()
add_executable(other other.cpp)
add_executable(in_c "{ROOT}/examples/c/main.c")
target_link_libraries(in_c PRIVATE fingerpost::c)
add_executable(in_cpp "{ROOT}/examples/cpp/main.cpp")
target_link_libraries(in_cpp PRIVATE fingerpost::fingerpost)
add_executable(with_files "{ROOT}/examples/files/main.cpp")
target_link_libraries(with_files PRIVATE fingerpost::io)
"""
# Variables that the parent sets or leaves empty.
SETTINGS = {
    "BUILD_TYPE": "",
    "CXX_STANDARD": "17",
    "CXX_EXTENSIONS": "",
    "POSITION_INDEPENDENT_CODE": "",
    "EXPORT_COMPILE_COMMANDS": "",
    "CXX_COMPILER_LAUNCHER": "",
    "CXX_FLAGS_RELEASE": "-O1 -DOF_THE_PARENT",
    "MODULE_PATH": "",
    "RUNTIME_OUTPUT_DIRECTORY": "",
}
LIBRARY = re.compile(r"^fingerpost(_c|_capi|_io|_kernels_\w+)?$")
OUTPUTS = {"in_c": "2 1 -1\n1 1 9\n::/0 -> 9\n2001:db8::/32 -> 1\n", "in_cpp": "2 1\n"}


def configure(folder: Path, *settings: str) -> dict[str, str]:
    """Returns the settings of the parent after it has added the library."""
    compilers = [f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_CXX_COMPILER={CXX}"]
    query = folder / "out/.cmake/api/v1/query/codemodel-v2"
    query.parent.mkdir(parents=True, exist_ok=True)
    query.touch()
    done = run(CMAKE, "-G", "Unix Makefiles", "-S", ".", "-B", "out", *compilers, *settings, folder=folder)
    return dict(re.findall(r"^setting (\w+)=(.*)$", done.stdout + done.stderr, re.M))


def targets(folder: Path) -> dict[str, dict]:
    """Returns the targets and their compile settings, from CMake's file API."""
    replies = folder / "out/.cmake/api/v1/reply"
    model = json.loads(next(replies.glob("codemodel-v2-*.json")).read_text())
    return {one["name"]: json.loads((replies / one["jsonFile"]).read_text()) for one in model["configurations"][0]["targets"]}


def flags_of(target: dict) -> str:
    groups = [group.get("compileCommandFragments", []) for group in target["compileGroups"]]
    return " ".join(part["fragment"] for group in groups for part in group)


def check_targets(found: dict[str, dict]) -> None:
    ours = {name for name in found if name not in {"other", "in_c", "in_cpp", "with_files"}}
    more = sorted(name for name in ours if not LIBRARY.match(name) and name not in {"fingerpost_settings"})
    want(not more, f"more than the library is built: {more}")
    want({"fingerpost", "fingerpost_c", "fingerpost_io"} <= ours, f"of the library there is only {sorted(ours)}")
    flags = flags_of(found["other"])
    want(not re.search("c..20|-fPIC|-W", flags), f"the parent's own flags became {flags}")
    want("std=c++20" in flags_of(found["fingerpost"]), "the library is not compiled as C++20")


def check_links(folder: Path, build: Path, names: list[str]) -> None:
    out = folder / "out"
    # The binary folder of add_subdirectory, or that of FetchContent.
    place = next(path for path in (out / "fingerpost", out / "_deps/fingerpost-build") if path.is_dir())
    for library in build.glob("libfingerpost*"):
        (place / library.name).symlink_to(library)
    for name in names:
        run("make", f"{name}/fast", folder=out)
        if name in OUTPUTS:
            printed = run(out / name, folder=out).stdout
            want(printed == OUTPUTS[name], f"{name} printed {printed!r}")


def main() -> int:
    want(shutil.which("make") is not None, "make is missing")
    build = Path(sys.argv[1])
    for way, words in WAYS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "CMakeLists.txt").write_text(PARENT.replace("@WAY@", words))
            (folder / "other.cpp").write_text("int main() {}\n")
            got = configure(folder)
            want(got == SETTINGS, f"{way}: settings of the parent became {got}")
            check_targets(targets(folder))
            configure(folder, "-DCMAKE_BUILD_TYPE=Release")
            flags = flags_of(targets(folder)["fingerpost"])
            want("-O1 -DOF_THE_PARENT" in flags, f"{way}: the library is compiled with other flags than the parent's: {flags}")
            # Both ways create the same targets and C++ takes seconds to compile, so one way links C only; with_files links both C++
            # libraries.
            check_links(folder, build, ["in_c", "in_cpp", "with_files"] if ALL else ["in_c", "with_files"] if way == "add_subdirectory" else ["in_c"])
    print(f"subproject_test: {len(WAYS)} ways")
    return 0


if __name__ == "__main__":
    sys.exit(main())
