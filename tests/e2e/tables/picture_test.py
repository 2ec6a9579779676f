#!/usr/bin/env python3
"""`fingerpost lab picture`: what it draws is well-formed SVG with its rings and names, PNG of its size, and a reason where it draws
nothing.
"""

import base64
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zlib
from pathlib import Path

PROGRAM = os.environ["FINGERPOST"]
SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
FOUR = "".join(f"{10 + i % 7}.{i % 256}.{i // 8 % 256}.0/24 {i % 3}\n" for i in range(2000)) + "10.0.0.0/8 a\n10.1.2.64/26 b\n"
SIX = "".join(f"2001:db8:{i:x}::/48 {i % 3}\n" for i in range(500)) + "2001:db8::/32 a\n2a00::1/128 b\n"
cases = 0


def want(holds: bool, words: object) -> None:
    if not holds:
        raise AssertionError(str(words)[:2000])


def run(*words: str, status: int = 0, stdin: str = "", **more) -> tuple[str, str]:
    global cases
    done = subprocess.run([PROGRAM, "lab", "picture", *words], input=stdin, capture_output=True, text=True, check=False, **more)
    want(done.returncode == status, f"{words}: exit {done.returncode} instead of {status}: {done.stderr}")
    cases += 1
    return done.stdout, done.stderr


def draws(*words: str, stdin: str = "") -> ET.Element:
    out, said = run(*words, stdin=stdin)
    want(said == "", said)
    return ET.fromstring(out)


def refuses(reason: str, *words: str, status: int = 2, stdin: str = "", **more) -> None:
    out, said = run(*words, status=status, stdin=stdin, **more)
    want(out == "" and re.search(reason, said), f"{words} says {said!r}, not {reason!r}, and prints {out[:100]!r}")


def texts(svg: ET.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


def has(svg: ET.Element, *wanted: str) -> None:
    for one in wanted:
        want(one in texts(svg), f"no text {one!r} in {texts(svg)}")


def read_png(png: bytes) -> tuple[int, int, list[bytes]]:
    """Returns the width, the height and, for a PNG with a palette, the rows. Checks each chunk."""
    want(png[:8] == b"\x89PNG\r\n\x1a\n", png[:8])
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        want(struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body), f"the sum of {kind!r}")
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + size
    width, height, depth, color = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    rows = []
    if color == 3:
        want(depth == 8 and len(chunks[b"PLTE"]) % 3 == 0 and chunks[b"tRNS"][0] == 0, "the palette")
        bytes_of_all = zlib.decompress(chunks[b"IDAT"])
        want(len(bytes_of_all) == height * (width + 1), len(bytes_of_all))
        rows = [bytes_of_all[y * (width + 1) + 1 : (y + 1) * (width + 1)] for y in range(height)]
        want(max(max(row) for row in rows) < len(chunks[b"PLTE"]) // 3, "a colour that is none")
    return width, height, rows


def grids(svg: ET.Element) -> list[tuple[int, int, list[bytes]]]:
    return [read_png(base64.b64decode(image.attrib[HREF].split(",", 1)[1], validate=True)) for image in svg.iter(f"{SVG}image")]


def one_panel() -> None:
    svg = draws("four.txt", "--scheme", "binary_trie")
    want((svg.attrib["width"], svg.attrib["height"]) == ("900", "1064"), svg.attrib)
    has(svg, "four.txt: 2,002 IPv4 routes", "binary_trie", "/8", "/16", "/24", "/32", "10/8", "16/8")
    [(width, height, rows)] = grids(svg)
    want((width, height) == (900, 900), (width, height))
    want(rows[0] == bytes(900) and any(rows[450]), "a frame without lines around a picture with some")
    # Drawing again gives the same picture.
    want(run("four.txt", "--scheme", "binary_trie") == run("four.txt", "--scheme", "binary_trie"), "another picture")
    # The file equals the output on stdout.
    run("four.txt", "--scheme", "binary_trie", "-o", "four.svg")
    want(Path("four.svg").read_text(encoding="utf-8") == run("four.txt", "--scheme", "binary_trie")[0], "another file")


def families() -> None:
    svg = draws("six.txt", "--scheme", "patricia")
    has(svg, "six.txt: 502 IPv6 routes", "/16", "/32", "/48", "/64", "2000::/12", "not drawn: 1 beyond /64")
    has(draws("six.txt", "--scheme", "patricia", "--bits", "128"), "/32", "/64", "/96", "/128")
    refuses("both.txt has routes of both families; choose one with --family", "both.txt", status=1)
    for family, other, ring in (("6", 2002, "/48"), ("4", 502, "/24")):
        out, said = run("both.txt", "--family", family)
        want(said == f"fingerpost: both.txt: {other} routes of the other family skipped\n", said)
        has(ET.fromstring(out), ring)
    has(draws("four.txt", "--angle", "address"), "0/4", "240/4")
    refuses("--angle address draws all IPv6 routes within a few degrees", "six.txt", "--angle", "address")


def two_panels() -> None:
    together = draws("four.txt", "--scheme", "binary_trie,poptrie")
    apart = draws("four.txt", "--scheme", "binary_trie", "--scheme", "poptrie")
    want(ET.tostring(together) == ET.tostring(apart), "two ways to ask for two panels")
    want((together.attrib["width"], together.attrib["height"]) == ("1800", "1064"), together.attrib)
    has(together, "binary_trie", "poptrie", "indexed table")
    both = grids(together)
    want(len(both) == 2 and both[0] != both[1], "two pictures")
    # Panels share one scale: drawn alone with that scale, each looks as it does in the pair.
    [full] = re.findall(r"Strongest colour: ([\d.]+) edges", " ".join(texts(together)))
    for number, scheme in enumerate(("binary_trie", "poptrie")):
        want(grids(draws("four.txt", "--scheme", scheme, "--scale", full)) == [both[number]], f"{scheme} has another scale")
    refuses("5 schemes are more than 4 panels", "four.txt", "--scheme", "poptrie,planb,art,bart,lulea")


def looks() -> None:
    light = draws("four.txt", "--size", "300")
    dark = draws("four.txt", "--size", "300", "--dark")
    want((light.attrib["width"], light.attrib["height"]) == ("300", "355"), light.attrib)
    want(grids(light)[0] == grids(dark)[0] and ET.tostring(light) != ET.tostring(dark), "only colours differ")
    awkward = 'a < b & "c" \x1b\x01\u2028 Zürich'
    has(draws("four.txt", "--size", "200", "--title", awkward), 'a < b & "c" \\x1b\\x01\\xe2\\x80\\xa8 Zürich')
    bytes_of_title = subprocess.run([PROGRAM, "lab", "picture", "four.txt", "--size", "200", "--title", b"\xff\xfe"],
                                    capture_output=True, check=True).stdout  # fmt: skip
    has(ET.fromstring(bytes_of_title), "\\xff\\xfe")


def tables() -> None:
    for scheme in ("binary_trie", "poptrie", "packed_leaves", "planb"):
        has(draws("/dev/null", "--scheme", scheme, "--family", "4"), scheme, "/24")
    has(draws("-", stdin=FOUR), "stdin: 2,002 IPv4 routes")
    subprocess.run([PROGRAM, "image", "save", "-t", "four.txt", "four.image"], check=True)
    out, said = run("four.image")
    want(said == "", said)
    want(grids(ET.fromstring(out)) == grids(draws("four.txt")), "another picture of the image")
    refuses("wrong.txt:1: '10.0.0.0/99'", "wrong.txt", status=1)
    refuses("missing.txt: No such file", "missing.txt", status=1)


def every_scheme() -> None:
    for family, table in ((4, "four.txt"), (6, "six.txt")):
        listed = json.loads(subprocess.run([PROGRAM, "schemes", "--format", "json"], capture_output=True, check=True).stdout)
        names = [one["name"] for one in listed if family in one["families"] and one["standard"]]
        want(len(names) >= 25, names)
        for name in names:
            svg = draws(table, "--scheme", name, "--size", "200")
            [(_, _, rows)] = grids(svg)
            want(any(map(any, rows)) or "indexed table" in texts(svg) or name.startswith("sail_"), f"{name} draws nothing")


def closed_outputs() -> None:
    gone, pipe = os.pipe()
    os.close(gone)
    done = subprocess.run([PROGRAM, "lab", "picture", "four.txt"], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    os.close(pipe)
    want((done.returncode, done.stderr) == (0, ""), done)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PROGRAM, "lab", "picture", "four.txt"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    want(done.returncode == 1 and "No space left on device" in done.stderr, done)


def conversion() -> None:
    # Without rsvg-convert the reason is reported. SVG does not need it.
    Path("empty").mkdir()
    alone = {**os.environ, "PATH": str(Path("empty").resolve())}
    refuses("PNG output needs rsvg-convert, which is not installed .Debian", "four.txt", "-o", "a.png", status=1, env=alone)
    refuses("PDF output needs rsvg-convert", "four.txt", "-o", "a.pdf", status=1, env=alone)
    want(not Path("a.png").exists() and not Path("a.pdf").exists(), "a file of nothing")
    run("four.txt", "-o", "a.svg", env=alone)
    # A converter that fails.
    Path("failing").mkdir()
    Path("failing/rsvg-convert").write_text("#!/bin/sh\necho broken >&2\nexit 3\n", encoding="utf-8")
    Path("failing/rsvg-convert").chmod(0o755)
    failing = {**os.environ, "PATH": f"{Path('failing').resolve()}:{os.environ['PATH']}"}
    refuses("broken\n.*rsvg-convert cannot make the PNG", "four.txt", "-o", "a.png", status=1, env=failing)
    if not shutil.which("rsvg-convert"):
        print("picture_test: no rsvg-convert, so no PNG was made")
        return
    run("four.txt", "--scheme", "binary_trie,poptrie", "--size", "400", "-o", "two.png")
    width, height, _ = read_png(Path("two.png").read_bytes())
    want((width, height) == (800, 473), (width, height))
    run("four.txt", "--size", "300", "-o", "one.pdf")
    want(Path("one.pdf").read_bytes().startswith(b"%PDF-"), "no PDF")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("four.txt").write_text(FOUR, encoding="utf-8")
        Path("six.txt").write_text(SIX, encoding="utf-8")
        Path("both.txt").write_text(FOUR + SIX, encoding="utf-8")
        Path("wrong.txt").write_text("10.0.0.0/99 a\n", encoding="utf-8")
        for part in (one_panel, families, two_panels, looks, tables, every_scheme, closed_outputs, conversion):
            part()
        os.chdir("/")
    print(f"picture_test: {cases} runs")
    return 0 if cases >= 40 else 1


if __name__ == "__main__":
    sys.exit(main())
