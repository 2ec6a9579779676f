#!/usr/bin/env python3
"""Changes of a small table in the page of `fingerpost explain --html`: the page computes what the program prints."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).parent)]
import explain_pages
from explain_pages import AXE, FOUR, PROGRAM, run, told


class Changes(explain_pages.ExplainPages):
    def test_the_table_is_changed(self) -> None:
        path = self.made("edit", "binary_trie,planb", *FOUR)
        page = self.opened(path, "#step=1000")
        take_out = "[...document.querySelectorAll('#routes button')].find(one => one.textContent.startsWith({})).click()"
        hop = "document.querySelector('#title .whole:last-child').textContent"
        self.assertEqual(page.evaluate(hop), "vacuum")
        # One change of the data: the line, the structures and the steps are those of the new table.
        self.change(page, take_out.format(told("10.20.4.128/25 ")))
        self.assertEqual(page.evaluate(f"[{hop}, document.getElementById('old').hidden]"), ["lasers", True])
        page.evaluate("jump(1000)")
        self.ends_lit(page)
        self.assertIn("lasers", page.evaluate("document.querySelector('.panel .words').textContent"))
        asked = json.loads(
            run(
                "explain",
                "--table",
                "-",
                "--scheme",
                "binary_trie,planb",
                "--format",
                "json",
                FOUR[0],
                stdin=page.evaluate("editor.text()"),
            )
        )
        self.assertEqual(
            page.evaluate("shown.panels.map(one => one.lookup.steps.map(step => step.sentence))"),
            [[step["sentence"] for step in one["steps"]] for one in asked["schemes"]],
        )
        # Two changes: the drawings are old, and the page reports that.
        self.change(page, take_out.format(told("10.20.4.0/22 ")))
        self.assertEqual(page.evaluate(f"[{hop}, document.getElementById('old').hidden]"), ["physics", False])
        command = page.evaluate("document.getElementById('command').textContent")
        self.assertIn("--scheme binary_trie,planb", command)
        script = command.replace("fingerpost explain", f"{PROGRAM} explain").replace("changed.html", str(self.folder / "changed.html"))
        subprocess.run(["bash", "-c", script], check=True)
        self.assertIn("physics", self.opened(self.folder / "changed.html").evaluate("document.title"))
        # Undo, the address bar, and as at first.
        self.change(page, "document.getElementById('undo').click()")
        self.assertEqual(page.evaluate(hop), "lasers")
        address = page.evaluate("location.hash")
        self.change(page, "document.getElementById('restore').click()")
        self.assertEqual(page.evaluate(f"[{hop}, editor.isChanged()]"), ["vacuum", False])
        again = self.opened(path, address)
        self.assertEqual(again.evaluate(hop), "lasers")
        # An offered route.
        self.change(
            page, f"[...document.querySelectorAll('#offers button')].find(one => one.textContent.includes({told(FOUR[0] + '/32')})).click()"
        )
        self.assertEqual(page.evaluate(f"[{hop}, document.getElementById('old').hidden]"), ["new", True])
        # A wrong line: it is named, and the last good table stays.
        page.evaluate(
            "const field = document.getElementById('text'); field.value = '10.0.0.0/8 a\\n10.0.0/8 b\\n'; field.dispatchEvent(new Event('input'))"
        )
        self.assertEqual(page.evaluate("document.getElementById('faults').textContent"), "line 2: 10.0.0/8 is not a prefix")
        self.assertEqual(page.evaluate(hop), "new")
        self.change(page, "field.value = '10.0.0.0/8 a\\n10.20.0.0/16 b\\n'; field.dispatchEvent(new Event('input'))")
        self.assertEqual(page.evaluate(f"[{hop}, document.getElementById('faults').textContent]"), ["b", ""])
        self.is_quiet(page, path)
        for one in (page, again):
            self.close(one)

    def test_lines_are_read_as_the_program_reads_them(self) -> None:
        page = self.opened(self.made("lines", "planb", FOUR[0]))
        lines = [
            "10.0.0.0/8 a",
            "10.0.0.0/8\ta",
            "10.0.0.0/8,a",
            " 10.0.0.0/8 , a ",
            "10.0.0.0/8|a b|",
            "10.0.0.0/8;a b",
            '10.0.0.0/8 "a, b"',
            '10.0.0.0/8;"say ""x"""',
            "10.0.0.0/8",
            "10.0.0.1",
            "10.1.2.3/8 a",
            "default up",
            "0.0.0.0/0 up",
            "10.0.0.0/8 a # c",
            "10.0.0.0/8 a#b",
            "10.0.0.0/8 # only",
            "10.0.0.0/8 <script>alert(1)</script>",
            "10.0.0.0/8 é",
            "; 10.0.0.0/8 a",
            "# 10.0.0.0/8 a",
            "",
        ]
        read = (
            "(() => {{ const {{routes, faults}} = readTable({}, {}); return [routes.map(r => [r.prefix, r.next_hop]), faults.length]; }})()"
        )
        for line in lines:
            with self.subTest(line=line):
                routes, faults = page.evaluate(read.format(told(line), 4))
                listed = json.loads(
                    run(
                        "explain",
                        "--table",
                        "-",
                        "--family",
                        "4",
                        "--input-format",
                        "text",
                        "--format",
                        "json",
                        "1.2.3.4",
                        stdin=line + "\n",
                    )
                )["table"]["listed"]
                self.assertEqual((routes, faults), ([[one["prefix"], one["next_hop"] or ""] for one in listed], 0))
        six = [
            "2001:db8::/32 a",
            "2001:DB8:0:0:1::/80 b",
            "::ffff:1.2.3.4/128 c",
            "::/0 d",
            "2001:db8::1",
            "fe80::1:0:0:0/70 e",
            "1:0:0:2:0:0:0:3 f",
            "::1.2.3.4 g",
        ]
        for line in six:
            with self.subTest(line=line):
                routes, faults = page.evaluate(read.format(told(line), 6))
                listed = json.loads(
                    run("explain", "--table", "-", "--family", "6", "--input-format", "text", "--format", "json", "::", stdin=line + "\n")
                )["table"]["listed"]
                self.assertEqual((routes, faults), ([[one["prefix"], one["next_hop"] or ""] for one in listed], 0))
        # Wrong ones, and forms of the program that the page refuses rather than reads otherwise.
        for line in (
            "10.0.0/8 a",
            "10.0.0.0/33 a",
            "10.0.0.0/08 a",
            "010.0.0.0/8 a",
            "10.0.0.0/8/9 a",
            "x",
            ",a",
            "10.0.0.0/8 a b",
            "10.0.0.0/8,a,b",
            '10.0.0.0/8 "a',
            "2001:db8::/32 a",
            "10.0.0.0 255.0.0.0 a",
            "10.0.0.0 255.0.0.0",
            "10.0.0.1-10.0.0.9 a",
            "10.0.0.0/8 a\rb",
        ):
            with self.subTest(line=line):
                self.assertEqual(page.evaluate(read.format(told(line), 4)), [[], 1])
        # The page reads back its own output.
        for name in ("a b", 'say "x"', "", "#x", "a;b", "<b>"):
            self.assertEqual(
                page.evaluate(f"readTable(lineOf(routeOf('10.0.0.0/8', {told(name)}, 4)), 4).routes.map(r => r.next_hop)"), [name]
            )
        self.close(page)

    def test_a_changed_table_is_accessible_and_paper_has_the_end(self) -> None:
        path = self.made("paper", "binary_trie,planb", *FOUR)
        page = self.opened(path, "#step=2&table=" + "10.0.0.0/8%20a%0A10.20.0.0/16%20b")
        self.assertFalse(page.evaluate("document.getElementById('old').hidden"))
        page.evaluate("document.getElementById('edit').open = true")
        page.evaluate(self.axe)
        self.assertEqual(page.evaluate(AXE), [])
        self.close(page)
        page = self.opened(path, "#step=2")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.evaluate("state.step === shown.longest"), True)
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(page.evaluate("state.step"), 2)
        self.close(page)


if __name__ == "__main__":
    unittest.main()
