#!/usr/bin/env bash
# Runs generate, info, check, schemes and completion on small tables and judges what they print.
. "$(dirname "$0")/common.sh"

# generate: as many routes as asked for, the same for a seed, another for another.
run 0 generate --routes 5000 --seed 7 --next-hops 9
mv out first
[[ $(wc -l <first) == 5000 && $(cut -d' ' -f2 first | sort -u | wc -l) -le 9 ]] || die 'generate: wrong size'
run 0 generate --routes 5000 --seed 7 --next-hops 9 --output again
prints ''
cmp -s first again || die 'generate: a seed gave two tables'
run 0 generate --routes 5000 --seed 8 --next-hops 9
cmp -s first out && die 'generate: two seeds gave one table'
run 0 generate --routes 5000 --model uniform
run 0 generate --shares tier1-v4 --routes 300
grep -vqE '^[0-9.]+/[0-9]+ [0-9]+$' out && die 'generate: no IPv4 table'
run 0 generate
[[ $(wc -l <out) == 235466 ]] || die "generate: $(wc -l <out) routes by default"

# info, exactly.
printf '10.0.0.0/8 a\n10.0.0.0/9 a\n10.1.0.0/16 b\n10.1.0.0/16 c\n11.0.0.1/8 a\n' >small
run 0 info --table small --format json
python3 - out <<'END' || die "info: $(<out)"
import json, sys
info = json.load(open(sys.argv[1]))
memory = info.pop("memory")
assert info == {"table": "small", "family": 4, "routes": 4, "next_hops": 3, "lines": 5, "duplicates": 1, "masked": 1,
                "other_family": 0, "boundaries": 7, "intervals": 5, "lengths": {"8": 2, "9": 1, "16": 1},
                "nesting": {"1": 2, "2": 1, "3": 1}}, info
assert len(memory) >= 5 and all(bytes > 0 for bytes in memory.values()), memory
END
run 0 info --table small
grep -q '^routes  *4 (IPv4)$' out && grep -q '^lengths  */8 ' out && grep -q '^memory ' out || die "info: $(<out)"
run 0 info --table /dev/null
run 0 info --table /dev/null --format json
python3 -m json.tool out >/dev/null || die 'info of an empty table is no JSON'

# check: every scheme, those with kernels once an instruction set; the empty table and the one that is all default.
printf '::/0 x\n' >default
for table in small first /dev/null default; do
    run 0 check --table "$table"
    tail -n 1 out | grep -qE '^all [1-9][0-9]* answers right$' || die "check $table: $(<out)"
    for scheme in $("$FINGERPOST" schemes | grep -oE '^[a-z0-9_]+'); do
        grep -q "^$scheme " out || grep -q 'IPv6' out || die "check $table left out $scheme"
    done
done
run 0 check --table small --schemes planb --isa scalar
[[ $(grep -c right out) == 2 ]] || die "check of one scheme: $(<out)"

# schemes: one default, and all that the issue asks for.
run 0 schemes --format json
python3 - out <<'END' || die "schemes: $(<out)"
import json, sys
schemes = json.load(open(sys.argv[1]))
assert sum(s["default"] for s in schemes) == 1
assert len({s["name"] for s in schemes}) == len(schemes) >= 5
for s in schemes:
    assert s["name"] and s["summary"] and s["paper"] and isinstance(s["limits"], str), s
    assert s["families"] in ([4], [6], [4, 6]), s
END
run 0 schemes
[[ $(grep -c '(default)' out) == 1 ]] || die 'schemes: not one default'

# completion: bash completes commands, options, values and files.
run 0 completion bash
cp out completion.bash
completes() {
    bash --norc -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fingerpost; echo "${COMPREPLY[*]}"' \
        bash fingerpost "${@:2}" >completed
    [[ " $(<completed) " == *" $1 "* ]] || die "completion of '${*:2}' is '$(<completed)', without '$1'"
    cases=$((cases + 1))
}
completes lookup lo
completes --table lookup --t
completes ndjson lookup --table small --format nd
completes small lookup --table sma
completes planb check --schemes pla
completes lookup bench ''
for shell in zsh fish; do
    run 0 completion "$shell"
    grep -q ndjson out || die "completion for $shell is too small"
    if command -v "$shell" >/dev/null; then "$shell" -n out || die "$shell does not read its completion"; fi
done

# Help is on stdout and succeeds, for every command.
for arguments in --help 'lookup --help' 'info --help' 'check --help' 'generate --help' 'schemes --help' 'bench --help' \
    'bench lookup --help' 'completion --help'; do
    # shellcheck disable=SC2086
    run 0 $arguments
    grep -q Usage out || die "no help for $arguments"
    says ''
done

finish 35
