"""Every public method shows its arguments in help(), and the stub has the same ones."""

from __future__ import annotations

import ast
import inspect
import pickle
import pydoc
import re
from pathlib import Path

import pytest

import fingerpost
from fingerpost import Table

STUB = Path(fingerpost.__file__).with_name("_core.pyi")
Argument = tuple[str, str, bool]  # name, kind, whether it is optional


def in_stub(function: ast.FunctionDef) -> list[Argument]:
    """Returns the arguments of a definition, without the bound one."""
    given = function.args
    by_place = [*given.posonlyargs, *given.args]
    needed = len(by_place) - len(given.defaults)
    found = [(one.arg, "by place", place >= needed) for place, one in enumerate(by_place)]
    found += [
        (one.arg, "by name", default is not None)
        for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg is not None:
        found.append((given.kwarg.arg, "any name", True))
    decorators = {one.id for one in function.decorator_list if isinstance(one, ast.Name)}
    return found if "staticmethod" in decorators else found[1:]


def in_module(class_: type, name: str) -> list[Argument]:
    """Returns the arguments of a method in the module, from nanobind's signature or the one that help() shows."""
    method = vars(class_)[name]
    is_bound = isinstance(method, staticmethod) or type(method).__name__ == "nb_func"
    function = getattr(method, "__func__", method)
    if hasattr(function, "__nb_signature__"):
        ((words, _, _),) = function.__nb_signature__
        words = re.sub(r"\\\d+", "None", words)
    else:
        words = f"def {name}{function.__text_signature__.replace('$', '')}"
    (definition,) = ast.parse(f"{words}: ...").body
    assert isinstance(definition, ast.FunctionDef)
    if is_bound:
        definition.decorator_list.append(ast.Name("staticmethod"))
    return in_stub(definition)


def public_methods() -> list[tuple[str, str]]:
    found = [("Table", "__init__"), ("Report", "__init__")]
    for name in ("Table", "Report", "ArrowColumn"):
        class_ = getattr(fingerpost, name)
        for member in vars(class_):
            if not member.startswith("_") and callable(getattr(class_, member)):
                found.append((name, member))
    return found


@pytest.mark.parametrize(("class_name", "name"), public_methods())
def test_stub_and_module_agree(class_name: str, name: str) -> None:
    classes = {one.name: one for one in ast.parse(STUB.read_text()).body if isinstance(one, ast.ClassDef)}
    stubs = [
        in_stub(one)
        for one in classes[class_name].body
        if isinstance(one, ast.FunctionDef) and one.name == name
    ]
    assert stubs
    ours = in_module(getattr(fingerpost, class_name), name)
    # An overload may omit arguments and require optional ones. Each argument occurs in some overload.
    for stub in stubs:
        assert [(one, kind) for one, kind, _ in stub] == [
            (one, kind) for one, kind, _ in ours if one in {argument for argument, _, _ in stub}
        ]
        for argument, kind, may_be_left_out in stub:
            assert not may_be_left_out or (argument, kind, True) in ours
    for argument, kind, _ in ours:
        assert any((argument, kind) == (one, its_kind) for stub in stubs for one, its_kind, _ in stub)
    for argument, _, may_be_left_out in ours:
        if may_be_left_out:
            assert any(
                argument not in {one for one, _, _ in stub}
                or (argument, True) in {(a, o) for a, _, o in stub}
                for stub in stubs
            )


@pytest.mark.parametrize(("class_name", "name"), public_methods())
def test_help_shows_the_arguments(class_name: str, name: str) -> None:
    class_ = getattr(fingerpost, class_name)
    shown = pydoc.plain(pydoc.render_doc(getattr(class_, name)))
    for argument, _, _ in in_module(class_, name):
        assert re.search(rf"{name}\(.*\b{argument}\b.*\)", shown), shown


def test_the_methods_of_loops_have_signatures() -> None:
    assert str(inspect.signature(Table.lookup)) == "(self, /, address, default=None, *, family=None)"
    assert str(inspect.signature(Table().lookup)) == "(address, default=None, *, family=None)"
    assert str(inspect.signature(Table.match)) == "(self, /, address, *, family=None)"
    assert (inspect.getdoc(Table.lookup) or "").startswith("Returns the value of the longest prefix")
    assert "Returns the longest matches of many addresses." in (inspect.getdoc(Table.lookup_many) or "")
    assert "Maps a saved image" in (inspect.getdoc(fingerpost.open) or "")


def test_methods_are_what_they_were_for_calls_and_pickles() -> None:
    table = Table({"10.0.0.0/8": 1}, values=int)
    assert table.lookup(address="10.0.0.1", default=5) == table.lookup("10.0.0.1") == 1
    assert table.lookup("11.0.0.1", 5) == table.lookup(b"\x0b\0\0\1", 5) == 5
    assert list(map(table.lookup, ["10.0.0.1", "11.0.0.1"])) == [1, None]
    assert Table.lookup(table, "10.0.0.1") == 1
    table.update(**{f"10.{number}.0.0/16": number for number in range(40)})
    assert len(table) == 41
    for wrong in (
        lambda: table.lookup(),  # type: ignore[call-overload]
        lambda: table.lookup("10.0.0.1", 1, 2),  # type: ignore[call-overload]
        lambda: table.match("10.0.0.1", 1),  # type: ignore[call-arg]
        lambda: Table.lookup({}, "10.0.0.1"),  # type: ignore[misc, call-overload]
        lambda: table.copy(1),  # type: ignore[call-arg]
    ):
        with pytest.raises(TypeError):
            wrong()
    for word in ("no address", "10.0.0.256", "\ud800"):
        with pytest.raises(ValueError):
            table.lookup(word)
        with pytest.raises(ValueError):
            table.match(word)
    for method in (Table.from_csv, Table.lookup, Table.all_matches):
        assert pickle.loads(pickle.dumps(method)) is method
    assert pickle.loads(pickle.dumps(table.lookup))("10.9.0.1") == 9
    assert pickle.loads(pickle.dumps(table.all_matches))("10.9.0.1") == table.all_matches("10.9.0.1")
    assert pickle.loads(pickle.dumps(Table.from_arrow)) == Table.from_arrow

    class Named(Table[int]):
        def __init__(self, number: int) -> None:
            super().__init__({"10.0.0.0/8": number}, values=int)

    assert Named(7).lookup("10.0.0.1") == 7
    empty = Named.__new__(Named)
    with pytest.raises(TypeError):
        empty.lookup("10.0.0.1")
