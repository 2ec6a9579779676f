#!/usr/bin/env bash
# Gives wrong tables, addresses and arguments: each has its message and its exit code, and no table is half loaded.
. "$(dirname "$0")/../common.sh"

# refused TABLE MESSAGE: a table with these lines is an error with exactly this message, and nothing is answered.
refused() {
    printf '%b' "$1" >table
    run 1 lookup --table table "${@:3}" 10.0.0.1
    prints ''
    says "fingerpost: table:$2"
}

run 1 lookup --table nowhere ::1
says 'fingerpost: nowhere: No such file or directory'
run 1 lookup --table . ::1
says 'fingerpost: .: is a directory'
if ((EUID != 0)); then
    : >secret
    chmod 000 secret
    run 1 lookup --table secret ::1
    says 'fingerpost: secret: Permission denied'
fi

refused '10.0.0.0/8 1\nhello\n' "2: 'hello': unexpected 'h' at column 1"
refused '10.0.0.0/8 1\n\n# x\n10.0.0.0/33 2\n' "4: '10.0.0.0/33': prefix length 33 is longer than 32"
refused '2001:db8::/129\n' "1: '2001:db8::/129': prefix length 129 is longer than 128"
refused '10.0.0.256/32\n' "1: '10.0.0.256/32': an octet is larger than 255 at column 8"
refused '10.0.0.0/8 1 2\n' "1: '10.0.0.0/8 1 2': more than a prefix and a next hop"
refused '10.0.0.0/8 1\n10.0.0.1/8 2\n' \
    "2: '10.0.0.1/8': bits past the prefix length are set (the prefix is 10.0.0.0/8)" --strict
refused '10/8 1\n' "1: '10/8': an IPv4 prefix has four octets; write 10.0.0.0/8"
refused '10.0.0.0/8\n172.16/12\n' "2: '172.16/12': an IPv4 prefix has four octets; write 172.16.0.0/12"
refused '\x9b1m\xc2\x9b/8\n' "1: '\\x9b1m\\xc2\\x9b/8': unexpected byte 0x9b at column 1"
# A benchmark measures one family.
printf '::/0\n10.0.0.0/8\n' >table
run 1 lab bench lookup --table table
says 'fingerpost: table has routes of both families; choose one with --family 4 or 6'
printf '10.0.0.0/8\n\n2001:db8::/32\n' >table
run 1 lab bench update --table table
says 'fingerpost: table has routes of both families; choose one with --family 4 or 6'
head -c 100000 /dev/zero >table
run 1 lookup --table table ::1
says 'fingerpost: table: not a table: it has NUL bytes and is not a MaxMind DB, an MRT file or an image (see --input-format and `fingerpost help formats`)'
run 1 lookup --table table --input-format text ::1
says 'fingerpost: table:1: the line has more than 65536 bytes; is this a table?'

# Duplicates and host bits are counted, not refused; the last of a prefix counts.
printf '10.0.0.0/8 old\n10.1.0.0/8 middle\n10.0.0.0/8 new\n' >table
run 0 lookup --table table 10.2.3.4
prints '10.2.3.4  10.0.0.0/8  new'
says 'fingerpost: table: 2 routes replaced by a later one of the same prefix
fingerpost: table: 1 route had bits set past the prefix length; they were cleared'

# A bad address among many: its line and its text on stderr, the others answered, exit code 3.
printf '10.0.0.0/8 1\n' >table
printf '10.0.0.1\nhello\n\n::1\n10.0.0.2\n10.0.0\n' >addresses
run 3 lookup --table table --format csv <addresses
prints 'address,prefix,next_hop
10.0.0.1,10.0.0.0/8,1
::1,,
10.0.0.2,10.0.0.0/8,1'
says "fingerpost: stdin:2: 'hello': unexpected 'h' at column 1
fingerpost: stdin:6: '10.0.0': the text ends too early"
run 3 lookup --table table 10.0.0.1 300.0.0.1
prints '10.0.0.1  10.0.0.0/8  1'
says "fingerpost: argument 2: '300.0.0.1': an octet is larger than 255 at column 1"
printf 'x\033[31m\n' >addresses
run 3 lookup --table table <addresses
says "fingerpost: stdin:1: 'x\\x1b[31m': unexpected 'x' at column 1"
printf 'x\x9b\xc2\x9b31m\n' >addresses
run 3 lookup --table table <addresses
says "fingerpost: stdin:1: 'x\\x9b\\xc2\\x9b31m': unexpected 'x' at column 1"
printf '10.0.0.0/8 1\n' >$'t\x9b\x01'
run 1 info --table $'t\x9b\x01/x'
says 'fingerpost: t\x9b\x01/x: Not a directory'

# A line that is too long is one bad row: reported once, skipped to its end, also when that is far away.
for size in 65537 100000 3000000; do
    { echo 10.0.0.1 && head -c $size /dev/zero && printf '\n10.0.0.2\nhello\n'; } >addresses
    run 3 lookup --table table --format csv <addresses
    prints 'address,prefix,next_hop
10.0.0.1,10.0.0.0/8,1
10.0.0.2,10.0.0.0/8,1'
    says "fingerpost: stdin:2: the line has more than 65536 bytes
fingerpost: stdin:4: 'hello': unexpected 'h' at column 1"
done
{ echo 10.0.0.1 && head -c 100000 /dev/zero; } >addresses
run 3 lookup --table table <addresses
prints '10.0.0.1  10.0.0.0/8  1'
says 'fingerpost: stdin:2: the line has more than 65536 bytes'

# Of many bad rows the first of each kind are printed, the others counted; all good rows are answered.
{
    for ((i = 0; i < 3000; ++i)); do echo "x$i"; done
    for ((i = 0; i < 7; ++i)); do echo 10.0.0; done
    echo ::1
    echo 10.0.0.9
} >addresses
run 3 lookup --table table <addresses
prints '::1       -           -
10.0.0.9  10.0.0.0/8  1'
[[ $(wc -l <err) == 13 ]] || die "$(wc -l <err) lines about 3007 bad rows"
[[ $(sed -n 6p err) == 'fingerpost: stdin: further rows with an unexpected character are not shown' ]] || die "$(<err)"
[[ $(tail -n 1 err) == \
    'fingerpost: 3007 invalid addresses (2997 not shown: 2 ending too early, 2995 with an unexpected character)' ]] ||
    die "$(<err)"

# Command lines without a meaning.
for arguments in 'nonsense' 'lookup' 'lookup ::1' 'lookup --table table --format xml ::1' \
    'lookup --table table --family 5 10.0.0.1' 'lookup --table table --scheme nonsense 10.0.0.1' \
    'lookup --table table --nonsense 10.0.0.1' 'lookup --table -' 'lookup --table - -' 'lab check --table table --isa mmx' \
    'lab check --table table --scheme planb,nonsense' 'info' 'info --table table --format csv' 'lab generate --shares rrc99' \
    'lab generate --routes 0' 'lab generate --routes many' 'lab generate --family 4 --shares rrc00-25' 'completion' \
    'completion tcsh' 'schemes extra' 'lab bench' 'lab bench nonsense'; do
    # shellcheck disable=SC2086
    run 2 $arguments </dev/null
    prints ''
    [[ $(<err) == 'fingerpost: '* ]] || die "no words for: $arguments"
done

# Without a command, the program prints its help.
run 2
grep -q '^Look up  lookup ' out || die "no help: $(<out)"

# A scheme of one family only has another message than an unknown scheme.
printf '::/0\n' >six
only4=$("$FINGERPOST" schemes --format json | python3 -c 'import json, sys
print(next(s["name"] for s in json.load(sys.stdin) if s["families"] == [4]))')
run 2 lookup --table six --scheme "$only4" ::1
[[ $(<err) == "fingerpost: --scheme: $only4 does not serve IPv6 (see "* ]] || die "said $(<err)"

# A disk that is full.
if [[ -c /dev/full ]]; then
    status=0
    "$FINGERPOST" lookup --table table 10.0.0.1 >/dev/full 2>err || status=$?
    ((status == 1)) || die "exit $status on a full disk"
    says 'fingerpost: stdout: No space left on device'
    run 1 lab generate --routes 10 --output /dev/full
fi
run 1 lab generate --routes 10 --output /no/such/folder/table
says 'fingerpost: /no/such/folder/table: No such file or directory'

finish 45
