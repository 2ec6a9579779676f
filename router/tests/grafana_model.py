#!/usr/bin/env python3
"""Loads a dashboard with the model from which Grafana is generated, and parses its queries: `grafana_model.py FILE`.

Needs grafana-foundation-sdk and promql-parser of tests/python/requirements.txt; exit status 77 without them.
"""

import json
import sys
from pathlib import Path

try:
    import promql_parser
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models.dashboard import Dashboard
except ImportError:
    sys.exit(77)


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text())
    loaded = json.loads(JSONEncoder().encode(Dashboard.from_json(given)))
    # Fields missing in the model would be lost.
    for name, value in given.items():
        assert value is None or name in loaded, f"{name} is nothing of a dashboard"
    assert len(loaded["panels"]) == len(given["panels"])
    for before, after in zip(given["panels"], loaded["panels"], strict=True):
        assert set(before) <= set(after), f"{before['title']}: {set(before) - set(after)}"
        for target in before["targets"]:
            # Grafana inserts these before Prometheus sees the query.
            query = target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")
            promql_parser.parse(query)


if __name__ == "__main__":
    main()
