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
run 0 grep -v -c table log
prints 4
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
run 0 grep -t table -t more log log
prints '10.1.2.3 GET /
from 9.9.9.9 to [2001:db8::1]:443
192.0.2.1:80 ok
10.1.2.3 GET /
from 9.9.9.9 to [2001:db8::1]:443
192.0.2.1:80 ok'
# Rows of CSV stand under their header, and fields are chosen as enrich does.
printf 'time,src,dst\n1,10.1.2.3,8.8.8.8\n2,8.8.4.4,10.0.0.1\n' >flows.csv
run 0 grep --field src table flows.csv
prints 'time,src,dst
1,10.1.2.3,8.8.8.8'
run 0 grep --json-field a.ip table <<<$'{"a":{"ip":"10.1.2.3"}}\n{"a":{"ip":"8.8.8.8"}}'
prints '{"a":{"ip":"10.1.2.3"}}'
# The first address ends -q, also of a pipe that never ends.
run 0 grep -q table < <(yes 10.1.2.3)
gzip -k log
run 0 grep -c table log.gz
prints 2

run 2 grep
says 'fingerpost: grep: TABLE is missing: a file, or networks such as 10.0.0.0/8,2001:db8::/32'
run 2 grep -q -c table log
run 2 grep - <table
says 'fingerpost: grep: the table and the lines cannot both come from stdin'
run 1 grep no-such-table log
says 'fingerpost: no-such-table: No such file or directory'
run 1 grep table no-such-log
says 'fingerpost: no-such-log: No such file or directory'
: >empty
run 1 grep table empty
prints ''

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
run 2 convert --where as=1 as.csv
says "fingerpost: --where: no column 'as'; columns: asn, name"
run 2 convert --where asn as.csv
says "fingerpost: --where: 'asn' is not COLUMN=VALUE"
finish 30
