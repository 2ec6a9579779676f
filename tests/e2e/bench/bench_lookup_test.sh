#!/usr/bin/env bash
# Runs `fingerpost lab bench lookup` on small tables and looks at its result file; no speed is judged.
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0

die() {
    echo "bench_lookup_test: $*" >&2
    exit 1
}

# bench STATUS ARGUMENT...: runs it with little work, keeping its output in out and err.
bench() {
    local wanted=$1 status=0
    shift
    "$FINGERPOST" lab bench lookup "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [[ $status == "$wanted" ]] || die "exit $status instead of $wanted for $*: $(cat "$folder/err")"
    cases=$((cases + 1))
}
little=(--rounds 3 --round-ms 0.2 --addresses 20000)

says() {
    grep -qF -- "$2" "$folder/$1" || die "'$2' is not in $1: $(cat "$folder/$1")"
}

# Checks a result file: all keys are there, every row is complete, and there are as many rows as wanted.
result_is_complete() {
    python3 -m json.tool "$1" >/dev/null || die "$1 is no JSON"
    python3 - "$1" "$2" <<'END' || die "the result is not complete"
import json, sys
document = json.load(open(sys.argv[1]))
assert list(document) == ["environment", "results", "default_scheme", "best_other"], list(document)
environment = """date version commit command_line cpu cpu_id tuning cores pinned caches governor huge_pages kernel load compiler flags isas
tsc_hz addresses rounds round_ms statistic seed baseline notes""".split()
missing = [key for key in environment if key not in document["environment"]]
assert not missing, missing
assert "bench lookup" in document["environment"]["command_line"]
assert len(document["results"]) == int(sys.argv[2]), len(document["results"])
keys = """scheme family table routes intervals workload batch isa mode mlps mlps_median mlps_q1 mlps_q3 cycles_median bytes
bytes_per_route build_ms_median checked wrong next_hops threads rounds addresses_per_round mlps_rounds ratio""".split()
for row in document["results"]:
    assert not [key for key in keys if key not in row], row
    assert row["wrong"] == 0 and row["checked"] >= 20000, row
    assert len(row["mlps_rounds"]) == row["rounds"] == 3, row
    assert 0 < row["mlps_q1"] <= row["mlps_median"] <= row["mlps_q3"], row
    rounds = sorted(row["mlps_rounds"])
    wanted = {"median": rounds[1], "best": rounds[2], "quantile:0.25": (rounds[1] + rounds[2]) / 2}
    assert abs(row["mlps"] / wanted[document["environment"]["statistic"]] - 1) < 1e-4, row
    assert row["build_ms_median"] > 0 and row["bytes"] > 0, row
END
}

cat >"$folder/v6.txt" <<'END'
2001:db8::/32 10
2001:db8:1::/48 20
2001:db8:1::1/128 30
2600::/12 40
END
cat >"$folder/v4.txt" <<'END'
10.0.0.0/8 1
10.1.0.0/16 2
192.0.2.0/24 3
END

# One scheme, whatever its name: 2 workloads, 2 batches and latency.
scheme=$("$FINGERPOST" schemes --format json | python3 -c '
import json, sys
print(next(s["name"] for s in json.load(sys.stdin) if s["default"]))')

bench 0 --table "$folder/v6.txt" --scheme "$scheme" --baseline "$scheme" --isa scalar --workloads match,uniform \
    --batch 1,8 "${little[@]}" --format json -o "$folder/one.json"
result_is_complete "$folder/one.json" 6
says out "$scheme"
says out "4 routes"
grep -q . "$folder/err" && die "stderr is no terminal and yet says: $(cat "$folder/err")"

bench 0 --table "$folder/v4.txt" --scheme all --isa all --workloads zipf --mode throughput --batch 8 --next-hops file \
    "${little[@]}" --format json -o "$folder/v4.json"
# A vectorised scheme has a row for each ISA, any other scheme one row.
"$FINGERPOST" schemes --format json >"$folder/schemes.json"
result_is_complete "$folder/v4.json" "$(python3 - "$folder/schemes.json" "$folder/v4.json" <<'END'
import json, sys
schemes, isas = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["environment"]["isas"]
print(sum(len(isas) if scheme["vectorised"] else 1 for scheme in schemes if 4 in scheme["families"]))
END
)"

bench 0 --generate rrc00-25:2000:clustered:3 --scheme default --mode latency --workloads boundaries \
    --next-hops clustered:16 "${little[@]}" --format json
says out '"table": "generated rrc00-25:2000:clustered:3"'
says out '"next_hops": "clustered:16"'

# The default scheme beside the best other one: a line for each call, whose figures are in the file.
for statistic in median best quantile:0.25; do
    bench 0 --table "$folder/v6.txt" --scheme default --workloads match,hot --batch 1,8,64 --statistic "$statistic" "${little[@]}" \
        --format json -o "$folder/best.json"
    says out "a second: $statistic (quartiles)"
    says out "Best other / $scheme: the speed of the fastest other scheme, divided by that of $scheme in the same call"
    python3 - "$folder/best.json" "$folder/out" "$scheme" <<'END' || die 'the comparison is wrong'
import json, sys
document, text, default = json.load(open(sys.argv[1])), open(sys.argv[2]).read().split("Best other")[1], sys.argv[3]
assert document["default_scheme"] == default
speeds = {}
for row in document["results"]:
    speeds.setdefault((row["workload"], row["mode"], row["batch"]), {})[row["scheme"]] = row["mlps"]
assert len(speeds) == len(document["best_other"]) == 8, document["best_other"]
for cell in document["best_other"]:
    call = speeds[cell["workload"], cell["mode"], cell["batch"]]
    name, best = max((item for item in call.items() if item[0] != default), key=lambda item: item[1])
    assert cell["scheme"] == name and cell["threads"] == 1 and abs(cell["ratio"] / (best / call[default]) - 1) < 1e-4, cell
    assert f"{cell['ratio']:.2f} {name}" in text, (cell, text)
assert len(text.splitlines()) == 7, text
END
done

# Halves of addresses beside whole ones; first halves alone are for tables without routes longer than /64.
bench 0 --table "$folder/v6.txt" --scheme default --isa all --workloads boundaries --mode throughput --batch 8 \
    --input first64,halves "${little[@]}" --format json -o "$folder/halves.json"
says err "1 routes longer than /64 were left out"
result_is_complete "$folder/halves.json" "$(python3 - "$folder/halves.json" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
modes = {row["mode"] for row in result["results"]}
assert modes == {"throughput", "first64", "halves"}, modes
assert {row["routes"] for row in result["results"]} == {3}
# Every competitor, workload and batch has a row in each form.
for mode in modes:
    assert 3 * sum(row["mode"] == mode for row in result["results"]) == len(result["results"]), mode
print(len(result["results"]))
END
)"
bench 0 --table "$folder/v6.txt" --scheme "$scheme" --isa scalar --workloads match --mode throughput --batch 8 \
    --input halves "${little[@]}" --format json -o "$folder/halves.json"
says out "4 routes"
bench 2 --table "$folder/v4.txt" --input first64 --scheme "$scheme"
says err "only IPv6 addresses have halves"
bench 2 --table "$folder/v6.txt" --input halves --mode latency
says err "--mode throughput"

# Fewer answers are compared before a case is timed, but enough to tell how fast it is.
bench 0 --table "$folder/v6.txt" --scheme "$scheme" --isa scalar --workloads match --mode throughput --batch 8 "${little[@]}" \
    --checked 16384 --format json
says out '"checked": 16384,'
bench 2 --table "$folder/v6.txt" --checked 16383
says err "--checked"

# When a table lacks addresses for a workload the result is a note, not an error.
printf '::/0 1\n' >"$folder/all.txt"
bench 0 --table "$folder/all.txt" --scheme "$scheme" --workloads short,miss --mode throughput --batch 1 "${little[@]}"
says err "workload short was left out"
: >"$folder/empty.txt"
bench 0 --table "$folder/empty.txt" --scheme "$scheme" --workloads match "${little[@]}"
says out "nothing was measured"

# An unknown name is a usage error that says where the known ones are.
bench 2 --table "$folder/v6.txt" --scheme nosuch
says err "'nosuch' is unknown (see \`fingerpost schemes\`)"
bench 2 --table "$folder/v6.txt" --isa nosuch
says err "scalar"
bench 2 --table "$folder/v6.txt" --workloads nosuch
says err "zipf"
bench 2 --table "$folder/v6.txt" --competitors nosuch
bench 2 --table "$folder/v6.txt" --next-hops nosuch
says err "unmerged"
bench 2 --table "$folder/v6.txt" --batch 0
bench 2 --table "$folder/v6.txt" --rounds 0
bench 2 --table "$folder/v6.txt" --statistic mean
says err "--statistic: 'mean' is not one of median, best, quantile:SHARE"
bench 2 --table "$folder/v6.txt" --statistic quantile:2
bench 2 --table "$folder/v6.txt" --threads 100000
bench 2 --generate nosuch
bench 2 --generate rrc00-25:many
bench 1 --table "$folder/nosuch.txt"
bench 1 --table "$folder/v6.txt" --scheme "$scheme" "${little[@]}" --format json -o "$folder/no/such/folder.json"

# On a terminal it prints the time that is left; Python can make a terminal.
cat >"$folder/watched.py" <<'END'
import os, pty, re, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
try:
    while more := os.read(terminal, 1000):
        said += more
except OSError:
    pass
assert os.waitpid(pid, 0)[1] == 0, said
left = [int(seconds) for seconds in re.findall(rb"; about (\d+) s left", said)]
assert len(left) > 5 and left[-1] == 0, said
assert b"round 10 of 10; about 0 s left" in said, said
# 10 rounds of 8 cases take 30 ms each at least; how much more depends on the machine.
assert max(left) >= 2, left
END
python3 "$folder/watched.py" "$FINGERPOST" lab bench lookup --table "$folder/v6.txt" --scheme "$scheme" --isa scalar \
    --workloads match --batch 1,2,4,8,16,32,64 --rounds 10 --round-ms 30 --addresses 20000 || die 'no time is left'
cases=$((cases + 1))

# The tools that read result files.
python3 "$root/bench/report/markdown.py" "$folder/one.json" >"$folder/out"
says out "| **$scheme** | scalar |"
python3 "$root/bench/report/markdown.py" "$folder/best.json" >"$folder/out"
says out "quantile:0.25 (quartiles)"
"$root/lab/results/bench_promise" "$folder/best.json" >"$folder/out"
says out "Speed of $scheme, divided by that of the scheme under"
says out " targets missed"
"$root/lab/results/compare_bench" "$folder/one.json" "$folder/one.json" >"$folder/out"
says out "same"
status=0
"$root/lab/results/compare_bench" "$folder/v6.txt" "$folder/one.json" 2>"$folder/err" || status=$?
[[ $status == 2 ]] || die "compare_bench takes a table for a result"

echo "bench_lookup_test: $cases runs"
