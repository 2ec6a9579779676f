"""Settings of Sphinx for the site that tools/docs_site builds, and pages of the source files that the pages link to."""

import os
import re
import sys
from pathlib import Path

from sphinx.domains.c import CDomain
from sphinx.domains.cpp import CPPDomain

sys.path.insert(0, str(Path(__file__).parent))
from plain_docstrings import as_rst
from source_pages import SourceLinks, SourcePages

ROOT = Path(os.environ["FINGERPOST_ROOT"])
WORK = Path(os.environ["FINGERPOST_DOCS_WORK"])

project = "fingerpost"
version = re.search(r"^project\(fingerpost VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
copyright = "the authors of fingerpost"
extensions = ["myst_parser", "breathe", "autoapi.extension"]
language = "en"
default_role = "code"
# Blocks that name no language are pictures and output.
highlight_language = "text"
# A namespace is declared by each header; C has a name for each struct and a typedef of the same name.
suppress_warnings = ["duplicate_declaration.cpp", "duplicate_declaration.c", "misc.highlighting_failure"]

myst_heading_anchors = 6

breathe_projects = {"fingerpost": str(WORK / "xml")}
breathe_default_project = "fingerpost"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False
cpp_maximum_signature_line_length = 100
c_maximum_signature_line_length = 100
python_maximum_signature_line_length = 90

autoapi_dirs = [str(WORK / "python")]
autoapi_root = "reference/python"
autoapi_file_patterns = ["*.pyi", "*.py"]
autoapi_options = ["members", "undoc-members", "imported-members", "show-module-summary"]
autoapi_member_order = "bysource"
autoapi_python_class_content = "class"
autoapi_add_toctree_entry = False
autoapi_keep_files = False

html_theme = "furo"
html_title = f"fingerpost {version}"
html_static_path = [str(ROOT / "docs/site/static")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
# Summaries are fetched, which a browser refuses to pages that were opened as files.
html_show_search_summary = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
templates_path = []


def skip_member(_app, what, name, obj, skip, _options):
    """Leaves out private names and private modules of the package."""
    parts = name.split(".")
    if any(part.startswith("_") and not part.startswith("__") for part in parts):
        return True
    # Imported for private use, and documented where it is defined.
    if what not in ("package", "module") and len(parts) > 2 and parts[1].islower() and getattr(obj, "imported", False):
        return True
    return skip


def process_docstring(_app, _what, _name, _obj, _options, lines):
    lines[:] = as_rst(lines)


def without_parameters(domain):
    """Keeps parameters out of the search: each function would be found again by each of its own."""
    all_objects = domain.get_objects

    def get_objects(self):
        return (one for one in all_objects(self) if one[2] not in ("functionParam", "templateParam"))

    domain.get_objects = get_objects


def setup(app):
    without_parameters(CDomain)
    without_parameters(CPPDomain)
    app.connect("autoapi-skip-member", skip_member)
    app.connect("autodoc-process-docstring", process_docstring)
    app.source_pages = SourcePages(ROOT)
    app.add_post_transform(SourceLinks)
    app.connect("build-finished", app.source_pages.write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
