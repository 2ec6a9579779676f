#!/usr/bin/env bash
# The output of `diff` for two tables: updates that make the first the second, the same as CSV and NDJSON, numbers, exit
# codes.
. "$(dirname "$0")/../common.sh"

cat >before <<'END'
10.0.0.0/8 a
10.1.0.0/16 b
10.2.0.0/16
10.3.0.0/16 c
2001:db8::/32 a
2001:db8:1::/48 x"y
END
# Other numbers for the same names, another order, other spelling.
cat >after <<'END'
2001:DB8::/32	a
::/0,z
10.2.0.0/16 d
10.1.0.0/16
10.0.0.0/8,a
10.4.0.0/16
END

run 0 diff before after
prints 'A 10.1.0.0/16
A 10.2.0.0/16 d
W 10.3.0.0/16
A 10.4.0.0/16
A ::/0 z
W 2001:db8:1::/48'
says 'fingerpost: IPv4: 1 added, 1 removed, 2 changed, 1 the same
fingerpost: IPv6: 1 added, 1 removed, 0 changed, 1 the same'

run 0 diff before after --format csv --output made
prints ''
[[ $(<made) == 'change,prefix,before,after
changed,10.1.0.0/16,b,
changed,10.2.0.0/16,,d
removed,10.3.0.0/16,c,
added,10.4.0.0/16,,
added,::/0,,z
removed,2001:db8:1::/48,"x""y",' ]] || die "CSV: $(<made)"

run 0 diff before after --format ndjson
prints '{"change":"changed","prefix":"10.1.0.0/16","before":"b","after":null}
{"change":"changed","prefix":"10.2.0.0/16","before":null,"after":"d"}
{"change":"removed","prefix":"10.3.0.0/16","before":"c","after":null}
{"change":"added","prefix":"10.4.0.0/16","before":null,"after":null}
{"change":"added","prefix":"::/0","before":null,"after":"z"}
{"change":"removed","prefix":"2001:db8:1::/48","before":"x\"y","after":null}'

run 0 diff before after --format summary
prints 'family  before  after  added  removed  changed  same
IPv4         4      4      1        1        2     1
IPv6         2      2      1        1        0     1'
says ''

# No difference; one family; from stdin; with an empty table.
run 0 diff before before
prints ''
says 'fingerpost: IPv4: 0 added, 0 removed, 0 changed, 4 the same
fingerpost: IPv6: 0 added, 0 removed, 0 changed, 2 the same'
run 0 diff --family 6 before after
prints 'A ::/0 z
W 2001:db8:1::/48'
gzip -c after | run 0 diff before -
[[ $(wc -l <out) == 6 ]] || die "from stdin: $(<out)"
run 0 diff /dev/null before
[[ $(grep -c '^A ' out) == 6 ]] || die "against nothing: $(<out)"
run 0 diff /dev/null /dev/null
prints ''
says ''

# Exit codes.
run 4 diff --exit-code before after
run 4 diff --exit-code --format summary before after
run 0 diff --exit-code before before
run 1 diff --exit-code before missing
says 'fingerpost: missing: No such file or directory'
run 1 diff before <(echo 10.0.0.0/33)
run 2 diff before
says 'fingerpost: diff: missing TABLE'
run 2 diff before after after
run 2 diff - -
says 'fingerpost: diff: the tables cannot both come from stdin'
run 2 diff before after --format jsno
run 1 diff before after --output /dev/full
says 'fingerpost: /dev/full: No space left on device'

# Tables as large as real ones: applied by a program in Python, the updates give the second table, and the benchmark
# reads them.
"$FINGERPOST" lab generate --routes 30000 --seed 1 --next-hops 20 >one
"$FINGERPOST" lab generate --shares tier1-v4 --routes 30000 --seed 1 --next-hops 20 >>one
python3 - <<'END'
import random
random.seed(3)
lines = [line.split() for line in open("one")]
with open("two", "w") as out:
    for prefix, hop in random.sample(lines, len(lines) - 5000):
        print(prefix, *([] if random.random() < 0.05 else [hop if random.random() < 0.9 else "other"]), file=out)
    for i in range(1, 2001):
        print(f"3fff:{i:x}::/32 new", file=out)
END
run 0 diff one two
mv out updates
python3 - <<'END' || die 'the updates do not make the second table'
def table(path):
    return {line.split()[0]: line.split()[1:] for line in open(path)}
one, two = table("one"), table("two")
updates = [line.split() for line in open("updates")]
assert len(updates) > 10_000 and len({words[1] for words in updates}) == len(updates)
for verb, prefix, *hop in updates:
    if verb == "W":
        del one[prefix]
    else:
        assert one.get(prefix) != hop, prefix
        one[prefix] = hop
assert one == two
END
run 0 diff two one
[[ $(wc -l <out) == $(wc -l <updates) ]] || die 'there are more changes on the way back'
run 0 lab bench update -t one --family 6 --scheme packed_leaves --policies rebuild --workloads recorded --updates updates \
    --changes 50 --readers 0 --rounds 1 --round-ms 0.1 --burst 32 --turns 1 --addresses 1000

# A reader that closes the pipe early ends the program quietly.
"$FINGERPOST" diff one /dev/null 2>/dev/null | head -n 1 >out || die "a closed pipe: ${PIPESTATUS[*]}"
[[ $(<out) == 'W '* ]] || die "the first line: $(<out)"

# A value of several words is quoted; one with a line end cannot be written in updates, and nothing is printed.
printf 'network,name\n10.0.0.0/8,"One, Ltd"\n' >names.csv
run 0 diff /dev/null names.csv
prints 'change prefix name
A 10.0.0.0/8 "One, Ltd"'
printf 'network,name\n10.0.0.0/8,a\n11.0.0.0/8,"x\nW ::/0"\n' >lines.csv
run 1 diff /dev/null lines.csv
prints ''
grep -q "^fingerpost: 11.0.0.0/8: the value 'x.*' has control characters, which updates as text cannot have; choose --format csv or ndjson$" err || die "lines: $(<err)"
run 0 diff /dev/null names.csv --format csv
grep -q '^added,10.0.0.0/8,,"One, Ltd"$' out || die "names: $(<out)"

finish 20
