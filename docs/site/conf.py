"""Settings of Sphinx for the site that tools/docs_site builds, and pages of the source files that the pages link to."""

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from plain_docstrings import as_rst  # noqa: E402
from source_pages import SourcePages  # noqa: E402

ROOT = Path(os.environ["FINGERPOST_ROOT"])
WORK = Path(os.environ["FINGERPOST_DOCS_WORK"])

project = "fingerpost"
version = re.search(r"^project\(fingerpost VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
copyright = "the authors of fingerpost"
extensions = ["myst_parser", "breathe", "autoapi.extension"]
language = "en"
default_role = "code"
# A namespace is declared by each header; C has a name for each struct and a typedef of the same name.
suppress_warnings = ["duplicate_declaration.cpp", "duplicate_declaration.c", "misc.highlighting_failure"]

myst_heading_anchors = 6

breathe_projects = {"fingerpost": str(WORK / "xml")}
breathe_default_project = "fingerpost"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_default_members = ("members",)
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
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
templates_path = []


def skip_member(_app, what, name, obj, skip, _options):
    """Leaves out what begins with an underscore, and modules of the package that are its own."""
    parts = name.split(".")
    if any(part.startswith("_") and not part.startswith("__") for part in parts):
        return True
    # Imported by a module for itself, and told of where it stands.
    if what not in ("package", "module") and len(parts) > 2 and parts[1].islower() and getattr(obj, "imported", False):
        return True
    return skip


def process_docstring(_app, _what, _name, _obj, _options, lines):
    lines[:] = as_rst(lines)


def setup(app):
    app.connect("autoapi-skip-member", skip_member)
    app.connect("autodoc-process-docstring", process_docstring)
    pages = SourcePages(ROOT)
    app.connect("missing-reference", pages.resolve)
    app.connect("build-finished", pages.write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
