#!/usr/bin/env python3
"""Runs the recipes of packaging/ with the libraries of this build, because compiling them again takes minutes.

Conan packs the build like `conan export-pkg`, then builds and runs packaging/conan/test_package. The vcpkg port runs in CMake's script
mode. Stubs replace vcpkg's functions: they record their arguments and install this build. So the test does not cover compiling with
Conan (`make test-conan` does) or vcpkg, nor vcpkg's processing of installed files.
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from scripts import ROOT, run, want

CC, CXX, CMAKE = (os.environ.get(name, name.lower()) for name in ("CC", "CXX", "CMAKE"))
PORT = ROOT / "packaging/vcpkg/fingerpost"
STUBS = """
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  message(NOTICE "source=${arg_SOURCE_PATH}")
  foreach(one IN LISTS arg_OPTIONS)
    message(NOTICE "option=${one}")
  endforeach()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcpkg_cmake_configure does not know ${arg_UNPARSED_ARGUMENTS}")
  endif()
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --component library --prefix "${CURRENT_PACKAGES_DIR}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/fingerpost-config.cmake")
    message(FATAL_ERROR "${arg_CONFIG_PATH} has no fingerpost-config.cmake")
  endif()
endfunction()
function(vcpkg_download_distfile result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "URLS;FILENAME;SHA512" "")
  set(${result} "${arg_URLS}#${arg_SHA512}" PARENT_SCOPE)
endfunction()
function(vcpkg_extract_source_archive result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCHIVE" "")
  set(${result} "${arg_ARCHIVE}" PARENT_SCOPE)
  file(WRITE "${arg_ARCHIVE}/LICENSE" "")
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(INSTALL ${arg_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
endfunction()
"""


def known_options() -> set[str]:
    text = "".join(file.read_text(encoding="utf-8") for file in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")])
    return set(re.findall(r"(?:option|set)\((FINGERPOST_\w+)", text))


def run_port(port: Path, features: str, build: Path, scratch: Path) -> tuple[str, Path]:
    """Returns what the port prints, and the folder into which it installs."""
    packages, script = scratch / features.replace(";", "_"), scratch / "run.cmake"
    script.write_text("cmake_minimum_required(VERSION 3.25)\n" + STUBS + f'include("{port}/portfile.cmake")\n', encoding="utf-8")
    settings = {"FEATURES": features, "PORT": "fingerpost", "CURRENT_PACKAGES_DIR": packages, "BUILD": build}
    done = run(CMAKE, *(f"-D{name}={value}" for name, value in settings.items()), "-P", script)
    return done.stdout + done.stderr, packages


def check_port(build: Path, scratch: Path) -> None:
    for features in ("core", "core;compression"):
        printed, packages = run_port(PORT, features, build, scratch)
        want(f"source={ROOT}\n" in printed, f"the port builds another tree:\n{printed}")
        options = dict(re.findall(r"option=-D(\w+)=(\w+)", printed))
        ours = {name for name in options if name.startswith("FINGERPOST_")}
        want(ours <= known_options(), f"CMake does not know {ours - known_options()}")
        want(options.get("FINGERPOST_INSTALL") == "ON" and options.get("FINGERPOST_PROGRAM") == "OFF", f"options are {options}")
        packs = {"ZLIB", "BZip2", "LibLZMA", "FingerpostZstd"}
        disabled = {name.removeprefix("CMAKE_DISABLE_FIND_PACKAGE_") for name in options if name not in ours}
        want(disabled == (set() if "compression" in features else packs), f"with {features} the port disables {disabled}")
        for file in ("include/fingerpost/map/map.hpp", "share/fingerpost/copyright", "share/fingerpost/usage", "lib/libfingerpost.a"):
            want((packages / file).is_file(), f"the port installs no {file}")
    # In a release, the port is alone in its folder.
    port = Path(shutil.copytree(PORT, scratch / "port"))
    archive = f'set(archive_name a.tar.gz)\nset(archive_url "{scratch}/archive")\nset(archive_sha512 12ab)\n'
    (port / "archive.cmake").write_text(archive, encoding="utf-8")
    printed, _ = run_port(port, "core", build, scratch)
    want(f"source={scratch}/archive#12ab\n" in printed, f"the port of a release builds another tree:\n{printed}")


def check_conan(conan: str, build: Path, scratch: Path) -> None:
    out = scratch / "conan"
    # `cmake --install` needs only these files of a build, and Conan writes its own files into the same folder.
    (out / "build/Release").mkdir(parents=True)
    (out / "build/Release/cmake_install.cmake").symlink_to(build / "cmake_install.cmake")
    home = {"CONAN_HOME": str(scratch / "home"), "CC": CC, "CXX": CXX}
    settings = ["-s", "compiler.cppstd=20", "-s", "build_type=Release"]
    run(conan, "profile", "detect", **home)
    # The folder of the recipe must stay as it is.
    recipe = scratch / "tree/packaging/conan"
    shutil.copytree(ROOT / "packaging/conan", recipe)
    for name in ("CMakeLists.txt", "CHANGELOG.md", "LICENSE", "README.md", "layers.txt", "cmake", "fingerpost", "capi", "io", "man"):
        (scratch / "tree" / name).symlink_to(ROOT / name)
    done = run(conan, "export-pkg", recipe, "-of", out, *settings, **home)
    want("Zurich" in done.stdout + done.stderr, f"the test of the package printed no answer:\n{done.stdout}{done.stderr}")


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    conan = os.environ.get("FINGERPOST_CONAN") or shutil.which("conan")
    with tempfile.TemporaryDirectory() as name:
        check_port(build, Path(name))
        if conan is not None and "CMAKE_BUILD_TYPE:STRING=Release\n" in (build / "CMakeCache.txt").read_text(encoding="utf-8"):
            check_conan(conan, build, Path(name))
        else:
            print("recipes_test: Conan is not there (pip install conan), or this is no Release build: its recipe is not tested")
    print("recipes_test: done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
