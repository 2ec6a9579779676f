"""Puts the docstrings of the extension module into its stub, from the C++ that defines them, so that nothing need be built."""

import ast
import re
from pathlib import Path

LITERAL = re.compile(r'R"\((?P<raw>.*?)\)"|"(?P<plain>(?:[^"\\]|\\.)*)"', re.DOTALL)
RAW_CONSTANT = re.compile(r'(?P<name>\w+) =\s*R"\((?P<text>.*?)\)";', re.DOTALL)


def text_of(literal: re.Match[str]) -> str:
    if literal["raw"] is not None:
        return literal["raw"]
    return ast.literal_eval(f'"{literal["plain"]}"')


def call_around(source: str, at: int) -> tuple[int, int]:
    """Returns where the innermost parentheses around a place begin and end; (-1, -1) without any."""
    depth, begin = 0, at
    while begin >= 0:
        if source[begin] == ")":
            depth += 1
        elif source[begin] == "(":
            depth -= 1
            if depth < 0:
                break
        begin -= 1
    if begin < 0:
        return -1, -1
    end, depth = begin, 0
    while end < len(source):
        literal = LITERAL.match(source, end)
        if literal:
            end = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(source[end], 0)
        end += 1
        if depth == 0:
            return begin, end
    return -1, -1


def longest_text(code: str, constants: dict[str, str]) -> str:
    """Returns the longest text among the arguments of a call, each of literals side by side or a constant by its name."""
    texts, last_end = [""], -1
    for literal in LITERAL.finditer(code):
        if last_end >= 0 and not code[last_end : literal.start()].strip():
            texts[-1] += text_of(literal)
        else:
            texts.append(text_of(literal))
        last_end = literal.end()
    texts += [constants[word] for word in re.findall(r"\b\w+_text\b", code) if word in constants]
    return max((text for text in texts if " " in text), key=len, default="")


class Sources:
    def __init__(self, folder: Path) -> None:
        self.files = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.cpp"))}
        self.constants = {one["name"]: one["text"] for text in self.files.values() for one in RAW_CONSTANT.finditer(text)}

    def docstring(self, name: str, among: list[str]) -> str:
        for source in among:
            for found in re.finditer(rf'"{re.escape(name)}"', source):
                begin, end = call_around(source, found.start() - 1)
                if begin < 0:
                    continue
                text = longest_text(source[begin:end], self.constants)
                if not text and source[:begin].endswith("nb::name"):
                    begin, end = call_around(source, begin - 1)
                    text = longest_text(source[begin:end], self.constants)
                if text:
                    return text
        return ""

    def of_class(self, name: str) -> list[str]:
        """Returns the files that bind a class: its own file, or for the table all files of no other class."""
        opens = re.compile(r'nb::class_<\w+>\s*\(\s*\w+,\s*"(\w+)"')
        own = {path: opens.findall(text) for path, text in self.files.items()}
        named = [self.files[path] for path, names in own.items() if name in names]
        if name == "Table":
            named += [self.files[path] for path, names in own.items() if not names]
        return named


def with_docstrings(stub: str, core: Path) -> tuple[str, list[str]]:
    """Returns the stub with docstrings, and the public names that have none."""
    sources = Sources(core)
    tree = ast.parse(stub)
    missing: list[str] = []
    for one in tree.body:
        if not isinstance(one, ast.ClassDef) or one.name.startswith("_"):
            continue
        among = sources.of_class(one.name) or list(sources.files.values())
        own = sources.docstring(f"fingerpost.{one.name}", among) or sources.docstring(one.name, among)
        if own:
            one.body.insert(0, ast.Expr(ast.Constant(own)))
        else:
            missing.append(one.name)
        told: set[str] = set()
        for member in one.body:
            if not isinstance(member, ast.FunctionDef) or ast.get_docstring(member):
                continue
            text = sources.docstring(member.name, among)
            # If there are several signatures, the first one has the text.
            if text and member.name not in told:
                member.body.insert(0, ast.Expr(ast.Constant(text)))
            elif not text and not member.name.startswith("_"):
                missing.append(f"{one.name}.{member.name}")
            told.add(member.name)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n", missing
