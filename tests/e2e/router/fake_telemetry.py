"""A fake telemetry socket with answers of a router, and calls of `fingerpost router` with the expected output."""

import json
import os
import pty
import re
import select
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path

PROGRAM = os.environ.get("FINGERPOST", "")
GREETING = b'{"version":"DPDK 22.11.11","pid":4711,"max_output_len":16384}'

# The recorded answers of a router, edited so that some numbers have more digits.
RECORDED = {
    "summary": '{"uptime_seconds":"93784.768","received":1234567,"sent":1200000,"to_kernel":12,"from_kernel":9,'
    '"made":3,"missed":4321,'
    '"waiting":0,"dropped":34561,"next_hops":17,"ipv4_routes":950000,"ipv6_routes":220000,"source":"fpm",'
    '"source_detail":"port 2620","source_connected":1,"source_refreshing":0,"source_sweeps":2,"source_errors":0}',
    "ports": '{"0":{"name":"left","device":"net_null0,no-rx=1","mac":"36:ea:7d:cc:8d:65","tap":"left","up":1,'
    '"received_packets":10,'
    '"received_bytes":640,"sent_packets":6,"sent_bytes":384,"missed":17,"no_buffer":0,"receive_errors":0,"send_errors":2,"refused":3},"1":{"name":"right",'
    '"device":"net_null1,no-rx=1",'
    '"mac":"e6:a7:60:da:ea:e4","tap":"right","up":0,"received_packets":0,"received_bytes":0,"sent_packets":12345,'
    '"sent_bytes":790080,"missed":0,"no_buffer":0,"receive_errors":0,"send_errors":0}}',
    "threads": '{"complete0":{"core":1,"received":1000,"sent":900,"dropped":100,"rounds":39317,"idle_rounds":39000,'
    '"busy_share":"0.250","mean_batch":"12.500"},"host":{"core":0,"received":0,"sent":12,"dropped":0,"rounds":53112,'
    '"idle_rounds":53103,"busy_share":"0.033","mean_batch":"0.000"}}',
    "drops": '{"short_frame":0,"no_route":34000,"ttl_expired":561,"no_memory":0}',
    "tables": '{"IPv4":{"scheme":"packed_leaves","routes":950000,"bytes":1224000,"version":7,"pending":0,'
    '"announced":950010,'
    '"withdrawn":10,"swept":0,"refused":0,"commits":6},"IPv6":{"scheme":"packed_leaves","routes":220000,"bytes":1224,'
    '"version":1,"pending":0,"announced":220000,"withdrawn":0,"swept":0,"refused":0,"commits":1}}',
    "neighbours": '{"0":{"address":"10.0.0.2","interface":"left","mac":"02:00:00:00:00:01","state":"resolved"},'
    '"1":{"address":"2001:db8::2","interface":"right","mac":"00:00:00:00:00:00","state":"unresolved"}}',
    "vrf": '{"0":{"name":"default","table":254,"ipv4_routes":950000,"ipv6_routes":220000,"bytes":1225224,"interfaces":1,'
    '"interface0":"left"},"1":{"name":"red","table":200000,"ipv4_routes":7,"ipv6_routes":0,"bytes":10000,"interfaces":18,'
    '"interface0":"right","interface1":"right.5"}}',
    "stages": '{"0":{"thread":"complete0","stage":"receive","batch":1,"bursts":10,"packets":10,"cycles":1234},'
    '"5":{"thread":"complete0","stage":"receive","batch":32,"bursts":2,"packets":90,"cycles":900},'
    '"24":{"thread":"complete0","stage":"look_up","batch":8,"bursts":10,"packets":100,"cycles":6789}}',
    "next_hops": '{"0":{"via":"10.0.0.2%left","action":"forward","port":"left","packets":1234},'
    '"7":{"via":"blackhole","action":"blackhole","port":"","packets":56789}}',
    "prefixes": '{"0":{"family":"IPv4","prefix":"10.1.0.0/16","via":"10.0.0.2%left","per_second":"1234567.000",'
    '"per_second_error":"2345.600","packets":"99999999.000","error":"34567.000"},"1":{"family":"IPv6","prefix":"","via":"",'
    '"per_second":"0.000","per_second_error":"0.000","packets":"1024.000","error":"2838.000"}}',
    "lookup,10.1.2.3": '{"address":"10.1.2.3","prefix":"10.1.0.0/16","via":"10.0.0.2 dev 3","action":"forward",'
    '"port":"left","mac":"02:00:00:00:00:01","mtu":1500}',
    "lookup,2001:db8::1": '{"address":"2001:db8::1","prefix":"","via":"","action":"no route","port":"","mac":"",'
    '"mtu":0}',
}
PAGES = {
    "summary": """\
up for       1 d 2 h
source       fpm, port 2620
IPv4 routes  950,000
IPv6 routes  220,000
next hops    17
missed       4,321
received     1,234,567
sent         1,200,000
dropped      34,561
to kernel    12
from kernel  9
made         3
waiting      0
""",
    "ports": """\
port   state  received  bytes    sent    bytes  missed  no buffer  refused  receive errors  send errors  tap    mac                device
left   up           10    640       6      384      17          0        3               0            2  left   36:ea:7d:cc:8d:65  net_null0,no-rx=1
right  down          0      0  12,345  790,080       0          0        -               0            0  right  e6:a7:60:da:ea:e4  net_null1,no-rx=1
""",
    "threads": """\
thread     core  received  sent  dropped    busy  mean batch
complete0     1     1,000   900      100  25.0 %      12.500
host          0         0    12        0   3.3 %       0.000
""",
    "drops": """\
reason       packets
no_route      34,000
ttl_expired      561
2 other reasons: none
""",
    "tables": """\
family  scheme          routes      bytes  version  pending  announced  withdrawn  swept  refused
IPv4    packed_leaves  950,000  1,224,000        7        0    950,010         10      0        0
IPv6    packed_leaves  220,000      1,224        1        0    220,000          0      0        0
""",
    "neighbours": """\
address      interface  state       mac
10.0.0.2     left       resolved    02:00:00:00:00:01
2001:db8::2  right      unresolved  00:00:00:00:00:00
""",
    "vrf": """\
vrf       table  IPv4 routes  IPv6 routes      bytes  interfaces
default     254      950,000      220,000  1,225,224  left
red      200000            7            0     10,000  right right.5 and 16 more
""",
    "stages": """\
thread     stage    cycles/packet  batch 1  2-3  4-7  8-15  16-31  32-63  64
complete0  receive           21.3    123.4    -    -     -      -   10.0   -
complete0  look_up           67.9        -    -    -  67.9      -      -   -
""",
    "next_hops": """\
next hop       action     port  packets
blackhole      blackhole  -      56,789
10.0.0.2%left  forward    left    1,234
""",
    "prefixes": """\
prefix          next hop       packets/s     +-     packets      +-
10.1.0.0/16     10.0.0.2%left  1,234,567  2,346  99,999,999  34,567
IPv6, no route  -                      0      0       1,024   2,838
""",
}

Answer = str | bytes | None | Callable[[socket.socket], None]
calls: list[tuple[str, ...]] = []


def hang_up(connection: socket.socket) -> None:
    connection.close()


class Fake:
    """A telemetry socket that sends a greeting and then answers from `answers`. None sends no answer; a function may do anything."""

    def __init__(self, path: Path, answers: dict[str, Answer] | None = None, greeting: Answer = GREETING) -> None:
        self.path, self.greeting = path, greeting
        self.answers: dict[str, Answer] = {f"/fingerpost/{name}": whole(name, text) for name, text in RECORDED.items()}
        # Neighbours and VRFs arrive in parts: here two of them, and then none.
        for part in ("neighbours", "vrf"):
            self.answers[f"/fingerpost/{part},0"] = self.answers[f"/fingerpost/{part}"]
            self.answers[f"/fingerpost/{part},2"] = whole(part, "{}")
        # Stages, next hops and prefixes also arrive in parts; here the first part has all of them.
        for name, after in (("stages", 25), ("next_hops", 8), ("prefixes", 2)):
            self.answers[f"/fingerpost/{name},0"] = self.answers[f"/fingerpost/{name}"]
            self.answers[f"/fingerpost/{name},{after}"] = whole(name, "{}")
        self.answers["/fingerpost/busiest_next_hops"] = whole("busiest_next_hops", RECORDED["next_hops"])
        self.answers |= answers or {}
        self.asked: list[str] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self) -> "Fake":
        return self

    def __exit__(self, *_: object) -> None:
        # close() alone would leave accept() blocked and the socket open.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection: socket.socket) -> None:
        try:
            self.give(connection, self.greeting)
            while connection.fileno() >= 0 and (command := connection.recv(2048).decode()):
                self.asked.append(command)
                self.give(connection, self.answers.get(command, json.dumps({command.split(",")[0]: None})))
        except OSError:
            pass

    @staticmethod
    def give(connection: socket.socket, answer: Answer) -> None:
        if callable(answer):
            answer(connection)
        elif answer is not None:
            connection.send(answer.encode() if isinstance(answer, str) else answer)


def whole(name: str, text: str) -> str:
    return f'{{"/fingerpost/{name.split(",")[0]}":{text}}}'


def run(*words: str, **environment: str) -> subprocess.CompletedProcess:
    calls.append(words)
    call = [PROGRAM, "router", *words]
    return subprocess.run(call, capture_output=True, text=True, timeout=60, env=os.environ | environment)


def is_equal(got: object, wanted: object, what: str) -> None:
    if got != wanted:
        raise AssertionError(f"{what}:\n{got}\ninstead of\n{wanted}")


def prints(wanted: str, *words: str, code: int = 0, said: str = "", **environment: str) -> None:
    done = run(*words, **environment)
    is_equal((done.returncode, done.stderr, done.stdout), (code, said, wanted), " ".join(words))


def fails(wanted: str, *words: str, code: int = 1, **environment: str) -> None:
    """Expects a single matching line on stderr, and nothing on stdout."""
    done = run(*words, **environment)
    lines = done.stderr.splitlines()
    good = done.returncode == code and done.stdout == "" and len(lines) == 1
    if not good or not re.fullmatch("fingerpost: " + wanted, lines[0]):
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}instead of\n{wanted}")


class Terminal:
    """`top` on a pseudo-terminal."""

    def __init__(self, *words: str, rows: int = 40, columns: int = 100) -> None:
        calls.append(words)
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (rows, columns))
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        self.process = subprocess.Popen(
            [PROGRAM, "router", "top", *words],
            stdin=self.slave,
            stdout=self.slave,
            stderr=subprocess.PIPE,
            preexec_fn=os.setsid,
        )

    def read_until(self, wanted: bytes, times: int = 1) -> None:
        end = time.monotonic() + 30
        while self.seen.count(wanted) < times:
            assert time.monotonic() < end, f"no {wanted!r} in {self.seen!r}"
            if select.select([self.master], [], [], 0.2)[0]:
                self.seen += os.read(self.master, 65536)

    def ends(self, code: int = 0, said: bytes = b"") -> None:
        """Expects the program to exit by itself and to restore the terminal."""
        self.read_until(b"\x1b[?25h\x1b[?1049l")
        assert self.process.stderr is not None
        is_equal(self.process.stderr.read(), said, "errors of top")
        is_equal(self.process.wait(20), code, "exit code of top")
        is_equal(termios.tcgetattr(self.slave), self.before, "the terminal afterwards")
        os.close(self.master)
        os.close(self.slave)

    def press(self, key: bytes) -> None:
        os.write(self.master, key)


def run_all(name: str, tests: list[Callable[[Path], None]]) -> int:
    """Runs each test in a temporary folder, until one fails. Returns the exit code for the program `name`."""
    if not Path(PROGRAM).is_file():
        print("FINGERPOST names no program", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="fp-cli-") as folder:
        for test in tests:
            place = Path(folder) / test.__name__
            place.mkdir()
            try:
                test(place)
            except AssertionError as error:
                print(f"FAILED: {test.__name__}: {error}", file=sys.stderr)
                return 1
    print(f"{name}: {len(calls)} calls")
    return 0
