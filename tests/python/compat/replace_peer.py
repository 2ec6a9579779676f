"""A plugin for pytest: imports of the package in FINGERPOST_PEER get the module of fingerpost.compat. The outcome of each
test is written to the file in FINGERPOST_OUTCOMES."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

_module: Any = importlib.import_module(f"fingerpost.compat.{os.environ['FINGERPOST_PEER']}")
_outcomes: dict[str, str] = {}


def pytest_configure() -> None:
    name = os.environ["FINGERPOST_PEER"]
    sys.modules[name] = _module
    if name == "maxminddb":
        for inner in ("const", "errors", "reader", "types"):
            sys.modules[f"{name}.{inner}"] = _module
        _module.reader, _module.extension = _module, None


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" or report.outcome != "passed":
        failed = "failed" in (report.outcome, _outcomes.get(report.nodeid))
        _outcomes[report.nodeid] = "failed" if failed else report.outcome


def pytest_sessionfinish() -> None:
    Path(os.environ["FINGERPOST_OUTCOMES"]).write_text(json.dumps(_outcomes))
