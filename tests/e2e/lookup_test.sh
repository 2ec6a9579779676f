#!/usr/bin/env bash
# Looks addresses up in small tables: every format exactly, arguments and stdin, both families, mapped addresses.
. "$(dirname "$0")/common.sh"

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

# Bytes that are no UTF-8 must not make JSON that nobody can read.
printf '::/0 a\xff\xc3\xa9\n' >latin
run 0 lookup --table latin --format ndjson ::1
prints '{"address":"::1","prefix":"::/0","next_hop":"a\ufffdé"}'

# Standard input, with what people leave in files.
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
run 0 lookup --table v4 --format csv </dev/null
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

# An empty table is a table: nobody matches, whatever the family.
for family in '' '--family 4'; do
    # shellcheck disable=SC2086
    run 0 lookup --table /dev/null $family --format csv 10.1.2.3
    prints 'address,prefix,next_hop
10.1.2.3,,'
done
run 0 lookup --table /dev/null --format csv ::1 10.1.2.3
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

finish 20
