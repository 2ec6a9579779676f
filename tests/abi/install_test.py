#!/usr/bin/env python3
"""Installs the build into a scratch folder, moves it, and builds and runs the examples against it as a user would."""

import gzip
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from scripts import ALL, ROOT, run, want

CC, CXX, CMAKE = (os.environ.get(name, name.lower()) for name in ("CC", "CXX", "CMAKE"))
C_OUTPUT = "2 1 -1\n1 1 9\n::/0 -> 9\n2001:db8::/32 -> 1\n"
CPP_OUTPUT = "2 1\n"
TABLE = "2001:db8::/32 upstream\n2001:db8:1::/48 customer\n"
FILES_OUTPUT = "2001:db8:1::7 customer\n2001:db8::1 upstream\n2002::1 none\n"
NEEDS_CXX20 = "fingerpost needs C++20: compile with -std=c++20 or later"
INCLUDE_FOLDERS = ("include", "include/fingerpost_io")
# The libraries take 14 MB without line tables and 80 MB with them.
MOST_BYTES = 28_000_000


def compilers() -> list[tuple[str, str]]:
    """Returns this build's C and C++ compilers, and the supported pair that it does not use."""
    found = [(CC, CXX)]
    known = Path(shutil.which(CXX) or CXX).resolve()
    for cc, cxx in (("gcc", "g++"), ("clang-16", "clang++-16")):
        path = shutil.which(cxx)
        if path is None or shutil.which(cc) is None:
            print(f"install_test: {cc} or {cxx} is not there, so no program is linked by it (tools/setup ci)")
        elif Path(path).resolve() != known:
            found.append((cc, cxx))
    return found


def expect(printed: str, wanted: str, what: str) -> None:
    want(printed == wanted, f"{what} printed:\n{printed}instead of:\n{wanted}")


def install(build: Path, scratch: Path) -> Path:
    """Returns the prefix after moving it, because installed files must not depend on their original place."""
    first, prefix = scratch / "first", scratch / "moved"
    run(CMAKE, "--install", build, "--prefix", first)
    first.rename(prefix)
    return prefix


def check_make_build(build: Path) -> None:
    """`make build`, named in the README, makes all libraries and programs that an installation of everything takes."""
    # One has the files that the target names, the other those that these need.
    made = {word for tool in ("query", "inputs") for word in run("ninja", "-C", build, "-t", tool, "program").stdout.split()}
    script = (build / "cmake_install.cmake").read_text(encoding="utf-8")
    wanted = set(re.findall(rf'FILES "{re.escape(str(build))}/(libfingerpost\w*\.a|bin/[\w-]+)"', script))
    wanted |= set(re.findall(rf'"{re.escape(str(build))}/(libfingerpost\.so(?:\.\d+){{3}})"', script))
    wanted -= {"libfingerpost_cpp.a"}  # a link that the configuration makes
    want(len(wanted) >= 3 and wanted <= made, f"an installation takes {sorted(wanted)}, but `make build` makes none of {wanted - made}")


def check_files(prefix: Path) -> None:
    wanted = ["include/fingerpost.h", "include/fingerpost/fingerpost.hpp", "include/fingerpost/table/table.hpp"]
    wanted += ["include/fingerpost_io/io/source/any_table.hpp", "share/man/man3/fingerpost.3"]
    pages = ("README.md", "docs/pictures/speed-dark.svg", "docs/use/c.md", "docs/inside/vocabulary.md")
    wanted += [f"share/doc/fingerpost/{name}" for name in ("LICENSE", *pages)]
    if (prefix / "bin").is_dir():
        wanted += ["lib/systemd/system/fingerpost.service", "lib/systemd/system/fingerpost.socket", "share/doc/fingerpost/serve.toml"]
        wanted += ["bin/fingerpost", "share/man/man1/fingerpost.1", "share/zsh/site-functions/_fingerpost"]
        wanted += ["share/bash-completion/completions/fingerpost", "share/fish/vendor_completions.d/fingerpost.fish"]
        wanted += [f"share/fingerpost/{name}" for name in ("evaluation/__main__.py", "evaluation/report/style.css", "experiments/one-core.toml")]
        run(prefix / "bin/fingerpost", "--version")
    for name in wanted:
        want((prefix / name).is_file() and (prefix / name).stat().st_size != 0, f"{name} is not installed")


def check_manual(prefix: Path) -> int:
    """Checks that every function of the header has a manual page and that each page that refers to another one names an existing page."""
    folder = prefix / "share/man"
    code = re.sub(r"//[^\n]*", "", (prefix / "include/fingerpost.h").read_text(encoding="utf-8"))
    names = re.findall(r"\b(fingerpost_\w+)\([^()]*\);", code)
    for name in names:
        page = folder / f"man3/{name}.3"
        want(page.is_file(), f"{name} has no manual page")
        text = page.read_text(encoding="utf-8")
        while text.startswith(".so "):
            text = (folder / text.split()[1]).read_text(encoding="utf-8")
        want(f"{name}(" in text, f"the manual page of {name} does not describe it")
    return len(names)


def check_sizes(prefix: Path, build: Path) -> int:
    """Checks that installed files of a release have no debug sections. Returns the size of all libraries."""
    libraries = [file for file in prefix.rglob("libfingerpost*") if file.is_file() and not file.is_symlink()]
    want(len(libraries) == 3, f"{len(libraries)} libraries are installed")
    size = sum(file.stat().st_size for file in libraries)
    if "CMAKE_BUILD_TYPE:STRING=Release\n" not in (build / "CMakeCache.txt").read_text(encoding="utf-8"):
        return size
    for file in [*libraries, *(prefix / "bin").glob("*")]:
        want(".debug_" not in run("readelf", "--wide", "--section-headers", file).stdout, f"{file.name} has debug sections")
    want(size <= MOST_BYTES, f"the libraries take {size} bytes")
    return size


def public_headers(prefix: Path) -> list[str]:
    """Returns their names as C++ programs include them, with INCLUDE_FOLDERS on the search path."""
    tops = [prefix / name for name in INCLUDE_FOLDERS]
    names = sorted(str(file.relative_to(top)) for top in tops for file in top.rglob("*.hpp"))
    return [name for name in names if not name.startswith("fingerpost_io/")]


def include_flags(prefix: Path) -> list[str]:
    return [f"-I{prefix / name}" for name in INCLUDE_FOLDERS]


def check_headers(prefix: Path, scratch: Path) -> int:
    """Checks that every installed header includes only installed headers."""
    headers = [*public_headers(prefix), "fingerpost.h"]
    source = scratch / "headers.cpp"
    source.write_text("".join(f"#include <{header}>\n" for header in headers), encoding="utf-8")
    run(CXX, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *include_flags(prefix), source)
    return len(headers)


def begins_with_another(prefix: Path, header: str) -> bool:
    """Whether a header starts by including another installed header; includes of the standard library are ignored."""
    text = next(prefix / name / header for name in INCLUDE_FOLDERS if (prefix / name / header).is_file()).read_text(encoding="utf-8")
    code = re.sub(r"//[^\n]*|#pragma once|#include <\w+>", "", text)
    return re.match(r'\s*#include "[\w/.]+"', code) is not None


def check_older_standard(prefix: Path, scratch: Path, compiler: str, headers: list[str]) -> None:
    """Checks that the first error under an older standard shows the remedy, whichever header a program includes first."""
    for header in headers:
        source = scratch / "older.cpp"
        source.write_text(f"#include <{header}>\n", encoding="utf-8")
        done = run(compiler, "-std=c++17", "-Wfatal-errors", "-fsyntax-only", *include_flags(prefix), source, status=None)
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        is_refused = done.returncode != 0 and errors and NEEDS_CXX20 in errors[0]
        want(is_refused, f"{compiler} -std=c++17 says of {header}: {errors[:1]}")


def check_components(prefix: Path, scratch: Path) -> None:
    """Checks that installed components are found, and that the reason is printed for others."""
    project = scratch / "components"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(components LANGUAGES CXX)\n"
        "find_package(fingerpost ${ASKED})\n"
        'message(NOTICE "found=${fingerpost_FOUND} c=${fingerpost_c_FOUND} io=${fingerpost_io_FOUND}")\n'
        'message(NOTICE "why: ${fingerpost_NOT_FOUND_MESSAGE}")\n',
        encoding="utf-8",
    )
    no_zlib = "its library was built with packages that are not found here: ZLIB"
    for asked, settings, wanted in (
        ("REQUIRED;COMPONENTS;c", [], "found=1 c=TRUE io="),
        ("REQUIRED;COMPONENTS;c;cpp;io", [], "found=1 c=TRUE io=TRUE"),
        ("COMPONENTS;c;OPTIONAL_COMPONENTS;python", [], "found=1 c=TRUE"),
        ("COMPONENTS;c;python", [], "there is no component 'python': fingerpost has the components c, cpp and io"),
        ("COMPONENTS;io", ["-DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON"], no_zlib),
        ("OPTIONAL_COMPONENTS;io", ["-DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON"], "found=1 c=TRUE io="),
    ):
        where = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={CXX}", f"-DASKED={asked}", *settings]
        done = run(CMAKE, "-S", project, "-B", project / "out", *where, status=None)
        want(wanted in done.stdout + done.stderr, f"find_package(fingerpost {asked}): {done.stdout}{done.stderr}")
        if settings:
            shutil.rmtree(project / "out")


def check_find_package(prefix: Path, scratch: Path, name: str, words: list[str], output: str) -> None:
    folder = scratch / f"build-{name}"
    settings = [f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_CXX_COMPILER={CXX}", "--no-warn-unused-cli"]
    run(CMAKE, "-S", ROOT / "examples" / name, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *settings)
    run(CMAKE, "--build", folder)
    expect(run(folder / "example", *words).stdout, output, f"examples/{name} by find_package")


class PkgConfig:
    """Builds programs with only the flags that pkg-config prints."""

    def __init__(self, prefix: Path, scratch: Path):
        want(shutil.which("pkg-config"), "pkg-config is missing (tools/setup test)")
        self.files = {"PKG_CONFIG_PATH": str(next(prefix.rglob("fingerpost.pc")).parent)}
        self.libraries = next(prefix.rglob("libfingerpost.so")).parent
        self.scratch = scratch
        self.programs = 0

    def ask(self, *words: str) -> list[str]:
        return run("pkg-config", *words, **self.files).stdout.split()

    def compile(self, compiler: str, options: list[str], source: Path, package: str) -> Path:
        made = self.scratch / "main.o"
        strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        run(compiler, *options, *strict, *self.ask("--cflags", package), "-c", source, "-o", made)
        return made

    def link(self, compiler: str, made: Path, package: str, words: list[str], output: str, kind: str) -> None:
        """`kind` is shared, static (all libraries) or archive (only fingerpost). Checks which libraries the program loads."""
        flags = ["-static", *self.ask("--static", "--libs", package)] if kind == "static" else self.ask("--libs", package)
        program = self.scratch / "program"
        run(compiler, made, *flags, "-o", program)
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "--dynamic", program).stdout)
        loads = any(name.startswith("libfingerpost") for name in needed)
        is_right = loads == (kind == "shared") and not (kind == "static" and needed)
        want(is_right, f"{compiler} with {package}, {kind}: the program loads {needed}")
        printed = run(program, *words, LD_LIBRARY_PATH=str(self.libraries)).stdout
        expect(printed, output, f"a program of {compiler} with {package}, {kind},")
        self.programs += 1


def check_pkg_config(build: PkgConfig, cc: str, cxx: str, table: list[str], in_full: bool) -> None:
    """Links every package in every way. With the second compiler, only the C library and the static C++ libraries are linked, unless
    `in_full`."""
    examples = ROOT / "examples"
    for compiler, options in ((cc, ["-std=c99"]), (cxx, ["-std=c++20", "-x", "c++"])):
        made = build.compile(compiler, options, examples / "c/main.c", "fingerpost")
        for kind in ("shared", "static")[: 2 if in_full else 1]:
            build.link(compiler, made, "fingerpost", [], C_OUTPUT, kind)
        if in_full:
            build.link(compiler, made, "fingerpost-cpp", [], C_OUTPUT, "archive")
    for package, name, words, output in (
        ("fingerpost-cpp", "cpp", [], CPP_OUTPUT),
        ("fingerpost-io", "files", table, FILES_OUTPUT),
    )[0 if in_full else 1 :]:
        made = build.compile(cxx, ["-std=c++20"], examples / name / "main.cpp", package)
        for kind in ("archive", "static")[0 if in_full else 1 :]:
            build.link(cxx, made, package, words, output, kind)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        check_make_build(Path(sys.argv[1]))
        prefix = install(Path(sys.argv[1]), scratch)
        check_files(prefix)
        check_components(prefix, scratch)
        manual = check_manual(prefix)
        size = check_sizes(prefix, Path(sys.argv[1]))
        headers = check_headers(prefix, scratch)
        # Compressed, so that the program needs the decompressors. All test builds have gzip.
        table = scratch / "table.gz"
        table.write_bytes(gzip.compress(TABLE.encode()))
        lookup = [str(table), *(line.split()[0] for line in FILES_OUTPUT.splitlines())]
        for name, words, output in (("c", [], C_OUTPUT), ("cpp", [], CPP_OUTPUT), ("files", lookup, FILES_OUTPUT)):
            # The `files` example links the targets of both C++ libraries, so `cpp` runs only with ALL.
            if name == "cpp" and not ALL:
                continue
            check_find_package(prefix, scratch, name, words, output)
        build = PkgConfig(prefix, scratch)
        # A header that starts by including another one has that one's error, so it needs no test.
        older = [name for name in public_headers(prefix) if not begins_with_another(prefix, name)]
        for cc, cxx in compilers():
            check_older_standard(prefix, scratch, cxx, older)
            older = ["fingerpost/fingerpost.hpp"]  # the first included file does not depend on the compiler
            check_pkg_config(build, cc, cxx, lookup, ALL or cxx == CXX)
    print(
        f"install_test: {headers} headers, {manual} manual pages, {build.programs} programs by pkg-config, "
        f"libraries of {size / 1e6:.1f} MB"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
