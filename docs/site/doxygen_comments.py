"""Makes the plain comments of a header (`//`) into those that Doxygen reads (`///`).

The comment that opens a file describes the file. A comment directly above a declaration, or after it on its
line, describes the declaration. Text indented by three blanks or more is a picture and stays as it is. Comments in function
bodies stay plain. Constructs that Doxygen or Sphinx cannot read are left out: deduction guides, function-try-blocks, explicit
instantiations and some values.
"""

import re

WHOLE_LINE = re.compile(r"^(\s*)//(?!/)(.*)$")
# The code of a line, with strings and characters as they are, and the comment after it.
BEHIND_CODE = re.compile(r"""^((?:[^"'/]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|'|/(?!/))*)//(.*)$""")
STRINGS = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'""")
PICTURE = re.compile(r"^\s{3,}\S")
DECLARES_MEMBERS = re.compile(r"\b(namespace|struct|class|union|enum|extern)\b")
NOT_A_SCOPE = re.compile(r"(=|\brequires|\)|\bnoexcept|\bconst|\breturn)\s*$")
MEANS_SOMETHING_TO_DOXYGEN = re.compile(r"[\\@<>#%&$*|~\[\]]")


def escaped(text: str) -> str:
    """The text with all that Doxygen would take for a command or markup escaped, but for `code`."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts = ["'".join(parts)]
    parts[::2] = [MEANS_SOMETHING_TO_DOXYGEN.sub(r"\\\g<0>", part).replace("--", r"\--") for part in parts[::2]]
    return "`".join(parts)


def as_documentation(texts: list[str], indent: str, first: str = "") -> list[str]:
    """The lines of one comment as lines for Doxygen, as many as there were, or one more for `first`."""
    lines = [f"{indent}/// {first}"] if first else []
    drawn = [bool(PICTURE.match(text)) for text in texts]
    # A blank line between two lines of a picture is part of it.
    for at in range(1, len(texts) - 1):
        drawn[at] = drawn[at] or (not texts[at].strip() and drawn[at - 1] and drawn[at + 1])
    for text, is_picture, was, will_be in zip(texts, drawn, [False, *drawn], [*drawn[1:], False]):
        if is_picture and not was:
            lines.append(f"{indent}/// ~~~")
        lines.append(f"{indent}///{text if is_picture else escaped(text)}")
        if is_picture and not will_be:
            lines.append(f"{indent}/// ~~~")
    return lines


class Scopes:
    """Which braces are open, and whether declarations or statements stand in the innermost one."""

    def __init__(self) -> None:
        self.open: list[bool] = []
        self.text = ""

    def declarations(self) -> bool:
        return all(self.open) and self.text.count("(") == self.text.count(")")

    def take(self, code: str) -> None:
        for character in STRINGS.sub("0", code) + "\n":
            if character == "{":
                head = re.sub(r"alignas\([^()]*(\([^()]*\))?[^()]*\)", "", self.text)
                is_scope = DECLARES_MEMBERS.search(head) and "(" not in head and not NOT_A_SCOPE.search(head)
                self.open.append(bool(is_scope))
                self.text = ""
            elif character == "}":
                if self.open:
                    self.open.pop()
                self.text = ""
            elif character == ";":
                self.text = ""
            else:
                self.text += character


# `template <class E> unexpected(E) -> unexpected<E>;` is taken for a function of the class's name.
DEDUCTION_GUIDE = re.compile(r"^\s*(template <[^;]*> )?\w+\([^;()]*\) -> \w+<.*>;$")
FUNCTION_TRY = re.compile(r"^(.*\S) try \{$")
FUNCTION_CATCH = re.compile(r"^\} catch \(.*\{$")
# Values that Sphinx does not read: of several literals, with names of members, and functions without a name. They are left out.
UNREAD_VALUE = re.compile(
    r'\s*=\s*(?:"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")+|(?:\[[^\[\]]*\]\s*\([^()]*\)[^;{}]*)?\{[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*\});'
)
DESIGNATED = re.compile(r"\{\s*\.\w+ =")
# `extern template expected<int> f(int);` declares nothing new.
INSTANTIATION = re.compile(r"^(?:extern )?template (?!<)[^;]*;\n", re.MULTILINE)


def without_value(found: re.Match[str]) -> str:
    is_read = found[0].lstrip("= \n").startswith("{") and not DESIGNATED.search(found[0])
    return found[0] if is_read else ";"


class Converter:
    def __init__(self, source: str) -> None:
        source = INSTANTIATION.sub("", source)
        self.lines = UNREAD_VALUE.sub(without_value, source).split("\n")
        self.made: list[str] = []
        self.scopes = Scopes()
        # How many braces are open in a handler that is left out, while one is.
        self.left_out: int | None = None

    def put(self, *lines: str) -> None:
        if self.left_out is None:
            self.made += lines

    def comment(self, at: int) -> int:
        """Takes the comment that begins in a line, and returns how many lines it has."""
        block = []
        while at + len(block) < len(self.lines) and (found := WHOLE_LINE.match(self.lines[at + len(block)])):
            block.append(found)
        below = self.lines[at + len(block)].strip() if at + len(block) < len(self.lines) else ""
        texts = [one[2] for one in block]
        if at == 0:
            self.put(*as_documentation(texts, "", "@file"))
        elif self.scopes.declarations() and below:
            self.put(*as_documentation(texts, block[0][1]))
        else:
            self.put(*self.lines[at : at + len(block)])
        return len(block)

    def code_with_comment(self, at: int, code: str, words: str) -> int:
        self.scopes.take(code)
        if not self.scopes.declarations() or code.rstrip().endswith(("{", "}", ":")):
            self.put(self.lines[at])
            return 1
        texts = [words.strip()]
        while at + len(texts) < len(self.lines) and (more := WHOLE_LINE.match(self.lines[at + len(texts)])):
            if len(more[1]) != len(code):
                break
            texts.append(more[2].strip())
        self.put(f"{code}///< {escaped(' '.join(texts))}")
        return len(texts)

    def code(self, line: str) -> None:
        if self.left_out is not None:
            self.scopes.take(line)
            if len(self.scopes.open) < self.left_out:
                self.left_out = None
                self.put(line)
            return
        if self.scopes.declarations() and DEDUCTION_GUIDE.match(line):
            if self.made and self.made[-1].lstrip().startswith("template"):
                self.made.pop()
            return
        if found := FUNCTION_TRY.match(line):
            line = found[1] + " {"
        elif self.scopes.open and FUNCTION_CATCH.match(line.strip()) and not self.scopes.open[-1] and all(self.scopes.open[:-1]):
            # Its closing brace then is the function's.
            self.left_out = len(self.scopes.open)
            return
        self.scopes.take(line)
        self.put(line)

    def run(self) -> str:
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            if WHOLE_LINE.match(line):
                at += self.comment(at)
                continue
            behind = BEHIND_CODE.match(line)
            if line.lstrip().startswith("#"):
                self.put(line)
            elif behind and self.left_out is None:
                at += self.code_with_comment(at, behind[1], behind[2])
                continue
            else:
                self.code(behind[1] if behind else line)
            at += 1
        return "\n".join(self.made)


def converted(source: str) -> str:
    return Converter(source).run()
