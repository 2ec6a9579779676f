#!/usr/bin/env bash
# Every kind of wrong call with its whole message and its exit code, as a page to read: a call, its message, its code in
# brackets. Nothing else is printed. Parts that depend on the machine stand in braces.
. "$(dirname "$0")/../common.sh"

printf '10.0.0.0/8 a\n' >table.txt
printf '10.0.0.0/8 a\n::/0 b\n' >both.txt
mkdir bin
ln -s "$FINGERPOST" bin/fingerpost
PATH=$PWD/bin:$PATH

cat >page <<'PAGE'
Commands.

$ fingerpost lokup
fingerpost: unknown command 'lokup'; did you mean lookup?
[2]

$ fingerpost nonsense
fingerpost: unknown command 'nonsense'; see fingerpost --help
[2]

$ fingerpost lab bench
fingerpost: lab bench: missing subcommand: lookup, update
[2]

$ fingerpost bench updates
fingerpost: lab bench: unknown command 'updates'; did you mean update?
[2]

$ fingerpost help lokup
fingerpost: unknown command 'lokup'; did you mean lookup?
[2]

$ fingerpost help lab bench lookup too
fingerpost: help: 'too' is one argument too many
[2]

$ fingerpost schemes extra
fingerpost: schemes: takes no arguments, but there is 'extra'
[2]

$ fingerpost explain -t table.txt
fingerpost: explain: missing ADDRESS
[2]

$ fingerpost explain -t table.txt --scheme planb,nothing 10.1.2.3
fingerpost: --scheme: 'nothing' is unknown (see `fingerpost schemes`)
[2]

$ fingerpost diff table.txt
fingerpost: diff: missing TABLE
[2]

$ fingerpost diff - -
fingerpost: diff: the tables cannot both come from stdin
[2]

$ fingerpost diff --exit-code -o /dev/null table.txt both.txt
fingerpost: IPv4: 0 added, 0 removed, 0 changed, 1 the same
fingerpost: IPv6: 1 added, 0 removed, 0 changed, 0 the same
[4]

$ fingerpost aggregate table.txt nowhere.txt
fingerpost: nowhere.txt: No such file or directory
[1]

$ fingerpost lab report
fingerpost: lab report: missing RESULTS
[2]

$ fingerpost lab report one.json two.json three.json four.json
fingerpost: lab report: 'four.json' is one argument too many
[2]

$ FINGERPOST_EVALUATION=bin fingerpost lab report one.json
fingerpost: FINGERPOST_EVALUATION=bin is not a folder `evaluation` with the package that draws reports
[2]

$ fingerpost lab picture
fingerpost: lab picture: no table; use -t FILE, or set FINGERPOST_TABLE (see `fingerpost help tables`)
[2]

$ fingerpost lab picture table.txt -o tree.gif
fingerpost: --output: 'tree.gif' does not end in .svg, .png or .pdf
[2]

$ fingerpost lab picture table.txt --scheme poptrie,planb,art,bart,lulea
fingerpost: --scheme: 5 schemes are more than 4 panels
[2]

$ fingerpost lab picture table.txt --bits 33
fingerpost: --bits: 33 is more than the 32 of an IPv4 address
[2]

$ fingerpost lab picture both.txt
fingerpost: both.txt has routes of both families; choose one with --family 4 or 6
[1]

$ fingerpost lab picture both.txt --family 6 --angle address
fingerpost: both.txt: 1 route of the other family skipped
fingerpost: --angle address draws all IPv6 routes within a few degrees; use rank
[2]

$ fingerpost lab strides
fingerpost: lab strides: no table; use -t FILE, or set FINGERPOST_TABLE (see `fingerpost help tables`)
[2]

$ fingerpost lab strides -t table.txt --levels 8..2
fingerpost: --levels: '8..2' is not a number from 1 to 32, or a range such as 2..8
[2]

$ fingerpost lab strides -t table.txt --levels two
fingerpost: --levels: 'two' is not a number from 1 to 32, or a range such as 2..8
[2]

$ fingerpost lab strides -t table.txt --levels 2..33
fingerpost: --levels: '2..33' is not a number from 1 to 32, or a range such as 2..8
[2]

$ fingerpost lab strides -t table.txt --widest 0
fingerpost: --widest: '0' is not a whole number from 1 to 32
[2]

$ fingerpost lab strides -t table.txt --at 16,24
fingerpost: --at needs --hash
[2]

$ fingerpost lab strides -t table.txt --hash --at 24,16
fingerpost: --at: the lengths must ascend
[2]

$ fingerpost lab strides -t table.txt --hash --at 1,2,3,4,5,6,7,8
fingerpost: --at: 8 lengths are more than 7
[2]

$ fingerpost lab strides -t table.txt --hash --levels 8
fingerpost: --levels: 8 is more than the 7 levels of --hash
[2]

$ fingerpost convert
fingerpost: convert: no table; use -t FILE, or set FINGERPOST_TABLE (see `fingerpost help tables`)
[2]

$ fingerpost completion
fingerpost: completion: missing SHELL: bash, zsh, fish
[2]

$ fingerpost completion fsh
fingerpost: completion: 'fsh' is not one of bash, zsh, fish; did you mean fish?
[2]

Names of options, and what must follow them.

$ fingerpost lookup --tabel table.txt 10.1.2.3
fingerpost: lookup: unknown option '--tabel'; did you mean --table?
[2]

$ fingerpost lookup -x table.txt 10.1.2.3
fingerpost: lookup: unknown option '-x'; see fingerpost help lookup
[2]

$ fingerpost --table table.txt lookup
fingerpost: unknown option '--table'; see fingerpost --help
[2]

$ fingerpost lookup 10.1.2.3
fingerpost: lookup: no table; use -t FILE, or set FINGERPOST_TABLE (see `fingerpost help tables`)
[2]

$ fingerpost lookup table.txt 10.1.2.3
fingerpost: lookup: no table; did you mean -t table.txt?
[2]

$ fingerpost lookup -t table.txt table.txt 10.1.2.3
fingerpost: argument 1: 'table.txt': unexpected 't' at column 1; did you mean -t table.txt?
10.1.2.3  10.0.0.0/8  a
[3]

$ fingerpost 10.1.2.3
fingerpost: lookup: no table; use -t FILE, or set FINGERPOST_TABLE (see `fingerpost help tables`)
[2]

$ fingerpost lookup 10.1.2.3 --table
fingerpost: --table needs a value: [NAME=]FILE
[2]

$ fingerpost lookup --table --strict 10.1.2.3
fingerpost: --table needs a value: [NAME=]FILE
[2]

$ fingerpost lookup -t '' 10.1.2.3
fingerpost: --table: the value is empty
[2]

$ fingerpost lookup --table= 10.1.2.3
fingerpost: --table: the value is empty
[2]

$ fingerpost lookup -t table.txt --scheme patricia --scheme patricia 10.1.2.3
fingerpost: --scheme is given twice
[2]

$ fingerpost lookup -t a=table.txt -t both.txt 10.1.2.3
fingerpost: --table: either all tables or none have names: write NAME=both.txt
[2]

$ fingerpost lookup -t table.txt --join places.csv 10.1.2.3
fingerpost: --join needs --on
[2]

$ fingerpost lookup -t table.txt --on place --join places.csv 10.1.2.3
fingerpost: --on: must follow a --join
[2]

$ fingerpost lookup -t table.txt --join places.csv --join more.csv --on place 10.1.2.3
fingerpost: --join: --on must follow the --join before
[2]

$ fingerpost lookup -t table.txt --join places.csv --on place= 10.1.2.3
fingerpost: --on: 'place=' is not COLUMN or COLUMN=COLUMN
[2]

$ fingerpost lab bench lookup --batch 1 --batch 8
fingerpost: --batch is given twice; separate the values with commas
[2]

$ fingerpost lookup -t table.txt --strict=yes 10.1.2.3
fingerpost: --strict takes no value, but there is '=yes'
[2]

$ fingerpost lab bench lookup --strict
fingerpost: --strict needs --table
[2]

$ fingerpost lab bench lookup -t table.txt --generate rrc00-25
fingerpost: --generate cannot be used with --table
[2]

Numbers.

$ fingerpost lab generate --routes -5
fingerpost: --routes: '-5' is not a whole number from 1 to 100000000
[2]

$ fingerpost lab generate --routes 1e6
fingerpost: --routes: '1e6' is not a whole number from 1 to 100000000; did you mean 1000000?
[2]

$ fingerpost lab generate --routes 1,000,000
fingerpost: --routes: '1,000,000' is not a whole number from 1 to 100000000; did you mean 1000000?
[2]

$ fingerpost lab generate --routes 5x
fingerpost: --routes: '5x' is not a whole number from 1 to 100000000
[2]

$ fingerpost lab generate --seed -1
fingerpost: --seed: '-1' is not a whole number from 0
[2]

$ fingerpost lab generate --next-hops 4294967296
fingerpost: --next-hops: '4294967296' is not a whole number from 1 to 4294967294
[2]

$ fingerpost lab bench lookup --round-ms nan
fingerpost: --round-ms: 'nan' is not a number from 0.01 to 100000
[2]

$ fingerpost lab bench lookup --batch 1,,8
fingerpost: --batch: '1,,8' has an empty element
[2]

$ fingerpost lab bench lookup --threads 100000
fingerpost: --threads: '100000' is not a whole number from 1 to {cpus}
[2]

$ fingerpost lab bench lookup --generate rrc00-25:many
fingerpost: --generate: 'many' is not a whole number from 1 to 100000000
[2]

Names of things.

$ fingerpost lookup -t table.txt --format xml 10.1.2.3
fingerpost: --format: 'xml' is not one of text, csv, ndjson
[2]

$ fingerpost info -t table.txt --format jsn
fingerpost: --format: 'jsn' is not one of text, json; did you mean json?
[2]

$ fingerpost convert --format cvs rib.mrt
fingerpost: --format: 'cvs' is not one of csv, text, ndjson, mrt, mrt-whole, ipset, nft, nginx-geo, haproxy-map, image; did you mean csv?
[2]

$ fingerpost info -t table.txt --family 5
fingerpost: --family: '5' is not one of 4, 6
[2]

$ fingerpost lookup -t table.txt --scheme plan 10.1.2.3
fingerpost: --scheme: 'plan' is unknown; did you mean planb? (see `fingerpost schemes`)
[2]

$ fingerpost lookup -t table.txt --scheme multibit_fixed:8-8 10.1.2.3
fingerpost: --scheme: multibit_fixed:8-8: strides 8-8 add up to 16 of the 32 bits of an address
[2]

$ fingerpost lab check -t table.txt --scheme multibit_fixed:8-8-8-25
fingerpost: --scheme: multibit_fixed:8-8-8-25: stride '25' is no number from 1 to 24
[2]

$ fingerpost info -t table.txt --scheme multibit_fixed:packed:16-16-8
fingerpost: --scheme: multibit_fixed:packed:16-16-8: strides 16-16-8 go on beyond the 32 bits of an address
[2]

$ fingerpost lookup -t both.txt --scheme dir_24_8 10.1.2.3
fingerpost: --scheme: dir_24_8 does not serve IPv6; use --family 4 to ignore these routes
[2]

$ echo ::/0 | fingerpost lab check -t - --scheme dir_24_8
fingerpost: --scheme: dir_24_8 does not serve IPv6 (see `fingerpost schemes`)
[2]

$ fingerpost lab bench lookup --family 6 --generate :100 --scheme planb,dir_24_8
fingerpost: --scheme: dir_24_8 does not serve IPv6 (see `fingerpost schemes`)
[2]

$ fingerpost lab generate --family 4 --shares rrc00-25
fingerpost: --family: rrc00-25 is a table of IPv6
[2]

$ fingerpost lab check -t table.txt --isa sse
fingerpost: --isa: 'sse' is not one of all, {isas}
[2]

$ fingerpost lab check -t table.txt --scheme planb,patrica
fingerpost: --scheme: 'patrica' is unknown; did you mean patricia? (see `fingerpost schemes`)
[2]

$ fingerpost lab bench lookup --competitors dpkd
fingerpost: --competitors: 'dpkd' is not one of dpdk; did you mean dpdk?
[2]

$ fingerpost bench lookup --contenders dpkd
fingerpost: --competitors: 'dpkd' is not one of dpdk; did you mean dpdk?
[2]

$ fingerpost lab bench lookup --workloads zpif
fingerpost: --workloads: 'zpif' is not one of {workloads}; did you mean zipf?
[2]

$ fingerpost lab bench lookup --input first46
fingerpost: --input: 'first46' is not one of whole, first64, halves; did you mean first64?
[2]

$ fingerpost lab bench lookup --generate rrc00-25:100 --mode latency --input first64
fingerpost: --input needs --mode throughput
[2]

$ fingerpost lab bench lookup -t table.txt --input halves
fingerpost: --input: only IPv6 addresses have halves
[2]

$ fingerpost lab bench lookup --mode latncy
fingerpost: --mode: 'latncy' is not one of throughput, latency; did you mean latency?
[2]

$ fingerpost lab bench lookup --statistic quantil:0.25
fingerpost: --statistic: 'quantil:0.25' is not one of median, best, quantile:SHARE
[2]

$ fingerpost lab bench lookup -t table.txt --scheme planb --baseline nosuch
fingerpost: --baseline: 'nosuch' is not one of planb
[2]

$ fingerpost lab bench lookup --next-hops uniqe
fingerpost: --next-hops: 'uniqe' is not one of unmerged, unique, clustered:N, random:N, file; did you mean unique?
[2]

$ fingerpost lab bench update --policies leftright
fingerpost: --policies: 'leftright' is not one of auto, rebuild, left_right, in_place; did you mean left_right?
[2]

$ fingerpost lab bench update --workloads recorded
fingerpost: --workloads recorded needs --updates
[2]

$ FINGERPOST_ISA=sse fingerpost schemes
fingerpost: FINGERPOST_ISA=sse: this machine has {isas}
[2]

$ FINGERPOST_TUNE=block=64,gathers=yes fingerpost schemes
fingerpost: FINGERPOST_TUNE: 'gathers=yes' is not one of gathers=0|1, block=32|64, prefetch=0|1, direct_gathers=0|1
[2]

Whatever a call holds, what is said of it can be shown.

$ fingerpost $'l\x9b\x01\xe2\x80\xaeo\n'
fingerpost: unknown command 'l\x9b\x01\xe2\x80\xaeo\x0a'; see fingerpost --help
[2]

$ fingerpost info -t table.txt --format "$(printf '%0300d' 0)"
fingerpost: --format: '00000000000000000000000000000000000000000000000000000000000000000000000000000000...' is not one of text, json
[2]

Data: files and addresses.

$ fingerpost lookup -t - -
fingerpost: lookup: the table and the addresses cannot both come from stdin
[2]

$ fingerpost info -t nowhere.txt
fingerpost: nowhere.txt: No such file or directory
[1]

$ fingerpost convert nowhere.mrt
fingerpost: nowhere.mrt: No such file or directory
[1]

$ fingerpost convert --input-format mrt table.txt
fingerpost: table.txt: byte 0: 13 bytes skipped: no record begins here
fingerpost: table.txt: 1 damaged record, 13 bytes skipped
fingerpost: table.txt: the file has no MRT records
[1]

$ fingerpost convert --input-format mrt --columns asn table.txt
fingerpost: convert: options that choose routes, columns or lines do not apply to the rows of an MRT file; use --format ndjson for its table
[2]

$ echo hello | fingerpost convert -
fingerpost: stdin: not a table: no known format begins like 'hello' (see --input-format and `fingerpost help formats`)
[1]

$ printf 'network,asn\n10.0.0.0/8,1\n' | fingerpost info -t - --columns country
fingerpost: stdin:1: no column 'country'; columns: network, asn
[1]

$ fingerpost info -t table.txt --input-format xml
fingerpost: --input-format: 'xml' is not one of auto, text, csv, tsv, json, bgpdump, ip-route, ip-route-json, show-bgp, show-route, bird, ipset, nft, delegated, pyasn, vrps-csv, vrps-json, cloud, frr-route, frr-bgp, mmdb, mrt, image
[2]

$ fingerpost convert --format mrt table.txt
fingerpost: 10.0.0.0/8 'a' cannot be written as MRT: the next hop is not an address that BGP can carry
[1]

$ fingerpost convert --format csv --set a table.txt
fingerpost: --set needs --format ipset, nft or nginx-geo
[2]

$ fingerpost convert --format ipset --nft-table 'inet a' table.txt
fingerpost: --nft-table needs --format nft
[2]

$ fingerpost convert --format nft --nft-table a table.txt
fingerpost: --nft-table: 'a' is not an nftables table: a family and a name, such as 'inet filter'
[2]

$ fingerpost convert --next-hop 192.0.2.1 table.txt
fingerpost: --next-hop needs --format mrt or mrt-whole
[2]

$ fingerpost convert --format mrt --next-hop eth0 table.txt
fingerpost: --next-hop: 'eth0' is not an address
[2]

$ fingerpost convert -o no/such/folder table.txt
fingerpost: no/such/folder: No such file or directory
[1]

$ echo 10/8 | fingerpost info -t -
fingerpost: stdin:1: '10/8': an IPv4 prefix has four octets; write 10.0.0.0/8
[1]

$ fingerpost lab bench lookup -t both.txt
fingerpost: both.txt has routes of both families; choose one with --family 4 or 6
[1]

$ fingerpost lab generate --routes 10 -o no/such/folder
fingerpost: no/such/folder: No such file or directory
[1]

$ fingerpost lookup -t table.txt '[10.1.2.3,10.1.2.4]'
fingerpost: argument 1: '[10.1.2.3,10.1.2.4]': unexpected '[' at column 1
[3]

$ fingerpost lookup -t table.txt 10.1.2.3.4 10.1.2 ''
fingerpost: argument 1: '10.1.2.3.4': unexpected '.' at column 9
fingerpost: argument 2: '10.1.2': the text ends too early
fingerpost: argument 3: there is no address
[3]

$ echo 10.1.x | fingerpost lookup -t table.txt
fingerpost: stdin:1: '10.1.x': unexpected 'x' at column 6
[3]

$ fingerpost lookup -t table.txt --rename prefix 10.1.2.3
fingerpost: --rename: 'prefix' is not OLD=NEW
[2]

$ fingerpost lookup -t table.txt --format csv --rename prefix= 10.1.2.3
fingerpost: --rename: 'prefix=' is not OLD=NEW
[2]

$ fingerpost lookup -t table.txt --format csv --rename prefx=x 10.1.2.3
fingerpost: --rename: no column 'prefx'; columns: address, prefix, next_hop
[2]

$ fingerpost lookup -t table.txt --format csv --rename prefix=next_hop 10.1.2.3
fingerpost: two columns would be called 'next_hop': the command's own and column 1 of the table; rename the first with --rename next_hop=NAME
[2]

$ fingerpost lookup -t table.txt --rename prefix=net 10.1.2.3
fingerpost: --rename has no effect with --format text
[2]

$ echo 10.1.2.3 | fingerpost enrich -t table.txt --format lines --rename prefix=net
fingerpost: --rename: these rows are written without names
[2]

$ echo '{"ip":""}' | fingerpost enrich -t table.txt --field ip --format ndjson --rename net=prefix
fingerpost: --rename: no column 'net'; columns: prefix, next_hop
[2]

$ printf 'ip,a,a\n' | fingerpost enrich -t table.txt --format csv --field ip
fingerpost: the rows have two columns 'a'; --rename 2=NAME renames the first
[2]

$ printf 'ip,prefix\n' | fingerpost enrich -t table.txt --format csv --field ip
fingerpost: the rows already have a column 'prefix'; --rename prefix=NAME renames the added one, --rename 2=NAME that of the rows
[2]

$ printf 'ip,ip\n' | fingerpost enrich -t table.txt --format csv --field ip
fingerpost: --field: two columns are called 'ip'; use the number of one
[2]

$ echo | fingerpost enrich -t table.txt --format csv --field ip --nest a
fingerpost: --nest does not apply to csv
[2]

$ echo | fingerpost enrich -t table.txt --format ndjson --field ip --nest 'a[0]'
fingerpost: --nest: 'a[0]' is not a path of names such as a.b
[2]

$ echo | fingerpost enrich -t table.txt --format ndjson --field ip --nest a --columns ''
fingerpost: --nest: there is nothing to nest with --columns ''
[2]

$ echo | fingerpost enrich -t table.txt --format ndjson --field 'flows[].'
fingerpost: --field: 'flows[].' is not a path such as a.b, a[0].b or a[].b
[2]

$ echo | fingerpost enrich -t table.txt --format lines --where next_hop
fingerpost: --where: 'next_hop' is not COLUMN=VALUE
[2]

$ echo | fingerpost enrich -t table.txt --format lines --where asn=1
fingerpost: --where: no column 'asn'; columns: address, prefix, next_hop
[2]

$ echo | fingerpost enrich -t table.txt --format lines --where next_hop=a --on-miss only
fingerpost: --where: cannot be used with --on-miss only, whose rows have no answers
[2]

$ echo | fingerpost enrich -t table.txt --format lines --count-by next_hop --columns prefix
fingerpost: --count-by cannot be used with --columns
[2]

$ echo | fingerpost enrich -t table.txt --format lines --limit 3
fingerpost: --limit needs --count-by
[2]

$ echo | fingerpost enrich -t table.txt --format lines --limit 0 --count-by next_hop
fingerpost: --limit: '0' is not a whole number from 1
[2]

$ echo 10.0.0.1 | fingerpost enrich -t table.txt --format lines -o nowhere/out.gz
fingerpost: nowhere/out.gz: No such file or directory
[1]

Serving.

$ fingerpost serve
fingerpost: serve: no table; use -t FILE, or set FINGERPOST_TABLE (see `fingerpost help tables`)
[2]

$ fingerpost serve -t table.txt --http everywhere
fingerpost: --http: 'everywhere' is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080
[2]

$ fingerpost serve -t table.txt --http 127.0.0.1:99999
fingerpost: --http: '127.0.0.1:99999' is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080
[2]

$ fingerpost serve -t table.txt --max-body 1M
fingerpost: --max-body: '1M' is not a whole number from 1 to 1073741824
[2]

$ fingerpost serve -t table.txt --socket table.txt
fingerpost: table.txt: generation 1, 1 IPv4 and 0 IPv6 routes
fingerpost: --socket table.txt: it exists and is not a socket
[1]

$ fingerpost serve -t table.txt --socket xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
fingerpost: table.txt: generation 1, 1 IPv4 and 0 IPv6 routes
fingerpost: --socket xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: the path of a socket has 1 to 107 bytes
[1]

$ fingerpost serve -t bin
fingerpost: bin: is a directory
[1]

$ fingerpost serve --config bin
fingerpost: bin: is a directory
[2]

$ fingerpost serve -t table.txt --access-log bin
fingerpost: --access-log: bin: Is a directory
[1]

$ fingerpost serve -t table.txt --access-log-format json
fingerpost: --access-log-format needs --access-log
[2]

$ fingerpost serve -t table.txt --log-level loud
fingerpost: --log-level: 'loud' is not one of error, warning, info, debug
[2]
PAGE

cat >judge.py <<'END'
import os, re, subprocess, sys

def said(*call):
    return subprocess.run(["fingerpost", *call], capture_output=True, text=True, check=True).stdout

isas = re.search(r"available: (.*)\)", said("--version"))[1]
workloads = re.search(r"^Workloads:\n((?:  .*\n)*)", said("help", "lab", "bench", "lookup"), re.M)[1]
values = {
    "isas": isas,
    "workloads": ", ".join(re.findall(r"^  (\w+) ", workloads, re.M)),
    "cpus": str(len(os.sched_getaffinity(0))),
}
page = open("page", encoding="utf-8").read()
page = re.sub(r"\{(\w+)\}", lambda name: values[name[1]], page)
calls = re.findall(r"^\$ (.*)\n((?:.*\n)*?)\[(\d)\]$", page, re.M)
if len(calls) != page.count("\n$ "):
    sys.exit("the page has calls without a code")
for call, words, code in calls:
    # A call that fails in a pipe is the last call of it.
    done = subprocess.run(["bash", "-c", call], capture_output=True, stdin=subprocess.DEVNULL)
    if (done.returncode, done.stdout, done.stderr.decode()) != (int(code), b"", words):
        sys.exit(f"$ {call}\n{done.stderr.decode()}{done.stdout.decode()}[{done.returncode}]\ninstead of\n{words}[{code}]")
print(len(calls))
END
python3 judge.py >count || die 'a call says something else'
cases=$(<count)

finish 50
