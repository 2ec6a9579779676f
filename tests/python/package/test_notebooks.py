"""Runs the notebooks in the documentation and compares the output of each cell with the saved one."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("ipykernel", reason="ipykernel is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")

import nbformat
from jupyter_client.manager import AsyncKernelManager

NOTEBOOKS = sorted((Path(__file__).parents[3] / "docs" / "use" / "notebooks").glob("*.ipynb"))


def read(path: Path) -> nbformat.NotebookNode:
    notebook: nbformat.NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return notebook


def printed(notebook: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """Returns the code of each code cell and everything that it prints."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [(cell.source, "".join(text_of(output) for output in cell.outputs)) for cell in cells]


def text_of(output: nbformat.NotebookNode) -> str:
    # The kernel may split the printed text into any number of messages.
    return str(output.text if output.output_type == "stream" else output.data["text/plain"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_prints_what_is_saved(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    saved = read(path)
    nbformat.validate(saved)
    ran = read(path)
    # Its sockets are next to the connection file.
    kernel = AsyncKernelManager(
        kernel_name="python3", transport="ipc", connection_file=str(tmp_path / "kernel.json")
    )
    nbclient.NotebookClient(ran, timeout=120, km=kernel, record_timing=False).execute()
    assert printed(ran) == printed(saved)


def test_there_are_notebooks_with_outputs() -> None:
    outputs = [output for path in NOTEBOOKS for _, output in printed(read(path))]
    assert sum(output != "" for output in outputs) >= 10
