#!/usr/bin/env bash
# Runs `fingerpost lab bench update` on small tables and looks at its table and its result file; no time is judged.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../common.sh"

little=(--changes 300 --rounds 2 --round-ms 0.5 --addresses 5000)

# Some scheme that can be updated in every way, and one that can only be built anew, whatever their names.
printf '::/0 1\n' >all.txt
run 0 lab bench update --table all.txt --scheme all --policies in_place --workloads default_route "${little[@]}" --readers 0
scheme=$(awk '$2 == "in_place" { print $1; exit }' out)
static=$(sed -n 's/^fingerpost: \(.*\) cannot be updated in_place$/\1/p' err | head -n 1)
[[ -n $scheme && -n $static ]] || die "no scheme for this test: $(cat out err)"

wants() {
    grep -qF -- "$2" "$1" || die "'$2' is not in $1: $(head -c 2000 "$1")"
}

# The keys of every row are exactly these, the environment is that of lab bench lookup; FILE ROWS NUMBERS, where NUMBERS is
# `readers` or `alone`.
result_is_complete() {
    python3 - "$@" <<'END' || die "the result $1 is not complete"
import json, sys
document = json.load(open(sys.argv[1]))
assert list(document) == ["environment", "results", "details"], list(document)
environment = """date version commit command_line cpu cpu_id tuning cores pinned caches governor huge_pages kernel load compiler flags isas
tsc_hz addresses rounds round_ms statistic seed baseline notes""".split()
assert list(document["environment"]) == environment, list(document["environment"])
assert "bench update" in document["environment"]["command_line"]
rows = document["results"]
assert len(rows) == len(document["details"]) == int(sys.argv[2]), len(rows)
keys = """scheme policy table workload visible_us_median visible_us_p99 visible_us_max changes_per_second
reader_loss_percent peak_bytes""".split()
for row, more in zip(rows, document["details"]):
    assert list(row) == keys, row
    assert row["peak_bytes"] > 0 and row["changes_per_second"] > 0, row
    assert 0 < row["visible_us_median"] <= row["visible_us_p99"] <= row["visible_us_max"], row
    assert (row["reader_loss_percent"] is None) == (sys.argv[3] == "alone"), row
    assert more["fastest_of"] == 3, more
    assert 0 < more["fastest_us_p99"] <= more["fastest_us_max"] <= row["visible_us_max"], (row, more)
    assert more["wrong"] == 0 and more["checked"] > 0 and more["bursts"], more
    assert all(len(b["changes_per_second_rounds"]) == 2 for b in more["bursts"]), more
END
}

"$FINGERPOST" lab generate --routes 2000 --output v6.txt
printf '10.0.0.0/8 1\n10.1.0.0/16 2\n192.0.2.0/24 3\n' >v4.txt
printf '# one session\nA 10.1.2.0/24 a\nW 203.0.113.0/24\nA 10.1.2.0/24 a\n1418774413 w 10.1.2.0/24 0.0.0.0\nW ::/0\n' >updates.txt

run 0 lab bench update --table v6.txt --scheme "$scheme" "${little[@]}" --readers 0 --format json -o one.json
result_is_complete one.json 12 alone
for word in "$scheme" rebuild left_right in_place churn slash8 default_route flap48 'commit has returned'; do
    wants out "$word"
done
[[ ! -s err ]] || die "stderr is no terminal and yet says: $(<err)"
python3 "$root/bench/report/markdown.py" one.json >out
wants out "| $scheme | in_place | \`flap48\` |"
wants out 'until the commit returned'

# A reader needs a core of its own.
if (($(nproc) > 1)); then
    run 0 lab bench update --table v6.txt --scheme "$scheme" --policies auto --workloads churn --burst 1,16 "${little[@]}" --format json
    cp out two.json
    result_is_complete two.json 1 readers
    wants out '"policy": "left_right"'
fi

# Some schemes of IPv4 take a second to be built anew for each change.
some=default,$scheme,$static
is_all && some=all
run 0 lab bench update --table v4.txt --scheme "$some" --policies auto --updates updates.txt --next-hops file "${little[@]}" \
    --readers 0 --format json -o v4.json
wants err 'updates of the other family skipped'
wants err 'workload recorded: left out 1 updates without effect'
wants v4.json '"workload": "recorded"'
run 0 lab bench update --table v4.txt --scheme "$static" --policies in_place "${little[@]}"
wants err "$static cannot be updated in_place"
wants out 'nothing was measured'

run 0 lab bench update --experiment amortised --table v6.txt --policies auto --rebuild-routes 500,1000 --batches 1,16 "${little[@]}" \
    --format json -o experiment.json
wants out 'Microseconds per change'
wants out 'Milliseconds per full build'
python3 - <<'END' || die 'the result of the experiment is not complete'
import json
document = json.load(open("experiment.json"))
assert list(document) == ["environment", "batches", "rebuilds"], list(document)
assert {row["batch"] for row in document["batches"]} == {1, 16}
assert {row["routes"] for row in document["rebuilds"]} == {500, 1000}
assert all(row["wrong"] == 0 and row["us_per_change_median"] > 0 for row in document["batches"])
assert all(row["build_ms_median"] > 0 for row in document["rebuilds"])
END

run 0 lab bench update --experiment queries --table v6.txt --policies auto --query-threads 2 "${little[@]}" --format json -o experiment.json
wants out 'while 2 threads ask'
python3 - <<'END' || die 'the result of the experiment is not complete'
import json
document = json.load(open("experiment.json"))
assert list(document) == ["environment", "queries"], list(document)
rows = document["queries"]
assert {(row["query"], row["threads"]) for row in rows} == {("none", 0), ("match", 2), ("walk", 2)}
assert all(row["wrong"] == 0 and row["checked"] > 0 and row["changes"] > 0 for row in rows)
assert all(0 < row["us_median"] <= row["us_p99"] <= row["us_max"] for row in rows)
END

# An unknown name is a usage error that lists the known ones.
refused() {
    run 2 lab bench update --table v6.txt "${@:2}"
    wants err "$1"
}
refused "'nosuch' is unknown" --scheme nosuch
refused left_right --policies nosuch
refused slash8 --workloads nosuch
refused '--workloads recorded needs --updates' --workloads recorded
refused 'is not a whole number from 0 to ' --readers 100000
refused '--burst' --burst 0
refused '--changes' --changes 0
refused '--rounds' --rounds 0
refused '--turns' --turns 0
refused amortised --experiment nosuch
run 1 lab bench update --table nosuch.txt
run 1 lab bench update --table v4.txt --updates nosuch.txt
printf 'A 10.0.0.0/8 a\nB 10.0.0.0/8\n' >bad.txt
run 1 lab bench update --table v4.txt --updates bad.txt
wants err "bad.txt:2: 'B 10.0.0.0/8': not an update"
run 1 lab bench update --table v6.txt "${little[@]}" --format json -o no/such/folder.json

# A reader that closes the pipe early is no error.
status=0
{ "$FINGERPOST" lab bench update --table v4.txt --scheme "$scheme" --policies auto "${little[@]}" --readers 0 2>err || echo $? >status; } | true
[[ ! -s err && ! -e status ]] || die "a closed pipe: $(cat err status)"

"$FINGERPOST" completion bash >out
wants out 'lookup update'
wants out '"lab bench update --updates"'

finish 19
