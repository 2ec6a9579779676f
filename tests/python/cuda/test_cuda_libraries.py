"""Results for CuPy, PyTorch and cuDF, which small modules with their names replace."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import cuda_rows as c
import numpy as np
import pytest
from fake_cuda import FakeCuda

import fingerpost.cuda

pytest.importorskip("pyarrow")
import fake_libraries


def test_cupy_gets_its_own_arrays(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = fake_libraries.cupy(cuda, monkeypatch)
    rows = c.addresses(6, 30)
    with fingerpost.cuda.Table(c.rows()) as table:
        for form in (c.network_order(rows), rows, c.structure(rows)):
            answers = table.lookup(cupy.asarray(form), ["index", "load"])
            assert isinstance(answers["index"], cupy.ndarray)
            np.testing.assert_array_equal(answers["index"].array, c.expected(table.image, rows))
            assert isinstance(answers["load"].values, cupy.ndarray)
            assert isinstance(answers["load"].valid, cupy.ndarray)
            expected = [float("nan") if cell is None else cell for cell in c.rows().lookup_many(rows, "load")]
            np.testing.assert_array_equal(answers["load"].values.array, expected)
        assert {call[-1] for call in cuda.called("lookup")} == {5}
        assert cuda.called("order") == []
        assert set(cupy.devices) == {0}
        table.lookup(cupy.asarray(rows), stream=9)
        # The array and the result belong to CuPy's stream.
        assert cuda.called("order") == [(0, 5, 9), (0, 5, 9)]


def test_torch_gets_its_own_tensors(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = fake_libraries.torch(cuda, monkeypatch)
    rows = c.addresses(4, 30)
    tensor = torch.Tensor(rows)
    with fingerpost.cuda.Table(c.rows()) as table:
        answers = table.lookup(tensor, ["index", "city", "far", "asn"])
        assert isinstance(answers["index"], torch.Tensor)
        np.testing.assert_array_equal(answers["index"].array, c.expected(table.image, rows))
        for name, dtype in (("city", np.int32), ("far", np.bool_), ("asn", np.int64)):
            assert isinstance(answers[name].values, torch.Tensor)
            assert answers[name].values.array.dtype == dtype
        # PyTorch itself makes the stream wait for its tensors.
        assert tensor.streams == [6]
        assert {call[-1] for call in cuda.called("lookup") + cuda.called("gather")} == {6}
        assert cuda.called("order") == []
        out = torch.empty(30, dtype=np.uint32, device="cuda:0")
        assert table.lookup(tensor, out=out, stream=8) is out
        assert tensor.streams == [6, 8]


def test_cudf_gets_series(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    cudf, _ = fake_libraries.cudf(cuda, monkeypatch), fake_libraries.cupy(cuda, monkeypatch)
    rows = c.addresses(4, 30)
    series = cudf.Series(rows, index="the index", name="src")
    host = c.rows()
    with fingerpost.cuda.Table(host) as table:
        answers = table.lookup(series, ["index", *c.TYPES])
        for answer in answers.values():
            assert isinstance(answer, cudf.Series)
            assert (answer.index, answer.name) == ("the index", "src")
        np.testing.assert_array_equal(answers["index"].data, c.expected(table.image, rows))
        for name in c.TYPES:
            assert answers[name].data.to_pylist() == host.lookup_many(rows.tolist(), name, family=4)
        assert str(answers["city"].data.type).startswith("dictionary<values=string")
        cuda.calls.clear()
        table.lookup(series, "city", stream=9)
        # After the lookup, the default stream of cuDF waits.
        assert cuda.called("order")[-1] == (0, 9, 1)
        assert cuda.calls.index(("order", 0, 9, 1)) > [call[0] for call in cuda.calls].index("lookup")


def test_the_programs_of_the_guide(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The blocks are one program. The comment after each print() starts with what it prints."""
    fake_libraries.cudf(cuda, monkeypatch)
    fake_libraries.cupy(cuda, monkeypatch)
    page = (Path(__file__).parents[3] / "docs/use/gpu.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    runpy.run_path(str(tmp_path / "program.py"))
    expected = re.findall(r"^ *print\(.*\) +# (.*)$", program, re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(expected) == 5
    for line, comment in zip(printed, expected, strict=True):
        assert line == comment.partition(";")[0]
