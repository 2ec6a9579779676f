#!/usr/bin/env python3
"""Tests the parts of the documentation site that do not need Sphinx: comments for Doxygen, docstrings, and the link check."""

import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "docs/site"))
from doxygen_comments import converted
from plain_docstrings import as_rst
from python_docstrings import with_docstrings

HEADER = """\
// What the file is: a<b>.
//
//      picture <1>
//
//      picture 2
// Text.
#pragma once

namespace n {

// A section, followed by a blank line.

// Of `kind<T>`, @all.
template <class T>
struct kind {
    int a = 0; // units
    int b;     // more, in
               // two lines
    void f() {
        // Within a body.
        g("//"); // and behind it
    }
};
template <class E>
kind(E) -> kind<E>;

inline constexpr const char* joined = "a"
    "b";
inline constexpr kind<int> named = {.a = 1, .b = {}};
inline constexpr auto nothing = [](kind<int>&) {};
inline constexpr kind<int> plain = {1, {}};
extern template kind<int>
long_name(kind<long>);

void h() try {
    g();
} catch (...) {
    g();
}
// After it.
int last;

} // namespace n
"""
CONVERTED = """\
/// @file
/// What the file is: a\\<b\\>.
///
/// ~~~
///      picture <1>
///
///      picture 2
/// ~~~
/// Text.
#pragma once

namespace n {

// A section, followed by a blank line.

/// Of `kind<T>`, \\@all.
template <class T>
struct kind {
    int a = 0; ///< units
    int b;     ///< more, in two lines
    void f() {
        // Within a body.
        g("//"); // and behind it
    }
};

inline constexpr const char* joined;
inline constexpr kind<int> named;
inline constexpr auto nothing;
inline constexpr kind<int> plain = {1, {}};

void h() {
    g();
}
/// After it.
int last;

} // namespace n
"""


class Comments(unittest.TestCase):
    def test_comments_become_those_that_doxygen_reads(self) -> None:
        self.assertEqual(converted(HEADER), CONVERTED)

    def test_code_stays_as_it_is(self) -> None:
        for name in ("capi/fingerpost.h", "fingerpost/net/address.hpp", "fingerpost/net/prefix.hpp"):
            source = (ROOT / name).read_text(encoding="utf-8")

            def without_comments(text: str) -> list[str]:
                return [line.split("//")[0].rstrip() for line in text.splitlines() if line.split("//")[0].strip()]

            self.assertEqual(without_comments(converted(source)), without_comments(source), name)


class Docstrings(unittest.TestCase):
    def test_each_public_name_of_the_stub_has_one(self) -> None:
        stub = (ROOT / "python/fingerpost/_core.pyi").read_text(encoding="utf-8")
        text, missing = with_docstrings(stub, ROOT / "python/core")
        self.assertEqual(missing, [])
        self.assertIn("Returns the value of the longest prefix that contains the address, or the default.", text)

    def test_a_name_without_one_is_found(self) -> None:
        stub = "class Table:\n    def lookup(self): ...\n    def no_such_method(self): ...\n"
        self.assertEqual(with_docstrings(stub, ROOT / "python/core")[1], ["Table.no_such_method"])

    def test_plain_text_becomes_restructured_text(self) -> None:
        plain = "Takes **more, `a*b` and x_.\n\nrows: a list,\n    or more\nwant: *\n\n>>> f(*x)\n1\n\n    code *"
        wanted = """\
        Takes \\*\\*more, `a*b` and x\\_.

        - ``rows``: a list,
          or more
        - ``want``: \\*

        >>> f(*x)
        1

        ::

            code *
        """
        self.assertEqual("\n".join(as_rst(plain.split("\n"))), textwrap.dedent(wanted))


class Links(unittest.TestCase):
    def check(self, **pages: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                (Path(folder) / f"{name}.html").write_text(text, encoding="utf-8")
            done = subprocess.run([ROOT / "tools/check_site", folder], capture_output=True, text=True, check=False)
            return done.returncode, done.stderr

    def test_whole_sites_pass(self) -> None:
        self.assertEqual(self.check(a='<p id="x"><a href="b.html#y">b</a><a href="#x">x</a>', b='<p id="y"><a href="https://a.b/">'), (0, ""))

    def test_what_is_missing_is_named(self) -> None:
        status, said = self.check(a='<a href="c.html">\n<img src="d.png"><a href="#z"><a href="../e.html">')
        self.assertEqual(status, 1)
        self.assertEqual(
            said.splitlines(),
            [
                "a.html:1: c.html: there is no such file",
                "a.html:2: d.png: there is no such file",
                "a.html:2: #z: there is no such place in the page",
                "a.html:2: ../e.html leads out of the site",
            ],
        )

    def test_no_site_is_no_success(self) -> None:
        self.assertEqual(self.check()[0], 2)


if __name__ == "__main__":
    unittest.main()
