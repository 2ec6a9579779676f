"""One-line descriptions of the schemes, from docs/schemes/README.md, which tools/readme_tables generates from the code."""

import re
from pathlib import Path

from .model import Report
from .tables import table
from .text import escape, rich

PAGE = Path(__file__).resolve().parents[3] / "docs/schemes/README.md"
LINE = re.compile(r"^\| (?:\*\*)?\[`(\w+)`\]\([^)]*\)(?:\*\*)?[^|]*\| ([^|]+) \|", re.MULTILINE)
COLON = (
    "A colon after a name begins a variant of the scheme, as in <code>planb:simd</code>: it is there for study and shows what one step of "
    "the design gains."
)


def summaries(page: Path = PAGE) -> dict[str, str]:
    """Returns one line per standard scheme, or none if the documents are missing."""
    try:
        return dict(LINE.findall(page.read_text(encoding="utf-8")))
    except OSError:
        return {}


def glossary_html(report: Report) -> str:
    """Returns the folded list of the schemes in the results."""
    measured = {row.get("series") for source in report.sources for part in source.document["experiments"].values() for row in part["rows"]}
    body = [[escape(name), rich(text)] for name, text in summaries().items() if name in measured]
    if not body:
        return ""
    head = "<details><summary>What the schemes are</summary>"
    return f"{head}{table(['scheme', 'what it is'], body, 'what the schemes are')}<p>{COLON}</p></details>"
