#!/usr/bin/env bash
# Selects lines by whether an address in them is in a table, as grepcidr does, and routes by their values.
. "$(dirname "$0")/../common.sh"

printf '10.0.0.0/8 inside\n10.1.0.0/16 lab\n2001:db8::/32 six\n' >table
cat >log <<'END'
10.1.2.3 GET /
8.8.8.8 GET /a
no address here
from 9.9.9.9 to [2001:db8::1]:443

192.0.2.1:80 ok
END

run 0 grep table log
prints '10.1.2.3 GET /
from 9.9.9.9 to [2001:db8::1]:443'
says ''
run 0 grep -v table log
prints '8.8.8.8 GET /a
no address here

192.0.2.1:80 ok'
run 0 grep -c table log
prints 2
run 0 grep -vc table log
prints 4
run 2 grep -vx table log
says "fingerpost: grep: unknown option '-x'; see fingerpost help grep"
run 0 grep -q table log
prints ''
run 1 grep -q 11.0.0.0/8 log
prints ''
run 1 grep -c 11.0.0.0/8 log
prints 0
run 1 grep 11.0.0.0/8 log
prints ''
# Networks in the place of a table.
run 0 grep 2001:db8::/48,192.0.2.1 log
prints 'from 9.9.9.9 to [2001:db8::1]:443
192.0.2.1:80 ok'
run 0 grep 8.0.0.0/7 - <log
prints '8.8.8.8 GET /a
from 9.9.9.9 to [2001:db8::1]:443'
run 0 grep 8.8.0.0/16 <log
prints '8.8.8.8 GET /a'
# All addresses of a line count, and the help says so.
run 0 grep --help
[[ $(tr -s ' \n' ' ' <out) == *' --which '*'(default: all)'* ]] || die "the help: $(<out)"
run 0 grep 9.9.9.9,2001:db8::/32 log
prints 'from 9.9.9.9 to [2001:db8::1]:443'
run 0 grep --which last 9.9.9.9,2001:db8::/32 log
prints 'from 9.9.9.9 to [2001:db8::1]:443'
run 1 grep --which last 9.9.9.9 log
prints ''
# Only the first address of a line; lines that are an address each.
run 0 grep --which first 2001:db8::/32,8.8.8.8 log
prints '8.8.8.8 GET /a'
run 0 grep --format lines table <<<$'10.9.9.9\n8.8.8.8'
prints 10.9.9.9
# Tables by option: then all arguments are files.
printf '192.0.2.0/24\n' >more
run 0 grep --no-filename -t table -t more log log
prints '10.1.2.3 GET /
from 9.9.9.9 to [2001:db8::1]:443
192.0.2.1:80 ok
10.1.2.3 GET /
from 9.9.9.9 to [2001:db8::1]:443
192.0.2.1:80 ok'
# Numbers of lines, also where blocks cut the file, and the addresses alone.
run 0 grep -n table log
prints '1:10.1.2.3 GET /
4:from 9.9.9.9 to [2001:db8::1]:443'
FINGERPOST_ENRICH_BLOCK=7 run 0 grep -n --invert-match table log
prints '2:8.8.8.8 GET /a
3:no address here
5:
6:192.0.2.1:80 ok'
run 0 grep -o table log
prints '10.1.2.3
2001:db8::1'
run 0 grep --only-matching -v table log
prints '8.8.8.8
192.0.2.1'
run 0 grep -o 8.0.0.0/7 <<<$'a ::FFFF:8.8.8.8 b 9.9.9.9:53 10.0.0.1\r\n'
prints '8.8.8.8
9.9.9.9'
# The names of several files, as grep prints them; files without rows are there too.
printf '8.8.4.4\n10.7.7.7 no end' >other
: >empty
run 0 grep table log other empty
prints 'log:10.1.2.3 GET /
log:from 9.9.9.9 to [2001:db8::1]:443
other:10.7.7.7 no end'
run 0 grep --no-filename table other log
prints '10.7.7.7 no end
10.1.2.3 GET /
from 9.9.9.9 to [2001:db8::1]:443'
run 0 grep -n -o table log - <other
prints 'log:1:10.1.2.3
log:4:2001:db8::1
stdin:2:10.7.7.7'
run 0 grep -H table other
prints 'other:10.7.7.7 no end'
run 0 grep -c table log other empty
prints 'log:2
other:1
empty:0'
run 0 grep -c --no-filename table log other
prints '2
1'
run 0 grep -c -H -v table other
prints other:1
run 0 grep -l table empty log other
prints 'log
other'
run 0 grep -l -v 8.8.4.4,10.7.7.7 log other
prints log
run 1 grep --files-with-matches 11.0.0.0/8 log other
prints ''
run 2 grep -l -c table log
run 2 grep -H --no-filename table log
# A wrong row of one file counts, whatever the others have; the last file is read all the same.
printf 'src\nwhat\n10.1.1.1\n' >bad.csv
run 3 grep --field src table bad.csv bad.csv
prints 'bad.csv:10.1.1.1
bad.csv:10.1.1.1'
# Numbered rows stand without the header and the brackets around them.
printf 'src,"of\ntwo lines"\n10.1.2.3,a\n8.8.8.8,b\n10.0.0.1,"c\nd"\n10.0.0.2,e\n' >rows.csv
run 0 grep -n --field src --format csv table rows.csv
prints '3:10.1.2.3,a
5:10.0.0.1,"c
d"
7:10.0.0.2,e'
run 0 grep -o --field src --format csv table rows.csv
prints '10.1.2.3
10.0.0.1
10.0.0.2'
run 0 grep -c --field src --format csv table rows.csv
prints 3
printf '[{"ip": "10.1.2.3"},\n {"ip": "8.8.8.8"}, {"ip":\n"10.0.0.1"}]\n' >rows.json
run 0 grep -n --field ip --format json table rows.json
prints '1:{"ip": "10.1.2.3"}
2:{"ip":
"10.0.0.1"}'

# Rows of CSV stand under their header, and fields are chosen as enrich does.
printf 'time,src,dst\n1,10.1.2.3,8.8.8.8\n2,8.8.4.4,10.0.0.1\n' >flows.csv
run 0 grep --field src table flows.csv
prints 'time,src,dst
1,10.1.2.3,8.8.8.8'
run 0 grep --field a.ip table <<<$'{"a":{"ip":"10.1.2.3"}}\n{"a":{"ip":"8.8.8.8"}}'
prints '{"a":{"ip":"10.1.2.3"}}'
# A log has no fields, also when a browser's name has a comma.
echo '10.1.2.3 - - [1/Jan/2026] "GET / HTTP/1.1" 200 7 "-" "Mozilla/5.0 (KHTML, like Gecko)"' >browser.log
for command in 'enrich -t' grep; do
    for field in client 1; do
        # shellcheck disable=SC2086
        run 2 $command table -f $field browser.log
        says 'fingerpost: --field does not apply to log lines; leave it out (--which or --regex chooses the address), or give the format of browser.log with --format'
    done
done
run 0 grep -f 1 --format columns --no-header --no-quotes table browser.log
# The first address ends -q, also of a pipe that never ends.
run 0 grep -q table < <(yes 10.1.2.3)
gzip -k log
run 0 grep -c table log.gz
prints 2

# What chooses values is not among the options.
for option in --log-style=pairs --value=v --type=v=text --aliases; do
    run 2 grep "$option" table log
done
run 2 grep
says 'fingerpost: grep: no networks; give a file, or a list such as 10.0.0.0/8,2001:db8::/32'
run 2 grep -q -c table log
run 2 grep - <table
says 'fingerpost: grep: the table and the lines cannot both come from stdin'
run 2 grep 10.0.0.0/33 log
says "fingerpost: '10.0.0.0/33' is neither a file nor a list of networks: prefix length 33 is longer than 32"
run 2 grep 10.0.0.0/8,192.0.2.x log
says "fingerpost: '10.0.0.0/8,192.0.2.x' is neither a file nor a list of networks: '192.0.2.x': unexpected 'x' at column 9"
run 2 grep 10.0.0.0/8, log
says "fingerpost: '10.0.0.0/8,' is neither a file nor a list of networks: an empty element in the list"
run 2 grep 10.0.0.1-10.0.0.9 log
run 0 grep '10.1.0.0/16, 192.0.2.1' log
prints '10.1.2.3 GET /
192.0.2.1:80 ok'
printf '10.1.2.3\n' >10.0.0.0
run 0 grep table 10.0.0.0
run 1 grep no-such-table log
says 'fingerpost: no-such-table: No such file or directory'
run 1 grep table no-such-log
says 'fingerpost: no-such-log: No such file or directory'
run 1 grep table empty
prints ''
# A file that cannot be read does not end the search. The exit code counts it, but -q ends at the first match.
printf '\x1f\x8b\x08damaged' >damaged.gz
for names in -H --no-filename; do
    run 1 grep $names table other no-such-log damaged.gz . other
    [[ $(grep -c '10.7.7.7 no end$' out) == 2 ]] || die "$names: $(<out)"
    [[ $(wc -l <err) == 3 && $(head -n 1 err) == 'fingerpost: no-such-log: No such file or directory' ]] || die "$names: $(<err)"
done
run 1 grep -c table no-such-log other
prints other:1
run 1 grep -l table no-such-log other
prints other
run 0 grep -q table no-such-log other

# The routes with a value.
printf 'network,asn,name\n10.0.0.0/8,1,a\n10.1.0.0/16,2,"b, c"\n2001:db8::/32,1,\n' >as.csv
run 0 convert --where asn=1 as.csv
prints 'prefix,asn,name
10.0.0.0/8,1,a
2001:db8::/32,1,'
run 0 convert --where asn!=1 --format ndjson as.csv
prints '{"prefix":"10.1.0.0/16","asn":2,"name":"b, c"}'
run 0 convert --where asn=1 --where name= as.csv
prints 'prefix,asn,name
2001:db8::/32,1,'
run 0 convert --where asn=3 as.csv
prints 'prefix,asn,name'
says 'fingerpost: --where: no route matches'
run 2 convert --where as=1 as.csv
says "fingerpost: --where: no column 'as'; columns: asn, name"
run 2 convert --where asn as.csv
says "fingerpost: --where: 'asn' is not COLUMN=VALUE"
finish 60
