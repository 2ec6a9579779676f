#!/usr/bin/env bash
# Saves tables as images, shows and verifies them, and damages them.
. "$(dirname "$0")/../common.sh"

printf '10.0.0.0/8 a\n10.1.0.0/16 b\n192.0.2.0/24 a\n' >four
printf '10.0.0.0/8 a\n2001:db8::/32 c\n' >both

run 0 image save -t four four.image
prints ''
run 0 image verify four.image
prints 'four.image: OK, 3 IPv4 routes'
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
prints 'both.image: OK, 1 IPv4 route, 1 IPv6 route'
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
    prints "one.image: OK, 1 IPv$family route"
done
# Any scheme that the build has. What was saved looks up, and explains itself, where no other scheme is named.
run 0 lookup -t both 10.1.2.3 2001:db8::1
cp out right
for scheme in $("$FINGERPOST" schemes --format json | python3 -c 'import json, sys; print(*(s["name"] for s in json.load(sys.stdin) if s["families"] == [4, 6] and s["saveable"] and len(s["name"]) <= 32))'); do
    run 0 image save -t both --scheme "$scheme" scheme.image
    run 0 image verify scheme.image
    run 0 image show --format json scheme.image
    [[ $(grep -c "\"scheme\": \"$scheme\"" out) == 2 ]] || die "$scheme: $(<out)"
    run 0 lookup -t scheme.image 10.1.2.3 2001:db8::1
    cmp -s out right || die "$scheme: $(<out)"
    run 0 explain -t scheme.image 2001:db8::1
    grep -q "^$scheme: " out && grep -q 'next hop c' out || die "$scheme: $(<out)"
    run 0 info -t scheme.image --family 4 --scheme "$scheme"
    run 0 lookup -t scheme.image --scheme patricia 10.1.2.3 2001:db8::1
    cmp -s out right || die "$scheme: $(<out)"
done
run 2 image save -t both --scheme nonsense scheme.image
run 1 image save -t both --scheme binary_search_on_lengths:weighted scheme.image
grep -q 'no scheme with this name can be saved$' err || die "long name: $(<err)"

# A fault of the second image is a fault of the file, at its place in the file.
cp both.image second.image
size=$(stat -c %s second.image)
printf 'x' | dd of=second.image bs=1 seek=$((size - 100)) conv=notrunc status=none
run 1 image verify second.image
offset=$(sed -n 's/^fingerpost: second.image: byte \([0-9]*\): a section has the wrong checksum$/\1/p' err)
((offset > size / 2 && offset < size)) || die "second: $(<err)"
truncate -s -64 both.image
run 1 image verify both.image
run 0 image save -t /dev/null empty.image
run 0 image verify empty.image
prints 'empty.image: OK, 0 IPv6 routes'

# Each fault is reported with its place, and the other files are verified all the same.
cp four.image cut.image
truncate -s -1 cut.image
cp four.image changed.image
printf 'x' | dd of=changed.image bs=1 seek=600 conv=notrunc status=none
run 1 image verify cut.image four.image changed.image none four
prints 'four.image: OK, 3 IPv4 routes'
grep -q '^fingerpost: cut.image: byte [0-9]*: the file ends before its last section does$' err || die "cut: $(<err)"
grep -q '^fingerpost: changed.image: byte [0-9]*: a section has the wrong checksum$' err || die "changed: $(<err)"
grep -q "^fingerpost: none: the file can't be opened: No such file or directory$" err || die "none: $(<err)"
grep -q '^fingerpost: four: byte 0: this is not an image of a table$' err || die "text: $(<err)"
run 1 image show cut.image
prints ''
# A table with a fault leaves the old image.
printf '10.0.0.0/8 a\n10.0.0.0/99 b\n' >bad
run 1 image save -t bad four.image
run 0 image verify four.image
prints 'four.image: OK, 3 IPv4 routes'
run 1 image save -t four /nowhere/a.image
run 1 image save -t four .

# Commands that look up map an image: rows and columns are those of its text, and its bytes are not read.
python3 - <<'END'
import random
dice = random.Random(5)
bases = [f"10.{dice.randrange(4)}.{dice.randrange(256)}.0" for _ in range(300)] + [f"2001:db8:{dice.randrange(65536):x}::" for _ in range(300)]
with open("rows.csv", "w") as rows:
    print("network,asn,country\n10.0.0.0/8,64500,CH\n::/0,64501,", file=rows)
    for base in bases:
        length = dice.randrange(12, 33) if "." in base else dice.randrange(20, 65)
        print(f"{base}/{length},{dice.randrange(64500, 64520)},{dice.choice(['CH', 'IT', ''])}", file=rows)
with open("asked", "w") as asked:
    for base in bases * 5:
        print(base[:-1] + str(dice.randrange(256)) if "." in base else base + f"{dice.randrange(65536):x}", file=asked)
    print("11.0.0.1\nnonsense\n::ffff:10.0.0.1\n10.0.0.0/9", file=asked)
END
"$FINGERPOST" image save -t rows.csv rows.image 2>/dev/null
# same STATUS ARGUMENT...: TABLE in the arguments is the text, then the image.
same() {
    local status=$1
    shift
    run "$status" "${@//TABLE/rows.csv}" <asked
    cp out wanted
    run "$status" "${@//TABLE/rows.image}" <asked
    cmp -s out wanted || die "$*: the image differs: $(diff out wanted | head -n 5)"
}
for format in text csv ndjson; do
    same 3 lookup -t TABLE --format $format
    same 3 lookup -t TABLE --format $format --columns country
    same 3 lookup -t TABLE --format $format --scheme patricia
done
for match in exact covering covered; do
    same 3 lookup -t TABLE --match $match
done
for family in 4 6; do
    same 3 lookup -t TABLE --family $family --format csv
done
same 0 enrich -t TABLE --format log
same 0 enrich -t TABLE --format log --columns country,asn,prefix
same 0 enrich -t one=TABLE -t other=TABLE --format log
for form in csv ndjson; do
    same 0 convert --format $form TABLE
done
# What is told of lines is of text alone.
for scheme in patricia packed_leaves; do
    run 0 info -t rows.csv --format json --scheme $scheme --family 4
    cp out wanted
    run 0 info -t rows.image --format json --scheme $scheme --family 4
    python3 - out wanted <<'END' || die "info: $(<out)"
import json, sys
got, wanted = (json.load(open(path)) for path in sys.argv[1:])
for name in ("table", "lines", "duplicates", "masked", "other_family"):
    del got[name], wanted[name]
if got["scheme"] != "patricia":
    # The FIB of an image has no room for changes.
    mine, other = got.pop("memory"), wanted.pop("memory")
    assert 0 < mine["packed_leaves"] <= other["packed_leaves"], (mine, other)
    assert got.pop("parts").keys() <= wanted.pop("parts").keys()
assert got == wanted, (got, wanted)
END
done
for asked in 10.1.2.3 2001:db8:1::1 11.0.0.1; do
    run 0 explain -t rows.csv --format json $asked
    cp out wanted
    run 0 explain -t rows.image --format json $asked
    python3 - out wanted <<'END' || die "explain $asked: $(<out)"
import json, sys
got, wanted = (json.load(open(path)) for path in sys.argv[1:])
(mine,), (other,) = got.pop("schemes"), wanted.pop("schemes")
assert got == wanted, (got, wanted)
assert mine["scheme"] == other["scheme"] and mine["steps"] and len(mine["steps"]) == len(other["steps"]), mine
END
done
if command -v strace >/dev/null && strace -f true 2>/dev/null; then
    strace -f -e trace=openat,read,pread64,mmap -o calls "$FINGERPOST" lookup -t rows.image 10.1.2.3 >/dev/null 2>&1
    grep -q 'mmap(NULL, [0-9]*, PROT_READ, MAP_SHARED' calls || die "the image is not mapped: $(<calls)"
    cases=$((cases + 1))
fi
# What is damaged is told with its place by all of them.
cp rows.image hurt.image
printf 'x' | dd of=hurt.image bs=1 seek=2000 conv=notrunc status=none
for command in 'lookup -t' 'explain -t' 'info -t' 'convert --format csv' 'image save x.image -t' 'enrich --format log -t'; do
    run 1 $command hurt.image $([[ $command == explain* ]] && echo 10.0.0.1) <asked
    grep -q '^fingerpost: hurt.image: byte [0-9]*: ' err || die "$command: $(<err)"
    [[ ! -s out ]] || die "$command: $(head out)"
done
# Files of one name are one table, whatever columns they have: of equal prefixes the later one counts, images and texts in any order.
printf 'network,city\n10.0.0.0/8,Bern\n198.51.100.0/24,Rome\n' >few.csv
"$FINGERPOST" image save -t few.csv few.image 2>/dev/null
same 3 lookup -t all=TABLE -t all=few.csv --format csv
[[ $(head -n 1 out) == address,prefix,asn,country,city ]] || die "joined: $(head -n 1 out)"
run 0 lookup -t all=rows.image -t all=few.image --format csv 10.200.0.1 198.51.100.1
grep -q '^10.200.0.1,10.0.0.0/8,,,Bern$' out && grep -q '^198.51.100.1,198.51.100.0/24,,,Rome$' out || die "joined: $(<out)"
grep -q '^fingerpost: 1 route of earlier files replaced by later ones$' err || die "joined: $(<err)"
run 0 lookup -t all=few.image -t all=rows.image --format csv 10.200.0.1
grep -q '^10.200.0.1,10.0.0.0/8,,64500,CH$' out || die "joined: $(<out)"
same 0 explain -t all=TABLE -t all=few.csv 198.51.100.1
same 0 convert --format csv all=TABLE all=few.csv
run 2 lookup -t - -t - 10.0.0.1 </dev/null
run 1 lookup -t - 10.0.0.1 <rows.image
grep -q 'stdin: the image of a table, which is mapped and so needs a file; name it$' err || die "stdin: $(<err)"
gzip -k rows.image
run 1 lookup -t rows.image.gz 10.0.0.1
grep -q 'rows.image.gz: a compressed table image cannot be mapped; decompress it first$' err || die "gz: $(<err)"

run 2 image
run 2 image save -t four
run 2 image show
run 0 image save --help

finish 90
