#!/usr/bin/env bash
# Saves tables as images, shows and verifies them, and damages them.
. "$(dirname "$0")/../common.sh"

printf '10.0.0.0/8 a\n10.1.0.0/16 b\n192.0.2.0/24 a\n' >four
printf '10.0.0.0/8 a\n2001:db8::/32 c\n' >both

run 0 image save -t four four.image
prints ''
run 0 image verify four.image
prints 'four.image: good, 3 IPv4 routes'
run 0 image show four.image
grep -q '^routes  *3 (IPv4)$' out && grep -q '^columns  *next_hop$' out && grep -q '^rows  *2$' out || die "show: $(<out)"
grep -q 'values: texts$' out || die "show: $(<out)"
run 0 image show --format json four.image
python3 - out four.image <<'END' || die "show: $(<out)"
import json, os, sys
(told,) = json.load(open(sys.argv[1]))
assert (told["family"], told["routes"], told["columns"], told["rows"]) == (4, 3, ["next_hop"], 2), told
assert told["bytes"] == os.path.getsize(sys.argv[2]), told
sections = told["sections"]
assert [s["name"] for s in sections[:3]] == ["first addresses", "lengths", "next hops"], sections
assert [s["bytes"] for s in sections[:3]] == [12, 3, 12], sections
assert all(s["offset"] % 64 == 0 and s["offset"] + s["bytes"] <= told["bytes"] for s in sections), sections
END

# Both families in one file, or one of them.
run 0 image save -t both both.image
run 0 image verify both.image
prints 'both.image: good, 1 IPv4 route, 1 IPv6 route'
run 0 image show --format json both.image
python3 - out both.image <<'END' || die "show: $(<out)"
import json, os, sys
four, six = json.load(open(sys.argv[1]))
assert (four["family"], four["routes"], six["family"], six["routes"]) == (4, 1, 6, 1), (four, six)
assert four["bytes"] + six["bytes"] == os.path.getsize(sys.argv[2])
assert max(s["offset"] + s["bytes"] for s in four["sections"]) <= four["bytes"] < six["sections"][0]["offset"]
END
run 0 image show both.image
[[ $(grep -c '^routes  *1 (IPv[46])$' out) == 2 ]] || die "show: $(<out)"
for family in 4 6; do
    run 0 image save -t both --family $family one.image
    run 0 image verify one.image
    prints "one.image: good, 1 IPv$family route"
done
# A fault of the second image is a fault of the file, at its place in the file.
cp both.image second.image
size=$(stat -c %s second.image)
printf 'x' | dd of=second.image bs=1 seek=$((size - 100)) conv=notrunc status=none
run 1 image verify second.image
offset=$(sed -n 's/^fingerpost: second.image: byte \([0-9]*\): a section has another checksum$/\1/p' err)
((offset > size / 2 && offset < size)) || die "second: $(<err)"
truncate -s -64 both.image
run 1 image verify both.image
run 0 image save -t /dev/null empty.image
run 0 image verify empty.image
prints 'empty.image: good, 0 IPv6 routes'

# Each fault is reported with its place, and the other files are verified all the same.
cp four.image cut.image
truncate -s -1 cut.image
cp four.image changed.image
printf 'x' | dd of=changed.image bs=1 seek=600 conv=notrunc status=none
run 1 image verify cut.image four.image changed.image none four
prints 'four.image: good, 3 IPv4 routes'
grep -q '^fingerpost: cut.image: byte [0-9]*: the file ends before its last section does$' err || die "cut: $(<err)"
grep -q '^fingerpost: changed.image: byte [0-9]*: a section has another checksum$' err || die "changed: $(<err)"
grep -q "^fingerpost: none: the file can't be opened: No such file or directory$" err || die "none: $(<err)"
grep -q '^fingerpost: four: byte 0: this is no image of a table$' err || die "text: $(<err)"
run 1 image show cut.image
prints ''
# A table with a fault leaves the old image.
printf '10.0.0.0/8 a\n10.0.0.0/99 b\n' >bad
run 1 image save -t bad four.image
run 0 image verify four.image
prints 'four.image: good, 3 IPv4 routes'
run 1 image save -t four /nowhere/a.image
run 1 image save -t four .
run 2 image
run 2 image save -t four
run 2 image show
run 0 image save --help

finish 21
