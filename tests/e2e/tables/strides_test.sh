#!/usr/bin/env bash
# `strides` prints the best strides for a table: the paper's example, both families, three formats that agree.
. "$(dirname "$0")/../common.sh"

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
run 0 lab strides --table figure_1 --levels 1..7 --format csv
prints 'family,levels,stride,slots,strides,pushed_bytes,pushed_clocks,pushed_ns,open_bytes,open_clocks,open_ns
4,1,fixed,128,7,512,10,48.3,1024,10,48.3
4,1,variable,128,7,512,11,51.7,1024,11,51.7
4,1,packed,,,512,20,81.7,1024,17,71.7
4,2,fixed,32,4 3,128,16,83.3,256,18,90.0
4,2,variable,26,4,104,21,100.0,208,23,106.7
4,2,packed,,,48,28,123.3,112,29,126.7
4,3,fixed,20,3 2 2,80,22,118.3,160,26,131.7
4,3,variable,20,3,80,31,148.3,160,35,161.7
4,3,packed,,,48,36,165.0,96,41,181.7
4,4,fixed,18,1 2 2 2,72,28,153.3,144,34,173.3
4,4,variable,18,1,72,41,196.7,144,47,216.7
4,4,packed,,,48,44,206.7,96,53,236.7
4,5,fixed,18,1 2 2 2,72,34,188.3,144,42,215.0
4,5,variable,18,1,72,51,245.0,144,59,271.7
4,5,packed,,,48,52,248.3,96,65,291.7
4,6,fixed,18,1 2 2 2,72,40,223.3,144,50,256.7
4,6,variable,18,1,72,61,293.3,144,71,326.7
4,6,packed,,,48,60,290.0,96,77,346.7
4,7,fixed,18,1 2 2 2,72,46,258.3,144,58,298.3
4,7,variable,18,1,72,71,341.7,144,83,381.7
4,7,packed,,,48,68,331.7,96,89,401.7'

run 0 lab strides -t figure_1 --levels 4
[[ $(wc -l <out) == 5 ]] && grep -q '^8 routes (IPv4), the longest /7$' out &&
    grep -qE '^ +4  fixed +18 +1 +28 +153 +1 +34 +173  1 2 2 2$' out || die "text: $(<out)"

# Slots of three and six bytes, and a table of two bytes a route.
run 0 lab strides -t figure_1 --levels 2..3 --as-in-paper --format csv
prints 'family,levels,stride,slots,strides,pushed_bytes,pushed_clocks,pushed_ns,open_bytes,open_clocks,open_ns
4,2,fixed,32,4 3,112,16,83.3,208,18,90.0
4,2,variable,26,4,94,21,100.0,172,23,106.7
4,2,packed,,,54,28,123.3,96,29,126.7
4,3,fixed,20,3 2 2,76,22,118.3,136,26,131.7
4,3,variable,20,3,76,31,148.3,136,35,161.7
4,3,packed,,,54,36,165.0,96,41,181.7'

# Levels of hash tables: 13 keys at 2, 5 and 7, 10 at 1, 3, 5 and 7.
run 0 lab strides -t figure_1 --hash --levels 1..4 --at 2,5,7 --format csv
cut -d , -f 1-8 out >rows
[[ $(<rows) == 'family,levels,first,lengths,keys,is_bound,markers,bytes
4,1,hash,7,128,0,0,2731
4,1,array,7,128,0,0,512
4,2,hash,3 7,20,0,0,427
4,2,array,3 7,20,0,0,288
4,3,hash,2 5 7,13,0,0,278
4,3,array,2 5 7,13,0,0,208
4,4,hash,1 3 5 7,10,0,0,214
4,4,array,1 3 5 7,10,0,0,179
4,3,hash,2 5 7,13,0,0,278
4,3,array,2 5 7,13,0,0,208' ]] || die "hash: $(<rows)"
run 0 lab strides -t figure_1 --hash --levels 7 --format csv
grep -qE '^4,7,hash,1 2 3 4 5 6 7,[0-9]+,1,' out || die "a bound: $(<out)"

# The formats agree, with 2 to 8 levels by default; more levels never need more slots.
"$FINGERPOST" lab generate --routes 3000 --seed 3 >six
"$FINGERPOST" lab generate --shares tier1-v4 --routes 3000 --seed 3 >four
cat four six >both
run 0 lab strides -t both --format csv
mv out csv
run 0 lab strides -t both --format json
mv out json
run 0 lab strides -t both
python3 - <<'END' || die "the formats differ: $(<csv)"
import csv, json
rows = list(csv.DictReader(open("csv")))
objects = json.load(open("json"))
text = [line.split() for line in open("out") if line.split()[1:2] in (["fixed"], ["variable"], ["packed"])]
assert len(rows) == len(objects) == len(text) == 42, len(rows)
last = {}
for row, o, words in zip(rows, objects, text):
    assert (int(row["family"]), int(row["levels"]), row["stride"]) == (o["family"], o["levels"], o["stride"]), row
    assert words[:2] == [row["levels"], row["stride"]], words
    if o["stride"] == "packed":
        assert o["slots"] is None and row["slots"] == "" and words[2] == "-", row
        for kind in ("pushed", "open"):
            least = last.get((o["family"], kind))
            bytes = o.get(kind, {}).get("bytes")
            assert row[f"{kind}_bytes"] == ("" if bytes is None else str(bytes)), row
            if bytes is not None:
                assert bytes <= (last[o["family"], "variable"] * (4 if kind == "pushed" else 8)), row
                assert bytes <= (least or bytes), row
                last[o["family"], kind] = bytes
        continue
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
assert len(last) == 8, last
END
run 0 lab strides -t both --hash --format csv
mv out csv
run 0 lab strides -t both --hash --format json
mv out json
run 0 lab strides -t both --hash
python3 - <<'END' || die "the formats of levels differ: $(<csv)"
import csv, json
rows = list(csv.DictReader(open("csv")))
objects = json.load(open("json"))
text = [line.split() for line in open("out") if line.split()[1:2] in (["hash"], ["array"])]
assert len(rows) == len(objects) == len(text) == 24, len(rows)
for row, o, words in zip(rows, objects, text):
    assert (int(row["family"]), int(row["levels"]), row["first"]) == (o["family"], o["levels"], o["first"]), row
    assert words[:2] == [row["levels"], row["first"]], words
    assert [int(l) for l in row["lengths"].split()] == o["lengths"] and len(o["lengths"]) == o["levels"], row
    assert float(row["keys"]) == float(o["keys"]) and float(row["bytes"]) == float(o["bytes"]), row
    assert words[3 if o["is_bound"] else 2] == row["keys"], words
END

# With a bound on the width of strides; a table without routes needs no slots.
run 0 lab strides -t four --widest 8 --levels 3..4 --format csv
[[ $(grep -c ',,,,,,,,$' out) == 3 && $(grep -c '^4,4,fixed,[0-9]' out) == 1 ]] || die "widest: $(<out)"
run 0 lab strides -t /dev/null --levels 2
grep -q '^0 routes ' out || die "empty table: $(<out)"
run 0 lab strides -t /dev/null --hash --levels 2
[[ $(grep -cE '^ +2  (hash|array) +-$' out) == 2 ]] || die "levels of an empty table: $(<out)"
run 0 lab strides -t both --family 6 --levels 5 --format csv
[[ $(grep -c '^6,5,' out) == 3 && $(wc -l <out) == 4 ]] || die "one family: $(<out)"

finish 15
