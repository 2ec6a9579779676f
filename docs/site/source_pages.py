"""Pages of the source files and folders that the pages of documentation link to, with a number on each line."""

import html
import posixpath
import re
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

FOLDER = "source"
# A file of code as prose names it, maybe with a line; pages of documentation have pages of their own.
SOURCE_PATH = re.compile(r"(?P<path>[\w./-]+/[\w.-]+\.(?:hpp|cpp|h|c|py|pyi|sh|cmake|toml)|(?:tools|\.ci)/\w+)(?::(?P<line>\d+))?")
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><link rel="stylesheet" href="{up}{style}"></head>
<body><p><a href="{up}index.html">fingerpost</a> / <code>{title}</code></p>{body}</body></html>
"""
STYLE = """:root { color-scheme: light dark; }
body { margin: 1rem; font: 15px/1.5 system-ui, sans-serif; }
pre { overflow-x: auto; line-height: 1.4; font-size: 13px; }
.linenos { color: #888; margin-right: 1em; user-select: none; text-decoration: none; }
span:target { background: #ffd70055; }
"""


def inside_link(node: nodes.Node) -> bool:
    while node is not None and not isinstance(node, (nodes.reference, addnodes.pending_xref, nodes.title)):
        node = node.parent
    return node is not None


class SourceLinks(SphinxPostTransform):
    """Leads links that are to no page of the site, and `paths` of source files, to the pages of these files.

    Runs before MyST, which would refuse such links.
    """

    default_priority = 8

    def run(self, **_kwargs) -> None:
        for node in list(self.document.findall(addnodes.pending_xref)):
            if node.get("reftype") == "myst" and node.get("refdomain") is None:
                uri = self.app.source_pages.address(self.app, node["refdoc"], node["reftarget"])
                if uri is not None:
                    made = nodes.reference("", "", *node.children, internal=True, refuri=uri)
                    node.replace_self(made)
        for node in list(self.document.findall(nodes.literal)):
            found = SOURCE_PATH.fullmatch(node.astext())
            if found and (self.app.source_pages.root / found["path"]).is_file() and not inside_link(node):
                line = f"#L{found['line']}" if found["line"] else ""
                uri = self.app.source_pages.address_of_source(self.env.docname, found["path"], line)
                node.replace_self(nodes.reference("", "", node.deepcopy(), internal=True, refuri=uri))


class SourcePages:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.wanted: set[str] = set()

    def address(self, app, docname: str, target: str) -> str | None:
        """Returns where a link leads, from the page that it is on; None for targets outside of the tree."""
        target, _, anchor = unquote(target).partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(docname), target))
        if not target or path.startswith((".", "/")):
            return None
        up = "../" * docname.count("/")
        behind = f"#{anchor}" if anchor else ""
        if path == "README.md":
            return f"{up}index.html{behind}"
        for page in (f"{path}/README", f"{path}/index"):
            if page in app.env.found_docs:
                return f"{up}{page}.html"
        if not (self.root / path).exists():
            return None
        # Copied unchanged, like a picture.
        if path.endswith(".html"):
            return f"{up}{path}{behind}"
        return self.address_of_source(docname, path, behind)

    def address_of_source(self, docname: str, path: str, behind: str) -> str:
        """Returns where the page of a file or folder will be, from a page that then leads to it."""
        self.wanted.add(path)
        name = f"{path}/index" if (self.root / path).is_dir() else path
        return f"{'../' * docname.count('/')}{FOLDER}/{name}.html{behind}"

    def write(self, app, failure) -> None:
        if failure is not None:
            return
        output = Path(app.outdir) / FOLDER
        output.mkdir(exist_ok=True)
        light = HtmlFormatter(style="default").get_style_defs(".highlight")
        dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
        (output / "source.css").write_text(f"{STYLE}{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n", encoding="utf-8")
        files = {path for path in self.wanted if (self.root / path).is_file()}
        folders = self.wanted - files
        for folder in folders:
            files |= {f"{folder}/{one.name}" for one in (self.root / folder).iterdir() if one.is_file()}
        for path in sorted(files):
            self.write_page(output / f"{path}.html", path, self.file_body(path))
        for folder in sorted(folders):
            self.write_page(output / folder / "index.html", folder, self.folder_body(folder, folders))

    def file_body(self, path: str) -> str:
        text = (self.root / path).read_bytes().decode("utf-8", errors="replace")
        try:
            lexer = get_lexer_for_filename(path, stripnl=False)
        except ClassNotFound:
            lexer = TextLexer(stripnl=False)
        made = highlight(text, lexer, HtmlFormatter(linenos="inline", linespans="L", anchorlinenos=False))
        return made.replace('id="L-', 'id="L')

    def folder_body(self, folder: str, folders: set[str]) -> str:
        items = []
        for one in sorted((self.root / folder).iterdir(), key=lambda one: (one.is_file(), one.name)):
            name = html.escape(one.name)
            if one.is_file():
                items.append(f'<li><a href="{name}.html">{name}</a></li>')
            elif f"{folder}/{one.name}" in folders:
                items.append(f'<li><a href="{name}/index.html">{name}</a>/</li>')
            elif not one.name.startswith((".", "__")):
                items.append(f"<li>{name}/</li>")
        return f"<ul>{''.join(items)}</ul>"

    @staticmethod
    def write_page(to: Path, title: str, body: str) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        depth = to.as_posix().split(f"/{FOLDER}/", 1)[1].count("/") + 1
        up = "../" * depth
        to.write_text(PAGE.format(title=html.escape(title), up=up, style=f"{FOLDER}/source.css", body=body), encoding="utf-8")
