#!/usr/bin/env python3
"""`fingerpost serve --config`: options in a file, the precedence of the command line, and errors with their line."""

import os
from pathlib import Path

from serving import Server, equal, refuses_to_start, run_cases, table_of, want


def config_of(folder: Path, *lines: str) -> str:
    path = folder / "serve.toml"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return str(path)


def takes_every_kind_of_option(folder: Path) -> None:
    """A text, a number, a flag, a choice that looks like a number, lists, and options that belong together."""
    table_of(folder, "10.0.0.0/8 a")
    (folder / "v4.csv").write_text("network,id\n10.0.0.0/8,7\n", encoding="utf-8")
    (folder / "places.csv").write_text("id,place\n7,Bern\n", encoding="utf-8")
    (folder / "people.csv").write_text("place,person\nBern,Ada\n", encoding="utf-8")
    config = config_of(
        folder,
        "# Keys are options.",
        f'table = ["geo={folder}/v4.csv", "all={folder}/table.txt"]',
        "max-addresses = 3",
        "no-watch = true",
        "strict = false",
        "family = 4",
        # Each element of `on` belongs to one of `join`.
        'on = ["id", "place"]',
        f'join = ["{folder}/places.csv", "{folder}/people.csv"]',
        'rename = ["geo_place=city", "all_next_hop=hop"]',
        f'access-log = "{folder}/access.log"',
        'access-log-format = "json"',
    )
    with Server(None, "--config", config) as server:
        row = server.post(["10.1.2.3"])[0]
        equal((row["city"], row["geo_person"], row["hop"]), ("Bern", "Ada", "a"), "columns of joined files, renamed")
        status, _, answer = server.ask("POST", "/lookup", '["1.1.1.1","1.1.1.1","1.1.1.1","1.1.1.1"]')
        want(status == 413 and b"3 addresses" in answer, f"max-addresses: {answer!r}")
    want((folder / "access.log").read_text(encoding="utf-8").startswith('{"time":'), "the access log is JSON")
    # An option on the command line overrides the one in the file.
    other = folder / "other.txt"
    other.write_text("10.0.0.0/8 b\n", encoding="utf-8")
    config = config_of(folder, f'table = "{folder}/table.txt"', "max-addresses = 3")
    with Server(other, "--config", config, "--max-addresses", "4") as server:
        equal([row["next_hop"] for row in server.post(["10.0.0.1"] * 4)], ["b"] * 4, "the command line goes before")
    # --join and --on are both taken from the same place.
    config = config_of(folder, f'table = "{folder}/v4.csv"', f'join = "{folder}/nothing.csv"', 'on = "nothing"')
    with Server(None, "--config", config, "--join", f"{folder}/places.csv", "--on", "id") as server:
        equal(server.post(["10.0.0.1"])[0]["place"], "Bern", "--join and --on of the command line")


def tells_what_is_wrong(folder: Path) -> None:
    table = table_of(folder, "10.0.0.0/8 a")
    wrong = {
        'tabel = "x"': "unknown key 'tabel'; did you mean table?",
        'config = "x"': "unknown key 'config'",
        'help = "x"': "unknown key 'help'; keys are the options in fingerpost help serve",
        'threads = "4"': "threads must be a number",
        "threads = 0": "threads: '0' is not a whole number from 1 to 1024",
        "threads = 1.5": "threads: '1.5' is not a whole number",
        "threads = -1": "threads: '-1' is not a whole number",
        "threads = [1]": "threads must be a number",
        "no-watch = 1": "no-watch must be true or false",
        'no-watch = ["x"]': "no-watch must be true or false",
        "http = 8080": "http must be a string",
        'http = ["127.0.0.1:1", "127.0.0.1:2"]': "http must be a string",
        'http = "nowhere:80"': "http: 'nowhere:80' is not ADDRESS:PORT",
        'socket = ""': "socket: the value is empty",
        "family = 5": "family must be a string",
        'allow-host = ["a", 1]': "allow-host must be a string, or an array of them",
        'allow-host = "a b"': "allow-host: 'a b' is not a host name",
        'log-level = "loud"': "log-level: 'loud' is not one of error, warning, info, debug",
        "[serve]": "'serve' must be a string, number, boolean or array of them",
        "threads = 2026-11-26": "'threads' must be a string",
        "threads = 1\nthreads = 2": "",
        "threads 1": "",
        'http = "\x01"': "",
        "threads =\xa01": "",
        "thr\xe9ads = 1": "",
        '"thr\xe9ads" = 1': "unknown key 'thr\xe9ads'; did you mean threads?",
        "[{": "",
    }
    for line, mark in wrong.items():
        config = config_of(folder, f'table = "{table}"', line)
        place = f"fingerpost: {config}:{3 if chr(10) in line else 2}: "
        refuses_to_start(2, place + mark, "--config", config)
    long = config_of(folder, 'allow-host = [\n  "a",\n  "b c",\n]', f'table = "{table}"')
    refuses_to_start(2, f"{long}:3: allow-host: 'b c' is not a host name", "--config", long)
    refuses_to_start(2, "serve.none: ", "--config", str(folder / "serve.none"))
    texts = config_of(folder, '# \xe9', 'allow-host = [\'\'\'a\xe9"\'\'\', """\xe9\\""""", "\xe9"]', f'table = "{table}"')
    refuses_to_start(2, f"{texts}:2: allow-host: 'a", "--config", texts)
    # Dependencies between options are checked as on the command line.
    refuses_to_start(
        2, "--access-log-format needs --access-log", "--config",
        config_of(folder, f'table = "{table}"', 'access-log-format = "json"'),
    )  # fmt: skip
    refuses_to_start(2, "serve.toml:2: on: must follow a --join", "--config", config_of(folder, f'table = "{table}"', 'on = "x"'))
    refuses_to_start(2, "--join needs --on", "--config", config_of(folder, f'table = "{table}"', 'join = "x"'))
    os.environ.pop("FINGERPOST_TABLE", None)
    os.environ["HOME"] = str(folder)
    os.environ.pop("XDG_CONFIG_HOME", None)
    refuses_to_start(2, "no table; use -t FILE", "--config", config_of(folder, "threads = 1"))


if __name__ == "__main__":
    run_cases(takes_every_kind_of_option, tells_what_is_wrong)
