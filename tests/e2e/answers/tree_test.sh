#!/usr/bin/env bash
# `tree`: routes within routes and the nodes of schemes, with lines, in any width, and its errors.
. "$(dirname "$0")/../common.sh"
export LC_ALL=C.UTF-8
unset COLUMNS

cat >both <<'END'
0.0.0.0/0 upstream
10.0.0.0/8 core
10.1.0.0/16 north
10.1.2.0/24
172.16.0.0/12 lab
2001:db8::/32 six
2001:db8:1::/48 more
END

run 0 tree both
prints 'IPv4: 5 routes
└─ 0.0.0.0/0          upstream
   ├─ 10.0.0.0/8      core
   │  └─ 10.1.0.0/16  north
   │     └─ 10.1.2.0/24
   └─ 172.16.0.0/12   lab
IPv6: 2 routes
└─ 2001:db8::/32       six
   └─ 2001:db8:1::/48  more'

run 0 tree -t both --ascii --within 10.1.0.0/16
prints 'IPv4: 5 routes
`- 0.0.0.0/0          upstream
   `- 10.0.0.0/8      core
      `- 10.1.0.0/16  north
         `- 10.1.2.0/24'
run 0 tree -t both --within 2001:db8:1::/48
prints 'IPv6: 2 routes
└─ 2001:db8::/32       six
   └─ 2001:db8:1::/48  more'
run 0 tree -t both --family 4 --limit 3
prints 'IPv4: 5 routes
└─ 0.0.0.0/0      upstream
   └─ 10.0.0.0/8  core
... and 3 routes more (see --limit and --within)'

# A locale without UTF-8 gets ASCII lines, a narrow terminal gets lines that fit.
LC_ALL=C run 0 tree both
grep -q '^`- 0.0.0.0/0' out || die "tree in ASCII: $(<out)"
printf '10.0.0.0/8 %0100d\n' 7 >long
COLUMNS=50 run 0 tree long
[[ $(tail -n 1 out | wc -m) -le 51 ]] && grep -q '…$' out || die "tree in 50 columns: $(<out)"

# Values of a CSV file may have any text; escape sequences are shown, not sent to the terminal.
printf 'network,name\n10.0.0.0/8,a\x1b[31mb\n' >odd.csv
run 0 tree odd.csv
grep -q $'\x1b' out && die 'an escape sequence came through'

# Each scheme has as many lines as nodes, behind its head, or says that it shows none.
run 0 schemes --format json
schemes=$(python3 -c 'import json; print(*(s["name"] for s in json.load(open("out")) if 4 in s["families"]))')
[[ $(wc -w <<<"$schemes") -ge 25 ]] || die "only the schemes $schemes"
for scheme in $schemes; do
    "$FINGERPOST" tree -t both --family 4 --scheme "$scheme" --limit 1000000 >out 2>err || {
        grep -q 'does not show its nodes' err || die "tree of $scheme: $(<err)"
        continue
    }
    nodes=$(sed -nE '1s/.*: ([0-9]+) nodes?, .*/\1/p' out)
    [[ -n $nodes && $(wc -l <out) == $((nodes + 1)) ]] || die "tree of $scheme: $nodes nodes, $(wc -l <out) lines"
done

run 0 tree /dev/null
prints 'IPv6: 0 routes'
run 2 tree -t both --within 10.0.0.0/33
says 'fingerpost: --within: prefix length 33 is longer than 32'
run 2 tree -t both --within host
says "fingerpost: --within: unexpected 'h' at column 1"
run 1 tree missing
run 2 tree -t both --scheme nonsense
"$FINGERPOST" tree both | head -n 1 >out
[[ ${PIPESTATUS[0]} == 0 ]] || die 'a closed pipe is no failure'

finish 12
