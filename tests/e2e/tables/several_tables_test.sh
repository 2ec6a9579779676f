#!/usr/bin/env bash
# Several tables, columns of other files, and the default table.
. "$(dirname "$0")/../common.sh"

printf 'network,id\n10.0.0.0/8,7\n10.1.0.0/16,9\n' >v4.csv
printf 'network,id\n2001:db8::/32,8\n' >v6.csv
printf 'id,locale,name\n7,en,"Atlantis, Inc"\n8,en,Mu\n' >places.csv
printf '10.0.0.0/8 64500\n10.2.0.0/16 64501\n' >bgp.txt

# Files without names are one table, also when each has one family.
run 0 lookup -t v4.csv -t v6.csv --format csv 10.1.2.3 2001:db8::1
prints 'address,prefix,id
10.1.2.3,10.1.0.0/16,9
2001:db8::1,2001:db8::/32,8'

run 0 enrich -t v4.csv -t v6.csv --format lines <<<2001:db8::1
prints $'2001:db8::1\t2001:db8::/32\t8'
# Other columns are another table, which needs a name; an empty file has none.
cp bgp.txt 'my bgp.v4.txt'
for command in 'lookup -t v4.csv -t my*txt 10.0.0.1' 'enrich -t v4.csv -t my*txt --format lines' 'convert v4.csv my*txt'; do
    words=()
    for word in $command; do words+=("${word/my\*txt/my bgp.v4.txt}"); done
    run 1 "${words[@]}" </dev/null
    grep -qxF 'fingerpost: v4.csv has the columns id, but my bgp.v4.txt has next_hop; name the tables to keep both: -t v4=v4.csv -t my_bgp=my bgp.v4.txt' err || die "$command: $(<err)"
done
run 2 enrich -t v4.csv -t bgp=bgp.txt --format lines </dev/null
says "fingerpost: --table: either all tables or none have names: write NAME=v4.csv"
printf 'id,network\n3,10.3.0.0/16\n' >other-order.csv
run 0 lookup -t v4.csv -t other-order.csv -t /dev/null --columns id --format csv 10.3.0.1
prints 'address,prefix,id
10.3.0.1,10.3.0.0/16,3'
# Lines with an address from networks of any file, whatever columns these have.
run 0 grep -t v4.csv -t bgp.txt <<<$'10.1.0.1\n10.2.0.1\n11.0.0.1'
prints $'10.1.0.1\n10.2.0.1'

# Each name is a table of its own, and files of one name are one.
run 0 lookup -t geo=v4.csv -t bgp=bgp.txt -t geo=v6.csv --format csv 10.1.2.3 10.2.0.0 2001:db8::1 192.0.2.1
prints 'address,prefix,geo_prefix,geo_id,bgp_prefix,bgp_next_hop
10.1.2.3,10.1.0.0/16,10.1.0.0/16,9,10.0.0.0/8,64500
10.2.0.0,10.2.0.0/16,10.0.0.0/8,7,10.2.0.0/16,64501
2001:db8::1,2001:db8::/32,2001:db8::/32,8,,
192.0.2.1,,,,,'
run 0 lookup -t geo=v4.csv --format csv 10.1.2.3
prints 'address,prefix,id
10.1.2.3,10.1.0.0/16,9'
run 0 image save -t geo=v4.csv -t bgp=bgp.txt both.image
run 0 lookup -t both.image --format csv 10.2.0.0
prints 'address,prefix,geo_prefix,geo_id,bgp_prefix,bgp_next_hop
10.2.0.0,10.2.0.0/16,10.0.0.0/8,7,10.2.0.0/16,64501'
run 0 explain -t geo=v4.csv -t bgp=bgp.txt --format json 10.2.0.0
grep -q 64501 out || die "explain: $(<out)"
# `./` in front makes a file of what looks like a name.
cp bgp.txt a=b
run 0 lookup -t ./a=b 10.2.0.0
prints '10.2.0.0  10.2.0.0/16  64501'

# Columns of a file. A key that is missing there gives empty ones; a name that the table has is made longer.
run 0 lookup -t v4.csv -t v6.csv --join places.csv --on id --format csv 10.0.0.1 10.1.2.3 2001:db8::1
prints 'address,prefix,id,locale,name
10.0.0.1,10.0.0.0/8,7,en,"Atlantis, Inc"
10.1.2.3,10.1.0.0/16,9,,
2001:db8::1,2001:db8::/32,8,en,Mu'
sed 's/^id/number/' places.csv >numbers.csv
run 0 lookup -t v4.csv --join places.csv --on id --join numbers.csv --on id=number --format csv 10.0.0.1
prints 'address,prefix,id,locale,name,id_locale,id_name
10.0.0.1,10.0.0.0/8,7,en,"Atlantis, Inc",en,"Atlantis, Inc"'
run 0 lookup -t v4.csv --join places.csv --on id --columns name --format csv 10.0.0.1
prints 'address,prefix,name
10.0.0.1,10.0.0.0/8,"Atlantis, Inc"'
run 0 lookup -t geo=v4.csv -t bgp=bgp.txt --join places.csv --on id --format csv 10.2.0.0
prints 'address,prefix,geo_prefix,geo_id,geo_locale,geo_name,bgp_prefix,bgp_next_hop
10.2.0.0,10.2.0.0/16,10.0.0.0/8,7,en,"Atlantis, Inc",10.2.0.0/16,64501'
gzip -k places.csv
run 0 enrich -t geo=v4.csv -t geo=v6.csv -t bgp=bgp.txt --join places.csv.gz --on id --format lines --columns name,next_hop <<<10.0.0.1
prints $'10.0.0.1\tAtlantis, Inc\t64500'
run 1 lookup -t bgp.txt --join places.csv --on id 10.0.0.1
says "fingerpost: --on: no table has a column 'id'"
run 1 lookup -t bgp.txt --join places.csv --on code 10.0.0.1
says "fingerpost: places.csv:1: no column 'code'; columns: id, locale, name"
printf '7,de,Atlantis\n' >>places.csv
run 1 lookup -t v4.csv --join places.csv --on id 10.0.0.1
grep -qF "fingerpost: places.csv:4: '7': line 2 has this id too" err || die "twice: $(<err)"

# The default table: the environment goes before the configuration, and --table before both.
FINGERPOST_TABLE=bgp.txt run 0 10.2.0.0
prints '10.2.0.0  10.2.0.0/16  64501'
FINGERPOST_TABLE=bgp.txt run 0 10.2.0.0/16 --match exact --format csv
prints 'address,prefix,next_hop
10.2.0.0/16,10.2.0.0/16,64501'
mkdir -p config/fingerpost
printf 'table = ["geo=v4.csv", "geo=v6.csv"]\njoin = "numbers.csv"\non = "id=number"\n' >config/fingerpost/config.toml
run 0 2001:db8::1 --format csv
prints 'address,prefix,id,locale,name
2001:db8::1,2001:db8::/32,8,en,Mu'
FINGERPOST_TABLE=bgp.txt run 0 10.2.0.0
prints '10.2.0.0  10.2.0.0/16  64501'
run 0 lookup -t bgp.txt 10.2.0.0
prints '10.2.0.0  10.2.0.0/16  64501'
run 0 enrich --format lines --columns name <<<10.0.0.1
prints $'10.0.0.1\tAtlantis, Inc'
for wrong in 'tabel = "a"' 'table = 3' 'table = ""' 'table = ["a", 3]'; do
    echo "$wrong" >config/fingerpost/config.toml
    run 2 10.0.0.1
    grep -q '/config/fingerpost/config.toml:1: ' err || die "$wrong: $(<err)"
done
printf 'table = "v4.csv"\njoin = "places.csv"\n' >config/fingerpost/config.toml
run 2 10.0.0.1
grep -q 'join has 1 values and on has 0' err || die "join without on: $(<err)"

finish 33
