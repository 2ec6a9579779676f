#!/usr/bin/env python3
"""`fingerpost router` against a fake telemetry socket: every part and format, wrong answers, terminals, closed pipes.

$FINGERPOST is the program. The test needs neither DPDK nor a router.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from fake_telemetry import (
    PAGES,
    PROGRAM,
    RECORDED,
    Answer,
    Fake,
    Terminal,
    calls,
    fails,
    hang_up,
    is_equal,
    prints,
    run,
    run_all,
    whole,
)


def shows_every_part(folder: Path) -> None:
    path = folder / "router.sock"
    with Fake(path):
        for part, page in PAGES.items():
            prints(page, "show", part, "--socket", str(path))
            done = run("show", "--format", "json", "--socket", str(path), part)
            is_equal(list(json.loads(done.stdout).items()), list(json.loads(RECORDED[part]).items()), part)
        prints(PAGES["summary"], "show", "--socket", str(path))
    nothing = {f"/fingerpost/{part}": whole(part, "{}") for part in ("ports", "drops", "neighbours,0", "summary")}
    with Fake(path, nothing):
        prints("no neighbours\n", "show", "neighbours", "--socket", str(path))
        is_equal(run("show", "ports", "--socket", str(path)).stdout.count("\n"), 1, "no ports")
        # Other versions may send fewer fields.
        done = run("show", "--socket", str(path))
        is_equal(re.findall(r"^received +(.*)", done.stdout, re.M), ["-"], "a summary without members")
    with Fake(path, {"/fingerpost/drops": whole("drops", '{"no_route":0,"too_big":0}')}):
        prints("nothing was dropped\n", "show", "drops", "--socket", str(path))
    waiting = RECORDED["summary"].replace('connected":1', 'connected":0').replace("port 2620", "port \\u001b[2J")
    with Fake(path, {"/fingerpost/summary": whole("summary", waiting)}):
        done = run("show", "--socket", str(path))
        is_equal("fpm, port \\x1b[2J; it is not connected" in done.stdout, True, done.stdout)
    away = RECORDED["summary"].replace('connected":1', 'connected":0')[:-1] + (
        ',"source_state":"away","source_stale_routes":1170000,"source_stale_seconds":"95.200","source_refused":3}'
    )
    stale = "fpm, port 2620; it is not connected; 1,170,000 routes are stale since 1 min 35 s; 3 other clients were refused"
    ended = "fpm, port 2620; it did not come back, and its routes were withdrawn; 3 other clients were refused"
    for text, told in (
        (away, stale),
        (away.replace("away", "ended").replace("1170000", "0"), ended),
        (away.replace('connected":0', 'connected":1').replace("away", "complete").replace("1170000", "0"),
         "fpm, port 2620; 3 other clients were refused"),
    ):
        with Fake(path, {"/fingerpost/summary": whole("summary", text)}):
            is_equal(re.findall(r"^source +(.*)", run("show", "--socket", str(path)).stdout, re.M), [told], text)


def asks_a_vrf(folder: Path) -> None:
    path = str(folder / "router.sock")
    here = ["--vrf", "red", "--socket", path]
    answers = {
        "/fingerpost/tables,red": whole("tables", RECORDED["tables"]),
        "/fingerpost/lookup,10.1.2.3,red": whole("lookup", RECORDED["lookup,10.1.2.3"]),
        "/fingerpost/tables,green": whole("tables", '{"error":"there is no VRF green"}'),
    }
    with Fake(Path(path), answers) as fake:
        prints(PAGES["tables"], "show", "tables", *here)
        is_equal(run("lookup", "10.1.2.3", *here).returncode, 0, "lookup in a VRF")
        is_equal(fake.asked, ["/fingerpost/tables,red", "/fingerpost/lookup,10.1.2.3,red"], "what was asked")
        fails("there is no VRF green", "show", "tables", "--vrf", "green", "--socket", path)
        fake.asked.clear()
        fails("--vrf does not apply to ports, only to tables", "show", "ports", *here, code=2)
        for name in ("a,b", "/x"):
            fails(f"--vrf: '{name}' is not the name of a VRF", "lookup", "10.1.2.3", "--vrf", name, code=2)
        is_equal(fake.asked, [], "what was asked")


def looks_up(folder: Path) -> None:
    path = str(folder / "router.sock")
    titles = "address      prefix       next hop        action    port  mac                  mtu  flows\n"
    one = "10.1.2.3     10.1.0.0/16  10.0.0.2 dev 3  forward   left  02:00:00:00:00:01  1,500      -\n"
    other = "2001:db8::1  -            -               no route  -     -                      0      -\n"
    with Fake(Path(path)) as fake:
        prints(titles + one + other, "lookup", "10.1.2.3", "2001:db8::1", "--socket", path)
        done = run("lookup", "--format", "json", "10.1.2.3", "2001:db8::1", "--socket", path)
        wanted = {a: json.loads(RECORDED[f"lookup,{a}"]) for a in ("10.1.2.3", "2001:db8::1")}
        is_equal(json.loads(done.stdout), wanted, "lookup as JSON")
        # An invalid address is reported and never sent; the others are answered.
        fake.asked.clear()
        said = "fingerpost: argument 1: '10.1.2': the text ends too early\n"
        # Columns are as wide as the answers require.
        narrow = (titles + one).replace("10.1.2.3   ", "10.1.2.3").replace("address    ", "address ")
        narrow = narrow.replace("action  ", "action ").replace("forward  ", "forward ")
        prints(narrow, "lookup", "10.1.2", "10.1.2.3", "--socket", path, code=3, said=said)
        is_equal(fake.asked, ["/fingerpost/lookup,10.1.2.3"], "what was asked")
        fails("argument 1: '/,x': .*", "lookup", "/,x", "--socket", path, code=3)
    with Fake(Path(path), {"/fingerpost/lookup,::1": whole("lookup", '{"error":"not today"}')}):
        done = run("lookup", "::1", "--socket", path)
        is_equal((done.returncode, "not today" in done.stdout), (3, True), done.stdout)
    fails("router lookup: missing ADDRESS", "lookup", code=2)
    paths = [
        '{"via":"10.0.0.2%left","weight":3,"share":"0.745","action":"forward","port":"left","mac":"02:00:00:00:00:01","mtu":1500}',
        '{"via":"10.0.1.2%right","weight":1,"share":"0.000","action":"link down","port":"","mac":"","mtu":1500}',
    ]
    group = '{"address":"10.1.2.3","prefix":"10.1.0.0/16","via":"10.0.0.2%left*3+10.0.1.2%right","action":"group",' + (
        f'"port":"","mac":"","mtu":0,"paths":3,"path0":{paths[0]},"path1":{paths[1]}}}'
    )
    page = """\
address   prefix       next hop                        action     port  mac                  mtu   flows
10.1.2.3  10.1.0.0/16  10.0.0.2%left*3+10.0.1.2%right  group      -     -                      0       -
                       10.0.0.2%left                   forward    left  02:00:00:00:00:01  1,500  74.5 %
                       10.0.1.2%right                  link down  -     -                  1,500   0.0 %
                       and 1 more
"""
    with Fake(Path(path), {"/fingerpost/lookup,10.1.2.3": whole("lookup", group)}):
        done = run("lookup", "10.1.2.3", "--socket", path)
        is_equal("\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n", page, "a group")


def changes_settings(folder: Path) -> None:
    path = folder / "router.sock"
    told = {
        "errors": {},
        "changed": {"0": 'scheme: "", now "poptrie"', "1": "port.lan.addresses: [], ", "1_1": 'now ["10.0.0.1/24"]'},
        "needs_restart": {"0": "memory.huge: true, now false"},
        "warnings": {"0": "port.mtu is 1000; IPv6 needs 1280 or more"},
    }
    page = 'changed: scheme: "", now "poptrie"\nchanged: port.lan.addresses: [], now ["10.0.0.1/24"]\n'
    asked = "set,scheme=poptrie\nport.lan.addresses+=10.0.0.1/24\n"
    refused = {"errors": {"0": "router set: error: no \x1b[2J", "1": "nor that"}, "changed": {"0": "a"}}
    answers: dict[str, Answer] = {
        f"/fingerpost/{asked}": whole("set", json.dumps(told)),
        "/fingerpost/reload": whole("reload", json.dumps(told)),
        "/fingerpost/set,scheme=x\n": whole("set", json.dumps(refused)),
        "/fingerpost/set,scheme=\n": whole("set", '{"errors":{}}'),
    }
    with Fake(path, answers):
        said = "fingerpost: port.mtu is 1000; IPv6 needs 1280 or more\n"
        page += "needs a restart: memory.huge: true, now false\n"
        words = ["set", "scheme=poptrie", "port.lan.addresses+=10.0.0.1/24", "--socket", str(path)]
        prints(page, *words, said=said)
        prints(page, "reload", "--socket", str(path), said=said)
        is_equal(json.loads(run(*words, "--format", "json").stdout), told, "the answer as JSON")
        prints("nothing differs\n", "set", "scheme=", "--socket", str(path))
        said = "fingerpost: router set: error: no \\x1b[2J\nfingerpost: nor that\n"
        said += "fingerpost: nothing was changed\n"
        prints("", "set", "scheme=x", "--socket", str(path), code=1, said=said)
    fails("router set: 'scheme' is not KEY=VALUE", "set", "scheme", code=2)
    fails("router set: a setting cannot have several lines", "set", "a=b\nc=d", code=2)
    fails("router set: missing KEY=VALUE", "set", code=2)
    fails("the settings have 2007 bytes, more than 1000; .*", "set", "a=" + 2000 * "x", "--socket", str(path), code=2)


def names_what_is_wrong(folder: Path) -> None:
    path = folder / "router.sock"
    here = ["show", "--socket", str(path)]
    command = "/fingerpost/summary"
    good = whole("summary", RECORDED["summary"])

    def answered(answer: Answer, words: str, *more: str) -> None:
        with Fake(path, {command: answer}):
            fails(f"{re.escape(str(path))}: {words}", *here, *more)

    def greeted(greeting: Answer, words: str, *more: str) -> None:
        with Fake(path, greeting=greeting):
            fails(f"{re.escape(str(path))}: {words}", *here, *more)

    for size in (1, 20, len(good) - 1):
        answered(good[:size], rf"{command}: invalid JSON at byte {size + 1} of {size}: '.*'")
    answered("\x1b[2J", rf"{command}: invalid JSON at byte 1 of 4: '\\x1b\[2J'")
    answered(b'{"/fingerpost/summary":{"source":"\xff"}}', rf"{command}: invalid JSON at byte .*")
    answered("[1]", rf"{command}: not an object: '\[1\]'")
    answered('{"/other":{}}', f"the answer to {command} belongs to another request: .*")
    answered(f'{{"{command}":null}}', f"no answer to {command}: the router is starting or ending, .*")
    answered(f'{{"{command}":7}}', f"the answer to {command} is not an object: .*")
    answered(" " * 20000, f"{command}: 20000 bytes are more than the router's limit of 16384")
    answered(hang_up, f"the router ended before it answered {command}")
    answered(None, rf"no answer within 0.3 s \({command}\)", "--timeout", "0.3")
    greeted(None, r"no answer within 0.3 s \(greeting\)", "--timeout", "0.3")
    greeted(hang_up, "the router closed the connection: it may have too many")
    greeted("hello", "greeting: invalid JSON at byte 1 of 5: 'hello'")
    greeted('{"version":"1"}', "not a telemetry socket of DPDK: its greeting is .*")
    greeted('{"pid":-1,"max_output_len":16384}', "not a telemetry socket of DPDK: .*")

    # A slow answer is not an error.
    def late(connection: socket.socket) -> None:
        time.sleep(1.5)
        connection.send(good.encode())

    with Fake(path, {command: late}):
        prints(PAGES["summary"], *here)
    # The router is gone, but its socket still exists.
    fails(".*: no answer: the router of this socket has ended", *here)
    path.unlink()
    fails(".*: No such file or directory", *here)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.bind(str(path))
        stream.listen()
        fails(".*: not a telemetry socket of DPDK", *here)
    path.unlink()
    # A router that hangs does not accept connections, and the queue of waiting clients is full.
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as hanging:
        hanging.bind(str(path))
        hanging.listen(0)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as first:
            first.connect(str(path))
            fails(".*: the router does not accept connections; it may hang", *here, "--timeout", "0.3")
    path.unlink()
    fails(".*: the path is longer than 107 bytes", "show", "--socket", "/tmp/" + "x" * 200)
    fails("router show: 'port' is not one of .*did you mean ports\\?", "show", "port", code=2)
    fails("router: missing subcommand: show, lookup, top, trace, capture, set, reload", code=2)
    fails("--interval: '0' is not a number from 0.1 to 3600", "top", "--interval", "0", code=2)


def finds_the_router(folder: Path) -> None:
    where = str(folder)
    place = folder / "dpdk"

    def path_of(pid: int) -> Path:
        return place / f"fingerpost-router-{pid}" / "dpdk_telemetry.v2"

    none = f"no running router found \\(looked in {place}\\)"
    fails(none, "show", RUNTIME_DIRECTORY=where)
    place.mkdir()
    fails(none, "show", RUNTIME_DIRECTORY=where)
    # Files of other DPDK programs are ignored. A router that ended may leave a folder.
    (place / "fingerpost-router-7").mkdir()
    with Fake(place / "rte" / "dpdk_telemetry.v2"):
        fails(none, "show", RUNTIME_DIRECTORY=where)
        with Fake(path_of(1)):
            prints(PAGES["summary"], "show", RUNTIME_DIRECTORY=where)
            with Fake(path_of(2)):
                both = f"2 routers are running; choose one with --socket: {path_of(2)}, {path_of(1)}"
                fails(both, "show", RUNTIME_DIRECTORY=where, code=2)
                prints(PAGES["summary"], "show", "--socket", str(path_of(1)), RUNTIME_DIRECTORY=where)
            # A stale socket is ignored when another one answers.
            prints(PAGES["summary"], "show", RUNTIME_DIRECTORY=where)
        fails(f"no router answers: {path_of(2)}: no answer: .*; {path_of(1)}: .*", "show", RUNTIME_DIRECTORY=where)
    shutil.rmtree(place)


def respects_permissions(folder: Path) -> None:
    """Runs as an unprivileged user, with a folder and a socket that belong to root."""
    if os.geteuid() != 0:
        return
    program = folder / "fingerpost"
    shutil.copy(PROGRAM, program)
    for place in (folder, folder.parent):
        place.chmod(0o755)

    def fails_as_nobody(words: str, *call: str, **environment: str) -> None:
        calls.append(call)
        whoever = {"user": 65534, "group": 65534, "extra_groups": [], "env": os.environ | environment}
        done = subprocess.run([program, "router", *call], capture_output=True, text=True, **whoever)
        good = done.returncode == 1 and re.fullmatch(f"fingerpost: {words}\n", done.stderr)
        is_equal(bool(good), True, f"{done.returncode}: {done.stderr}instead of {words}")

    path = folder / "dpdk" / "fingerpost-router-1" / "dpdk_telemetry.v2"
    with Fake(path):
        path.chmod(0o600)
        words = "permission denied: the socket belongs to the user who started the router"
        fails_as_nobody(f"{path}: {words}", "show", "--socket", str(path))
        fails_as_nobody(f"no router answers: {path}: {words}", "show", RUNTIME_DIRECTORY=str(folder))
        path.parent.parent.chmod(0o700)
        words = f"no router found: {folder}/dpdk: Permission denied; run this as the user who started it"
        fails_as_nobody(words, "show", RUNTIME_DIRECTORY=str(folder))


def changing(numbers: dict[str, list[str]]) -> dict[str, Answer]:
    """Answers that differ from one request to the next; the last one repeats."""

    def next_of(name: str, texts: list[str]) -> Callable[[socket.socket], None]:
        def give(connection: socket.socket) -> None:
            connection.send(whole(name, texts.pop(0) if len(texts) > 1 else texts[0]).encode())

        return give

    return {f"/fingerpost/{name}": next_of(name, texts) for name, texts in numbers.items()}


def prints_pages(folder: Path) -> None:
    path = str(folder / "router.sock")

    def counters(received: int) -> str:
        return RECORDED["summary"].replace("1234567", str(received))

    def thread(busy: int, looked_up: int) -> str:
        more = f'"busy_cycles":{busy},"cycles":{busy * 2 + 1000},"lookups":{looked_up // 8},"looked_up":{looked_up},'
        return RECORDED["threads"].replace('"busy_share":"0.250"', more + '"busy_share":"0.250"')

    announced = [RECORDED["tables"], RECORDED["tables"].replace("950010", "955010")]
    numbers = {
        "summary": [counters(1000), counters(1001000)],
        "threads": [thread(0, 0), thread(3000, 8000)],
        "tables": announced,
        "drops": [RECORDED["drops"], RECORDED["drops"].replace("34000", "39000")],
    }
    with Fake(Path(path), changing(numbers)):
        done = run("top", "--interval", "0.5", "--socket", path)
        is_equal((done.returncode, done.stderr), (0, ""), "top without a terminal")
        page = done.stdout
    top_lines = ["fingerpost-router, process 4711, up for 1 d 2 h", "routes from fpm, port 2620", ""]
    is_equal(page.splitlines()[:3], top_lines, "the first lines")

    def number(pattern: str) -> float:
        found = re.search(pattern, page, re.M)
        assert found, f"no {pattern} in\n{page}"
        return float(found[1].replace(",", ""))

    # The rates cover slightly more than half a second.
    for pattern, grown in [
        (r"^received +(\S+) +1,001,000$", 1e6),
        (r"^no_route +(\S+) +39,000$", 5000),
        (r"^IPv4 +packed_leaves +950,000 +(\S+)", 5000),
    ]:
        rate = number(pattern)
        assert grown / 1.5 < rate <= grown / 0.5, f"{pattern}: {rate}\n{page}"
    is_equal(number(r"^sent +(\S+)"), 0, "what did not change")
    is_equal(number(r"^complete0 .* (\S+) %"), 50.0, "busy share of the interval")
    is_equal(number(r"^complete0 .* (\S+)$"), 8.0, "mean batch of the interval")
    # A router that does not send cycles: the output shows totals since its start.
    is_equal(number(r"^host .* (\S+) %"), 3.3, "busy share since the start")
    with Fake(Path(path)):
        done = run("top", "--limit", "3", "--interval", "0.1", "--socket", path)
        is_equal((done.returncode, done.stdout.count("process 4711")), (0, 3), done.stdout)
        done = run("top", "--limit", "2", "--interval", "0.1", "--format", "json", "--socket", path)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        parts = ("summary", "threads", "drops", "tables", "stages", "next_hops", "prefixes")
        wanted = {part: json.loads(RECORDED[part]) for part in parts}
        is_equal(lines, [wanted, wanted], "top as JSON")


def goes_away(connection: socket.socket) -> None:
    connection.send(whole("tables", RECORDED["tables"]).encode())
    connection.close()


def ends_with_the_router(folder: Path) -> None:
    path = folder / "router.sock"
    with Fake(path, {"/fingerpost/tables": goes_away}):
        words = f"{path}: the router ended before (the request|it answered) /fingerpost/summary"
        fails(words, "top", "--limit", "3", "--interval", "0.1", "--socket", str(path))


def closed_pipes(folder: Path) -> None:
    path = str(folder / "router.sock")
    with Fake(Path(path)):
        for call in ("show ports", "lookup 10.1.2.3", "top --limit 9 --interval 0.1"):
            line = f'"$0" router {call} --socket {path} 2>{folder}/err || echo $? >{folder}/status'
            subprocess.run(["bash", "-c", f"{{ {line}; }} | true", PROGRAM], check=True, timeout=30)
            is_equal((folder / "err").read_text(), "", call)
            is_equal((folder / "status").exists(), False, call)


def draws_on_a_terminal(folder: Path) -> None:
    path = folder / "router.sock"
    words = ["--interval", "0.2", "--socket", str(path)]
    with Fake(path):
        for end in (b"q", b"\x03"):
            top = Terminal(*words)
            top.read_until(b"process 4711", 3)
            top.press(b"x")
            top.read_until(b"process 4711", 5)
            top.press(end)
            top.ends()
        top = Terminal(*words)
        top.read_until(b"process 4711", 2)
        top.process.send_signal(signal.SIGTERM)
        top.ends()
        top = Terminal(*words, "--limit", "2")
        top.ends()
        is_equal(top.seen.count(b"process 4711"), 2, "pages")
        # Parts that do not fit are omitted, so that no line wraps and nothing scrolls.
        top = Terminal(*words, "--limit", "2", rows=7, columns=20)
        top.ends()
        page = top.seen.split(b"\x1b[H")[1].split(b"\x1b[J")[0].decode()
        lines = [line.replace("\x1b[K", "") for line in page.split("\r\n")]
        is_equal((len(lines), max(map(len, lines))), (7, 20), page)
    with Fake(path, {"/fingerpost/tables": goes_away}):
        top = Terminal(*words)
        wanted = b"fingerpost: %s: the router ended before it answered /fingerpost/summary\n" % bytes(path)
        top.read_until(b"\x1b[?25h\x1b[?1049l")
        assert top.process.stderr is not None
        said = top.process.stderr.read().replace(b"the request", b"it answered")
        is_equal((said, top.process.wait(20)), (wanted, 1), "the router ends")


def main() -> int:
    tests = [
        shows_every_part,
        asks_a_vrf,
        looks_up,
        changes_settings,
        names_what_is_wrong,
        finds_the_router,
        respects_permissions,
        prints_pages,
        ends_with_the_router,
        closed_pipes,
        draws_on_a_terminal,
    ]
    return run_all("router_command_test", tests)


if __name__ == "__main__":
    sys.exit(main())
