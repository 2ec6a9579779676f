"""The recipe for Conan 2: builds the library from its own source tree, or from the archive of a release.

The recipe of a release has a conandata.yml with the address and the hash of the archive, which tools/dist writes.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, load

# Sources of the library.
SOURCES = ("CMakeLists.txt", "CHANGELOG.md", "LICENSE", "README.md", "layers.txt", "cmake/*", "fingerpost/*", "capi/*", "io/*", "man/*", "docs/*.md", "docs/*.svg")


class FingerpostRecipe(ConanFile):
    name = "fingerpost"
    description = "Longest-prefix match of IPv4 and IPv6 addresses"
    license = "MIT"
    topics = ("ip", "cidr", "longest-prefix-match", "routing", "lookup")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"compression": [True, False]}
    default_options = {"compression": False}

    def set_version(self):
        # After an export, the recipe is alone in its folder, and Conan knows its version.
        lists = os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt")
        if self.version is None and self.conan_data:
            self.version = next(iter(self.conan_data["sources"]))
        elif self.version is None and os.path.isfile(lists):
            self.version = re.search(r"project\(fingerpost VERSION ([\d.]+)", load(self, lists)).group(1)

    def export_sources(self):
        if self.conan_data:
            return
        tree = os.path.join(self.recipe_folder, "..", "..")
        for pattern in SOURCES:
            copy(self, pattern, tree, self.export_sources_folder)

    def source(self):
        if self.conan_data:
            get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("fingerpost needs Linux")

    def requirements(self):
        if self.options.compression:
            for package in ("zlib/[>=1.2.11 <2]", "bzip2/1.0.8", "xz_utils/[>=5.4.5 <6]", "zstd/[>=1.5 <2]"):
                self.requires(package)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update(
            {
                "FINGERPOST_PROGRAM": False,
                "FINGERPOST_TESTS": False,
                "FINGERPOST_PYTHON": "OFF",
                "FINGERPOST_INSTALL": True,
            }
        )
        if not self.options.compression:
            for package in ("ZLIB", "BZip2", "LibLZMA", "FingerpostZstd"):
                toolchain.cache_variables[f"CMAKE_DISABLE_FIND_PACKAGE_{package}"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install(component="library")

    def package_info(self):
        # Users find the package's own files, with its components and the reasons for missing ones.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "fingerpost")]
        self.cpp_info.libs = []
