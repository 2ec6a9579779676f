#!/usr/bin/env bash
# `strides` prints the best strides for a table: the paper's example, both families, three formats that agree.
. "$(dirname "$0")/common.sh"

# Figure 1 of Srinivasan and Varghese, written into the first seven bits of IPv4 addresses.
cat >figure_1 <<'END'
0.0.0.0/1 5
128.0.0.0/2 1
224.0.0.0/3 2
200.0.0.0/5 3
128.0.0.0/1 4
128.0.0.0/4 6
128.0.0.0/6 7
128.0.0.0/7 8
END
run 0 strides --table figure_1 --levels 1..7 --format csv
prints 'family,levels,stride,slots,strides,pushed_bytes,pushed_clocks,pushed_ns,open_bytes,open_clocks,open_ns
4,1,fixed,128,7,512,10,48.3,1024,11,51.7
4,1,variable,128,7,512,10,48.3,1024,11,51.7
4,2,fixed,32,4 3,128,16,83.3,256,21,100.0
4,2,variable,26,4,104,18,90.0,208,23,106.7
4,3,fixed,20,3 2 2,80,22,118.3,160,31,148.3
4,3,variable,20,3,80,26,131.7,160,35,161.7
4,4,fixed,18,1 2 2 2,72,28,153.3,144,41,196.7
4,4,variable,18,1,72,34,173.3,144,47,216.7
4,5,fixed,18,1 2 2 2,72,34,188.3,144,51,245.0
4,5,variable,18,1,72,42,215.0,144,59,271.7
4,6,fixed,18,1 2 2 2,72,40,223.3,144,61,293.3
4,6,variable,18,1,72,50,256.7,144,71,326.7
4,7,fixed,18,1 2 2 2,72,46,258.3,144,71,341.7
4,7,variable,18,1,72,58,298.3,144,83,381.7'

run 0 strides -t figure_1 --levels 4
[[ $(wc -l <out) == 4 ]] && grep -q '^8 routes (IPv4), the longest /7$' out &&
    grep -qE '^ +4  fixed +18 +1 +28 +153 +1 +41 +197  1 2 2 2$' out || die "text: $(<out)"

# The formats agree, 2 to 8 levels unless others are asked for; more levels never need more slots.
"$FINGERPOST" generate --routes 3000 --seed 3 >six
"$FINGERPOST" generate --shares tier1-v4 --routes 3000 --seed 3 >four
cat four six >both
run 0 strides -t both --format csv
mv out csv
run 0 strides -t both --format json
mv out json
run 0 strides -t both
python3 - <<'END' || die "the formats differ: $(<csv)"
import csv, json
rows = list(csv.DictReader(open("csv")))
objects = json.load(open("json"))
text = [line.split() for line in open("out") if " fixed " in line or " variable " in line]
assert len(rows) == len(objects) == len(text) == 28, len(rows)
last = {}
for row, o, words in zip(rows, objects, text):
    assert (int(row["family"]), int(row["levels"]), row["stride"]) == (o["family"], o["levels"], o["stride"]), row
    assert words[:2] == [row["levels"], row["stride"]], words
    if o["slots"] is None:
        assert row["slots"] == "" and words[2] == "-" and (o["family"], o["stride"]) not in last, row
        continue
    assert int(row["slots"]) == o["slots"] == int(words[2]), row
    assert int(row["open_bytes"]) == o["open"]["bytes"] == 2 * o["pushed"]["bytes"] == 8 * o["slots"], row
    assert [int(s) for s in row["strides"].split()] == o["strides"], row
    assert o["slots"] <= last.get((o["family"], o["stride"]), o["slots"]), row
    last[o["family"], o["stride"]] = o["slots"]
    if o["stride"] == "variable" and o["family"] == 4:
        assert o["slots"] <= last[4, "fixed"], row
assert len(last) == 4, last
END

# One stride at most so wide; a table without routes needs no slots.
run 0 strides -t four --widest 8 --levels 3..4 --format csv
[[ $(grep -c ',,,,,,,,$' out) == 2 && $(grep -c '^4,4,fixed,[0-9]' out) == 1 ]] || die "widest: $(<out)"
run 0 strides -t /dev/null --levels 2
grep -q '^0 routes ' out || die "empty table: $(<out)"
run 0 strides -t both --family 6 --levels 5 --format csv
[[ $(grep -c '^6,5,' out) == 2 && $(wc -l <out) == 3 ]] || die "one family: $(<out)"

finish 8
