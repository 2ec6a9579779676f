#!/usr/bin/env python3
"""`fingerpost router trace` and `capture` against a fake telemetry socket: packets as text and JSON, steps spread over several answers,
and wrong answers.

$FINGERPOST is the program. The test needs neither DPDK nor a router.
"""

import json
import struct
import sys
from pathlib import Path

from fake_telemetry import Answer, Fake, fails, is_equal, run, run_all, whole
from router_command_test import changing

PACKET = {
    "number": 1,
    "time_ns": 1_795_678_857_571_080_777,
    "port": "lan",
    "queue": 0,
    "length": 60,
    "ethernet_source": "02:00:00:00:00:01",
    "ethernet_destination": "02:00:00:00:00:02",
    "vlan": 0,
    "source": "192.0.2.1",
    "destination": "10.1.2.3",
    "protocol": 17,
    "ttl": 64,
    "source_port": 1024,
    "destination_port": 53,
}
EVENTS: list[dict] = [
    {"what": "checked", "thread": "rx", "after_ns": 0, "verdict": "forward", "passed": "MAC address, VLAN, version"},
    {
        "what": "looked up",
        "thread": "rx",
        "after_ns": 400,
        "changed": 0,
        "prefix": "10.1.0.0/16",
        "via": "10.9.0.2%wan",
        "next_hop": 7,
        "scheme": "trie_24_8",
        "shows_steps": 1,
        "action": "forward",
        "port": "wan",
    },
    {
        "what": "sent",
        "thread": "tx",
        "after_ns": 2500,
        "port": "wan",
        "ethernet_source": "02:00:00:00:00:03",
        "ethernet_destination": "02:00:00:00:00:04",
        "vlan": 5,
        "ttl": 63,
        "checksum": 4660,
    },
]
STEP: dict = {"at": 0, "offset": 0, "bytes": 4, "compared": "nothing", "value_count": 0, "values": []}
STEPS = [
    STEP | {"part": "first", "first_bit": 0, "bits": 8, "key": 10, "offset": 40, "result": "goes on"},
    STEP | {"part": "second", "at": 64, "first_bit": 8, "bits": 8, "key": 1, "offset": 4, "result": "answered"},
]
TEXT = """\
packet 1, {time}: 192.0.2.1 port 1024 to 10.1.2.3 port 53, UDP, TTL 64, 60 bytes
  came in      at lan, queue 0, from 02:00:00:00:00:01 to 02:00:00:00:00:02
  thread       rx
  checked      passed: MAC address, VLAN, version
  looked up    10.1.0.0/16, next hop 10.9.0.2%wan (number 7)
               trie_24_8, 2 steps, 2 cache lines, 8 bytes read:
               1. Read first[10]. Bits 0 to 7 of the address (10) give the index 10. Go to second[1].
               2. Read second[1]. Bits 8 to 15 of the address (1) give the index 1. Answer: next hop 10.9.0.2%wan.
               action: forward, by wan
  thread       tx, 2.5 us after the checks
  sent         by wan, VLAN 5; rewritten: from 02:00:00:00:00:03 to 02:00:00:00:00:04, TTL 64 -> 63, checksum 0x1234
               2.5 us after the checks
"""
START = "trace_start,10,1,60000,-,-"


def named(name: str, members: list[dict], first: int = 0) -> dict:
    return {f"{name}{first + i}": one for i, one in enumerate(members)}


def traced(packet: dict, events: list[dict], steps: list[dict], count: int) -> str:
    told = {"ended": 0, "missed": 0, "packet": packet, "events": len(events)}
    return json.dumps(told | named("event", events) | {"steps": count} | named("step", steps))


def answers(packets: list[str], start: str = START, session: str = '{"session":3}') -> dict[str, Answer]:
    given: dict[str, Answer] = {f"/fingerpost/{start}": whole(start, session)}
    return given | changing({"trace_next,3": [*packets, '{"ended":1,"missed":0}']})


def tells_packets(folder: Path) -> None:
    path = folder / "router.sock"
    told = answers([traced(PACKET, EVENTS, STEPS[:1], 2)])
    more = json.dumps({"steps": 2} | named("step", STEPS[1:], 1))
    told |= {"/fingerpost/trace_steps,3,1": whole("trace_steps,3,1", more)}
    with Fake(path, told):
        done = run("trace", "--socket", str(path), TZ="UTC", COLUMNS="0")
    is_equal((done.returncode, done.stderr), (0, ""), "trace")
    is_equal(done.stdout, TEXT.format(time="07:40:57.571080777"), "a packet as text")

    told = answers([traced(PACKET, EVENTS, STEPS, 2)])
    with Fake(path, told):
        done = run("trace", "--format", "json", "--socket", str(path))
    one = json.loads(done.stdout)
    is_equal((one["destination"], one["events"]), ("10.1.2.3", EVENTS), "a packet as JSON")
    is_equal([step["sentence"] for step in one["steps"]][1].endswith("next hop 10.9.0.2%wan."), True, "the sentence")

    changed = [EVENTS[0], {"what": "looked up", "thread": "rx", "after_ns": 1, "changed": 1, "action": "forward"}]
    with Fake(path, answers([traced(PACKET, changed, [], 0)])):
        done = run("trace", "--socket", str(path))
    is_equal("looked up    unknown, because the table has changed since" in done.stdout, True, done.stdout)


def asks_for_what_is_wanted(folder: Path) -> None:
    path = folder / "router.sock"
    start = "trace_start,5,100,1500,2001:db8::/32,lan"
    with Fake(path, answers([], start)) as router:
        words = ["--from", "lan", "--to", "2001:db8::/32", "--limit", "5", "--every", "100", "--seconds", "1.5"]
        done = run("trace", *words, "--socket", str(path))
        is_equal(done.stderr, "fingerpost: no matching packet within 1.5 s\n", "no packet")
        is_equal(router.asked[0], f"/fingerpost/{start}", "the start")
    fails("--to: .*", "trace", "--to", "10.0.0.0/33", code=2)
    fails("--every: .*", "trace", "--every", "0", code=2)
    fails("--seconds: .*", "capture", "--drops", "-", "--seconds", "0", code=2)
    fails(".*--drops.*", "capture", code=2)
    with Fake(path, answers([], START, '{"error":"another trace is running, for at most 9 s"}')):
        fails("the router reports: another trace is running, for at most 9 s", "trace", "--socket", str(path))
    bad = STEP | {"part": "first", "first_bit": 30, "bits": 8, "key": 1, "result": "answered"}
    with Fake(path, answers([traced(PACKET, EVENTS, [bad], 1)])):
        fails("the router's answer has an unknown step: .*", "trace", "--socket", str(path))


def writes_drops(folder: Path) -> None:
    path, file = folder / "router.sock", folder / "drops.pcapng"
    drop = {
        "ended": 0,
        "missed": 2,
        "time_ns": 1_795_678_857_571_080_777,
        "reason": "no_route",
        "sentence": "No route matches the destination.",
        "port": "lan",
        "outbound": 0,
        "length": 64,
        "bytes": ["0102", "ff"],
    }
    start = "drops_start,1000,60000"
    told: dict[str, Answer] = {f"/fingerpost/{start}": whole(start, '{"session":4}')}
    told |= changing({"drops_next,4": [json.dumps(drop), '{"ended":1,"missed":2}']})
    with Fake(path, told):
        done = run("capture", "--drops", str(file), "--socket", str(path))
    said = f"fingerpost: 1 dropped packets in {file}\nfingerpost: 2 more were not captured because they arrived faster than they were read\n"
    is_equal((done.returncode, done.stdout, done.stderr), (0, "", said), "capture")
    blocks, data = [], file.read_bytes()
    while data:
        kind, length = struct.unpack_from("<II", data)
        is_equal(struct.unpack_from("<I", data, length - 4)[0], length, "both lengths of a block")
        blocks.append((kind, data[:length]))
        data = data[length:]
    is_equal([kind for kind, _ in blocks], [0x0A0D0D0A, 1, 6], "blocks")
    time = drop["time_ns"]
    assert isinstance(time, int)
    wanted = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, 3, 64) + b"\x01\x02\xff\x00"
    is_equal(blocks[2][1][8 : 8 + len(wanted)], wanted, "the packet")
    is_equal(b"no_route: No route matches the destination." in blocks[2][1], True, "the comment")

    told |= changing({"drops_next,4": [json.dumps(drop | {"bytes": ["0g"]})]})
    with Fake(path, told):
        fails("the router's answer has 'g' among hexadecimal digits", "capture", "--drops", "-", "--socket", str(path))


def main() -> int:
    return run_all("router_command_watch_test", [tells_packets, asks_for_what_is_wanted, writes_drops])


if __name__ == "__main__":
    sys.exit(main())
