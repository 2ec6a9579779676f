#!/usr/bin/env bash
# Looks addresses up in small tables: every format exactly, arguments and stdin, both families, mapped addresses.
. "$(dirname "$0")/../common.sh"

cat >v4 <<'END'
# a small table
0.0.0.0/0 upstream
10.0.0.0/8 7
10.1.0.0/16,peer"x"
10.1.2.0/24
END
cat >v6 <<'END'
2001:db8::/32	2001:db8::1
2001:db8:1::/48	28
END

run 0 lookup --table v4 10.1.2.3 10.1.3.3 10.9.9.9 8.8.8.8
prints '10.1.2.3  10.1.2.0/24  -
10.1.3.3  10.1.0.0/16  peer"x"
10.9.9.9  10.0.0.0/8   7
8.8.8.8   0.0.0.0/0    upstream'

run 0 lookup --table v4 --format csv 10.1.2.3 10.1.3.3 10.9.9.9
prints 'address,prefix,next_hop
10.1.2.3,10.1.2.0/24,
10.1.3.3,10.1.0.0/16,"peer""x"""
10.9.9.9,10.0.0.0/8,7'

run 0 lookup --table v6 --format csv 2001:db8::5 2001:db8:1::5 2002::
prints 'address,prefix,next_hop
2001:db8::5,2001:db8::/32,2001:db8::1
2001:db8:1::5,2001:db8:1::/48,28
2002::,,'

run 0 lookup --table v6 --format ndjson 2001:db8::5 2002::
prints '{"address":"2001:db8::5","prefix":"2001:db8::/32","next_hop":"2001:db8::1"}
{"address":"2002::","prefix":null,"next_hop":null}'

run 0 lookup --table v4 --format ndjson 10.1.2.3 10.1.3.3
prints '{"address":"10.1.2.3","prefix":"10.1.2.0/24","next_hop":null}
{"address":"10.1.3.3","prefix":"10.1.0.0/16","next_hop":"peer\"x\""}'

run 0 lookup --table v6 --format text 2001:db8::5 2002::
prints '2001:db8::5  2001:db8::/32  2001:db8::1
2002::       -              -'

# Bytes that are not UTF-8 must not make invalid JSON.
printf '::/0 a\xff\xc3\xa9\n' >latin
run 0 lookup --table latin --format ndjson ::1
prints '{"address":"::1","prefix":"::/0","next_hop":"a\ufffdé"}'

# Standard input, with lines as people leave them in files.
printf '# hosts\r\n10.1.2.3\r\n\n  10.9.9.9 \n8.8.8.8' >addresses
run 0 lookup --table v4 --format csv <addresses
prints 'address,prefix,next_hop
10.1.2.3,10.1.2.0/24,
10.9.9.9,10.0.0.0/8,7
8.8.8.8,0.0.0.0/0,upstream'
run 0 lookup --table v4 --format csv 1.1.1.1 - 2.2.2.2 <<<10.9.9.9
prints 'address,prefix,next_hop
1.1.1.1,0.0.0.0/0,upstream
10.9.9.9,10.0.0.0/8,7
2.2.2.2,0.0.0.0/0,upstream'
gzip -c addresses >addresses.gz
run 0 lookup --table v4 --format csv <addresses.gz
[[ $(wc -l <out) == 4 ]] || die "compressed addresses: $(<out)"
run 1 lookup --table v4 --format csv </dev/null
prints 'address,prefix,next_hop'

# An IPv4-mapped address is its IPv4 address to an IPv4 table, and is printed as it was given.
run 0 lookup --table v4 --format csv ::ffff:10.1.3.3 ::ffff:a01:303
prints 'address,prefix,next_hop
::ffff:10.1.3.3,10.1.0.0/16,"peer""x"""
::ffff:a01:303,10.1.0.0/16,"peer""x"""'

# The table from a pipe; both families in one file, one at a time.
run 0 lookup --table - 10.9.9.9 <v4
prints '10.9.9.9  10.0.0.0/8  7'
cat v4 v6 >both
run 0 lookup --table both --family 6 2001:db8:1::5
prints '2001:db8:1::5  2001:db8:1::/48  28'
says 'fingerpost: both: 4 routes of the other family skipped'
run 0 lookup --table both --family 4 10.9.9.9
prints '10.9.9.9  10.0.0.0/8  7'

# Both families in one run: each address goes to the table of its family. A mapped one is an IPv4 address where there
# is a table of those.
run 0 lookup --table both --format csv 10.9.9.9 2001:db8:1::5 ::ffff:10.9.9.9 2002:: 8.8.8.8
prints 'address,prefix,next_hop
10.9.9.9,10.0.0.0/8,7
2001:db8:1::5,2001:db8:1::/48,28
::ffff:10.9.9.9,10.0.0.0/8,7
2002::,,
8.8.8.8,0.0.0.0/0,upstream'
says ''
# An address of a family without routes has no match, whether the table or --family leaves it out.
run 1 lookup --table both --format csv --family 6 10.9.9.9 ::ffff:10.9.9.9
prints 'address,prefix,next_hop
10.9.9.9,,
::ffff:10.9.9.9,,'
for format in csv ndjson text; do
    run 1 lookup --table v4 --format $format ::1
    mv out wanted
    run 1 lookup --table v4 --format $format --match covering ::1
    cmp -s out wanted || die "$format: an absent family is another miss for prefixes: $(<out)"
done
prints '::1  -  -'
run 2 lookup --table both --scheme dir_24_8 10.9.9.9
says 'fingerpost: --scheme: dir_24_8 does not serve IPv6; use --family 4 to ignore these routes'
run 0 lookup --table both --scheme dir_24_8 --family 4 10.9.9.9
# More than one batch, the families in turns.
for ((i = 0; i < 3000; ++i)); do echo "10.0.0.$((i % 256))" && printf '2001:db8:1::%x\n' $i; done >many
run 0 lookup --table both --format csv <many
[[ $(grep -c '^10\.0\.0\.[0-9]*,10\.0\.0\.0/8,7$' out) == 3000 ]] || die 'IPv4 answers are missing'
[[ $(grep -c '^2001:db8:1::[0-9a-f]*,2001:db8:1::/48,28$' out) == 3000 ]] || die 'IPv6 answers are missing'
cut -d, -f1 out | tail -n +2 | cmp -s - many || die 'rows are out of order'

# A comment behind an address; `#` within a word is part of it.
printf '10.9.9.9 # why\n10.9.9.9\t#\n8.8.8.8#x\n' >addresses
run 3 lookup --table v4 --format csv <addresses
prints 'address,prefix,next_hop
10.9.9.9,10.0.0.0/8,7
10.9.9.9,10.0.0.0/8,7'
says "fingerpost: stdin:3: '8.8.8.8#x': unexpected '#' at column 8"

# A row for each input row, with the reason where there is no address. Comments and blank lines give no rows.
{ printf '10.9.9.9\n# no row\n\nhe"llo, you\n\x9b\n::1\n' && head -c 70000 /dev/zero && printf '\n8.8.8.8\n'; } >addresses
run 3 lookup --table v4 --keep-invalid --format csv <addresses
[[ $(wc -l <out) == 7 ]] || die "$(wc -l <out) rows"
[[ $(sed -n 1,3p out) == "address,prefix,next_hop,error
10.9.9.9,10.0.0.0/8,7,
\"he\"\"llo, you\",,,unexpected 'h' at column 1" ]] || die "rows: $(head -n 3 out)"
[[ $(sed -n '5p;7p' out) == "::1,,,
8.8.8.8,0.0.0.0/0,upstream," ]] || die "rows: $(sed -n '5p;7p' out)"
run 3 lookup --table v4 --keep-invalid --format ndjson <addresses
python3 - out <<'END' || die 'wrong rows'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert len(rows) == 6, rows
assert [row.get("error", "")[:10] for row in rows] == ["", "unexpected", "unexpected", "", "the line h", ""], rows
assert all(row["prefix"] is None and row["next_hop"] is None for row in rows if "error" in row), rows
assert rows[4]["address"] == "\0" * 64 + "...", rows[4]
END
run 3 lookup --table v4 --keep-invalid <addresses
[[ $(sed -n 2,3p out) == "'he\"llo, you'  -           -  # unexpected 'h' at column 1
'\\x9b'    -           -  # unexpected byte 0x9b at column 1" ]] || die "rows: $(<out)"

# Ports, brackets and zones, as sockets have them; addresses are printed as they were given.
for match in longest covering; do
    run 0 lookup --table both --match $match --format csv --family 6 '[2001:db8:1::5]:443' '[2001:db8:1::5]' 2001:db8:1::5%eth0 \
        '[2001:db8:1::5%wlan-1]:80'
    grep -v '/32,' out >longest
    [[ $(<longest) == 'address,prefix,next_hop
[2001:db8:1::5]:443,2001:db8:1::/48,28
[2001:db8:1::5],2001:db8:1::/48,28
2001:db8:1::5%eth0,2001:db8:1::/48,28
[2001:db8:1::5%wlan-1]:80,2001:db8:1::/48,28' ]] || die "sockets: $(<out)"
    run 0 lookup --table v4 --match $match 10.9.9.9:65535 '[::ffff:10.9.9.9]:80'
    [[ $(tail -n 1 out) == '[::ffff:10.9.9.9]:80  10.0.0.0/8  7' ]] || die "a mapped address: $(<out)"
    run 3 lookup --table v4 --match $match 10.9.9.9: 10.9.9.9:123456 10.9.9.9:x '[10.9.9.9' '::1%a"b' '10.0.0.0/8:80'
    [[ ! -s out && $(<err) == *"6 invalid addresses"* ]] || die "no sockets: $(<out) $(<err)"
done

# Exit codes are those of grep: 1 without any match, unless a row was wrong.
run 1 lookup --table v6 2002:: 10.0.0.1
run 0 lookup --table v6 2002:: 2001:db8::1
run 1 lookup --table v4 --match covered 192.0.2.0/24
run 3 lookup --table v6 2002:: wrong
run 0 lookup --table v6 -q 2002:: 2001:db8::1
prints ''
run 0 lookup --table v6 --quiet --format csv wrong 2001:db8::1
prints ''
says "fingerpost: argument 1: 'wrong': unexpected 'w' at column 1"
run 3 lookup --table v6 --quiet 2002:: wrong
run 1 lookup --table v6 --quiet 2002::
run 1 lookup --table v6 --quiet --match covering 2002::/16
prints ''
says ''
# The first match ends it, though more could come from the pipe.
mkfifo asked
"$FINGERPOST" lookup --table v4 -q <asked &
exec 5>asked
echo 10.9.9.9 >&5
wait $! || die 'a match was not found'
exec 5>&-
cases=$((cases + 1))

# Columns of a table of several have their names before them.
printf 'network,asn,name\n10.0.0.0/8,64500,ten\n10.20.0.0/16,64501,"a b"\n' >columns.csv
run 0 lookup --table columns.csv 10.1.1.1 10.20.0.1 8.8.8.8
prints 'address    prefix        asn    name
10.1.1.1   10.0.0.0/8    64500  ten
10.20.0.1  10.20.0.0/16  64501  a b
8.8.8.8    -             -      -'
run 0 lookup --table columns.csv --columns name 10.1.1.1
prints '10.1.1.1  10.0.0.0/8  ten'

# At a terminal the program must say what it is waiting for.
cat >typed.py <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
while b"Ctrl-D" not in said:
    said += os.read(terminal, 1000)
os.write(terminal, b"10.9.9.9\n\4")
try:
    while more := os.read(terminal, 1000):
        said += more
except OSError:
    pass
assert os.waitpid(pid, 0)[1] == 0, said
print(said.decode())
END
TERM=dumb python3 typed.py "$FINGERPOST" lookup --table v4 >said || die 'lookup on a terminal failed'
grep -q 'fingerpost: reading addresses from the terminal, one per line; end with Ctrl-D' said || die "said: $(<said)"
grep -q '10.9.9.9  10.0.0.0/8  7' said || die "answered: $(<said)"
cases=$((cases + 1))

# An empty table is a table: no address matches, whatever the family.
for family in '' '--family 4'; do
    # shellcheck disable=SC2086
    run 1 lookup --table /dev/null $family --format csv 10.1.2.3
    prints 'address,prefix,next_hop
10.1.2.3,,'
done
run 1 lookup --table /dev/null --format csv ::1 10.1.2.3
[[ $(wc -l <out) == 3 ]] || die "empty table: $(<out)"

# Every scheme gives the same answers, more of them than one batch holds.
for ((i = 0; i < 5000; ++i)); do echo "10.$((i % 4)).$((i / 4 % 256)).$((i % 251))"; done >many
run 0 lookup --table v4 --format csv <many
mv out wanted
[[ $(wc -l <wanted) == 5001 ]] || die "$(wc -l <wanted) lines for 5000 addresses"
schemes=$("$FINGERPOST" schemes --format json | python3 -c 'import json, sys
for s in json.load(sys.stdin):
    if 4 in s["families"]: print(s["name"])')
for scheme in $schemes; do
    run 0 lookup --table v4 --scheme "$scheme" --format csv <many
    cmp -s out wanted || die "$scheme gives other answers"
done

# A byte order mark at the start of standard input is not part of the first address.
mark=$'\xef\xbb\xbf'
for first in "${mark}10.9.9.9" "$mark# comment"$'\n10.9.9.9' "$mark"$'\r\n10.9.9.9\r' "${mark}10.9.9.9:443"; do
    run 0 lookup --table v4 --format csv <<<"$first"
    [[ $(tail -n 1 out) =~ ^10\.9\.9\.9(:443)?,10\.0\.0\.0/8,7$ ]] || die "with a byte order mark: $(<out)"
    run 0 lookup --table v4 --match covering --format csv <<<"$first"
    [[ $(tail -n 1 out) =~ ^10\.9\.9\.9(:443)?,10\.0\.0\.0/8,7$ ]] || die "with a byte order mark: $(<out)"
done
run 3 lookup --table v4 <<<$'10.9.9.9\n'"${mark}10.9.9.9"

finish 40
