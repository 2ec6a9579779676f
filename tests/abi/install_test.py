#!/usr/bin/env python3
"""Installs what is built into a scratch folder, moves it, and builds and runs the examples against it as users would."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CC, CXX, CMAKE = (os.environ.get(name, name.lower()) for name in ("CC", "CXX", "CMAKE"))
C_OUTPUT = "2 1 -1\n1 1 9\n::/0 -> 9\n2001:db8::/32 -> 1\n"
CPP_OUTPUT = "2 1\n"


def run(*command: str | Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"install_test: {command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(printed: str, wanted: str, what: str) -> None:
    if printed != wanted:
        sys.exit(f"install_test: {what} printed:\n{printed}instead of:\n{wanted}")


def install(build: Path, scratch: Path) -> Path:
    """Returns the prefix, moved away from where it was installed to: nothing may remember that place."""
    first, prefix = scratch / "first", scratch / "moved"
    run(CMAKE, "--install", build, "--prefix", first, "--component", "library")
    if (build / "bin/fingerpost").is_file():
        run(CMAKE, "--install", build, "--prefix", first, "--component", "program")
    first.rename(prefix)
    return prefix


def check_files(prefix: Path) -> None:
    wanted = ["include/fingerpost.h", "include/fingerpost/table/table.hpp", "share/man/man3/fingerpost.3"]
    if (prefix / "bin").is_dir():
        wanted += ["bin/fingerpost", "share/man/man1/fingerpost.1", "share/zsh/site-functions/_fingerpost"]
        wanted += ["share/bash-completion/completions/fingerpost", "share/fish/vendor_completions.d/fingerpost.fish"]
        run(prefix / "bin/fingerpost", "--version")
    for name in wanted:
        if not (prefix / name).is_file() or (prefix / name).stat().st_size == 0:
            sys.exit(f"install_test: {name} is not installed")


def check_manual(prefix: Path) -> int:
    """Every function of the header has a page, and each page that only leads on leads somewhere."""
    folder = prefix / "share/man"
    code = re.sub(r"//[^\n]*", "", (prefix / "include/fingerpost.h").read_text(encoding="utf-8"))
    names = re.findall(r"\b(fingerpost_\w+)\([^()]*\);", code)
    for name in names:
        page = folder / f"man3/{name}.3"
        if not page.is_file():
            sys.exit(f"install_test: {name} has no manual page")
        text = page.read_text(encoding="utf-8")
        while text.startswith(".so "):
            text = (folder / text.split()[1]).read_text(encoding="utf-8")
        if f"{name}(" not in text:
            sys.exit(f"install_test: the manual page of {name} does not describe it")
    return len(names)


def check_headers(prefix: Path, scratch: Path) -> int:
    """Every installed header finds all that it includes among the installed ones."""
    headers = sorted((prefix / "include").rglob("*.h*"))
    lines = [f"#include <{header.relative_to(prefix / 'include')}>\n" for header in headers]
    source = scratch / "headers.cpp"
    source.write_text("".join(lines), encoding="utf-8")
    run(CXX, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{prefix / 'include'}", source)
    return len(headers)


def check_find_package(prefix: Path, scratch: Path, name: str, output: str) -> None:
    folder = scratch / f"build-{name}"
    compilers = [f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_CXX_COMPILER={CXX}", "--no-warn-unused-cli"]
    run(CMAKE, "-S", ROOT / "examples" / name, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *compilers)
    run(CMAKE, "--build", folder)
    expect(run(folder / "example"), output, f"examples/{name} by find_package")


def check_pkg_config(prefix: Path, scratch: Path) -> None:
    if shutil.which("pkg-config") is None:
        sys.exit("install_test: pkg-config is missing (tools/setup test)")
    files = {"PKG_CONFIG_PATH": str(next(prefix.rglob("fingerpost.pc")).parent)}
    source = ROOT / "examples/c/main.c"
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

    flags = run("pkg-config", "--cflags", "--libs", "fingerpost", environment=files).split()
    libraries = next(prefix.rglob("libfingerpost.so")).parent
    run(CC, *strict, source, *flags, "-o", scratch / "shared")
    printed = run(scratch / "shared", environment={"LD_LIBRARY_PATH": str(libraries)})
    expect(printed, C_OUTPUT, "examples/c by pkg-config")

    flags = run("pkg-config", "--static", "--cflags", "--libs", "fingerpost", environment=files).split()
    static = ["-l:libfingerpost.a" if flag == "-lfingerpost" else flag for flag in flags]
    run(CC, *strict, source, *static, "-o", scratch / "static")
    expect(run(scratch / "static"), C_OUTPUT, "examples/c with the static library")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        prefix = install(Path(sys.argv[1]), scratch)
        check_files(prefix)
        manual = check_manual(prefix)
        headers = check_headers(prefix, scratch)
        check_find_package(prefix, scratch, "c", C_OUTPUT)
        check_find_package(prefix, scratch, "cpp", CPP_OUTPUT)
        check_pkg_config(prefix, scratch)
    print(f"install_test: {headers} headers, {manual} manual pages, 4 programs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
