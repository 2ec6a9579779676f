#!/usr/bin/env bash
# Runs generate, info, check, schemes and completion on small tables and judges their output.
. "$(dirname "$0")/../common.sh"

# generate: as many routes as wanted, the same for the same seed, others for another seed.
run 0 lab generate --routes 5000 --seed 7 --next-hops 9
mv out first
[[ $(wc -l <first) == 5000 && $(cut -d' ' -f2 first | sort -u | wc -l) -le 9 ]] || die 'generate: wrong size'
run 0 lab generate --routes 5000 --seed 7 --next-hops 9 --output again
prints ''
cmp -s first again || die 'generate: a seed gave two tables'
run 0 lab generate --routes 5000 --seed 8 --next-hops 9
cmp -s first out && die 'generate: two seeds gave one table'
run 0 lab generate --routes 5000 --model uniform
run 0 lab generate --shares tier1-v4 --routes 300
grep -vqE '^[0-9.]+/[0-9]+ [0-9]+$' out && die 'generate: no IPv4 table'
run 0 lab generate
[[ $(wc -l <out) == 235466 ]] || die "generate: $(wc -l <out) routes by default"

# info, exactly; b is the next hop of a route that another one replaced, so it is not in use.
printf '10.0.0.0/8 a\n10.0.0.0/9 a\n10.1.0.0/16 b\n10.1.0.0/16 c\n11.0.0.1/8 a\n' >small
run 0 info --table small --format json
python3 - out <<'END' || die "info: $(<out)"
import json, sys
info = json.load(open(sys.argv[1]))
memory = info.pop("memory")
assert info == {"table": "small", "family": 4, "routes": 4, "next_hops": 2, "columns": ["next_hop"], "lines": 5, "duplicates": 1, "masked": 1,
                "other_family": 0, "boundaries": 7, "intervals": 5, "lengths": {"8": 2, "9": 1, "16": 1},
                "nesting": {"1": 2, "2": 1, "3": 1}}, info
assert list(memory) == ["packed_leaves"] and memory["packed_leaves"] > 0, memory
END
run 0 info --table small --scheme all --format json
[[ $(python3 -c 'import json; print(len(json.load(open("out"))["memory"]))') -gt 1 ]] || die "info of all schemes: $(<out)"
run 0 info --table small
grep -q '^routes  *4 (IPv4)$' out && grep -q '^lengths  */8 ' out && grep -q '^memory ' out || die "info: $(<out)"
printf '10.0.0.0/8 a\n::/0 b\n2001:db8::/32 c\n' >both
run 0 info --table both --format json
python3 - out <<'END' || die "info of both families: $(<out)"
import json, sys
four, six = json.load(open(sys.argv[1]))
assert (four["family"], four["routes"], four["next_hops"]) == (4, 1, 1), four
assert (six["family"], six["routes"], six["next_hops"]) == (6, 2, 2), six
END
run 0 info --table both
[[ $(grep -c '^routes ' out) == 2 ]] || die "info of both families: $(<out)"
run 0 lab check --table both
[[ $(grep -c '^all [1-9][0-9]* answers correct$' out) == 2 ]] || die "check of both families: $(<out)"
run 0 info --table /dev/null
run 0 info --table /dev/null --format json
python3 -m json.tool out >/dev/null || die 'info of an empty table is no JSON'

schemes_for() {
    "$FINGERPOST" schemes --format json |
        python3 -c 'import json, sys; print(*(s["name"] for s in json.load(sys.stdin) if int(sys.argv[1]) in s["families"]))' "$1"
}
# check: every scheme, those with kernels once for each instruction set; the empty table and one with only a default
# route.
printf '::/0 x\n' >default
head -n $(is_all && echo 5000 || echo 500) first >part
for table in small part /dev/null default; do
    run 0 lab check --table "$table"
    tail -n 1 out | grep -qE '^all [1-9][0-9]* answers correct$' || die "check $table: $(<out)"
    for family in 4 6; do
        grep -q " of IPv$family, " out || continue
        for scheme in $(schemes_for "$family"); do
            grep -q "^$scheme " out || die "check $table left out $scheme"
        done
    done
done
run 0 lab check --table small --scheme planb --isa scalar
[[ $(grep -c correct out) == 2 ]] || die "check of one scheme: $(<out)"

# schemes: one default, and all fields.
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
completes planb lab check --scheme pla
completes lookup lab bench ''
completes bench lab ''
completes lookup help ''
completes tables help ''
# The options of a command below another are its own; a short name is one too.
completes --rounds lab bench lookup --
completes --policies lab bench update --
lacks() {
    bash --norc -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fingerpost; echo "${COMPREPLY[*]}"' \
        bash fingerpost "${@:2}" >completed
    [[ " $(<completed) " != *" $1 "* ]] || die "completion of '${*:2}' is '$(<completed)', with '$1'"
    cases=$((cases + 1))
}
lacks --policies lab bench lookup --
lacks --baseline lab bench update --
lacks --table lab bench --
lacks --help lab generate --seed ''
completes small info -t sma
# Values of every kind, also behind a comma and behind `=`, which is a word of its own to bash.
completes zsh completion z
completes churn lab bench update --workloads ch
completes zipf lab bench lookup --workloads z
completes latency lab bench lookup --mode l
completes auto lab bench lookup --isa a
completes scalar lab check --isa sc
completes dpdk lab bench lookup --competitors d
completes in_place lab bench update --policies in
completes clustered lab generate --model cl
completes rrc00-25 lab generate --shares rrc00-2
completes amortised lab bench update --experiment a
completes planb,patricia lab check --scheme planb,pat
completes match,uniform,zipf lab bench lookup --workloads match,uniform,z
completes ndjson lookup --format = nd
completes csv lookup --format =
for shell in zsh fish; do
    run 0 completion "$shell"
    for word in ndjson latency amortised dpdk in_place zipf rrc00-25; do
        grep -qw -- "$word" out || die "completion for $shell is too small: no $word"
    done
    if command -v "$shell" >/dev/null; then "$shell" -n out || die "$shell does not read its completion"; fi
done

# Each option of fish is described in the words of its own command.
lookup_batch=$(grep -F "'__fingerpost_in lab bench lookup' -l batch " out)
update_batch=$(grep -F "'__fingerpost_in lab bench update' -l batch " out)
[[ $lookup_batch == *'Addresses per call'* && $update_batch == *'Addresses per reader call'* ]] || die 'fish mixes up --batch'

if command -v fish >/dev/null; then
    "$FINGERPOST" completion fish >completion.fish
    for line in 'fingerpost lo:lookup' 'fingerpost lab bench :update' 'fingerpost lab bench update --pol:--policies' \
        'fingerpost lab check --scheme planb,pat:planb,patricia' 'fingerpost lab check --scheme=planb,pat:--scheme=planb,patricia' \
        'fingerpost completion f:fish' 'fingerpost lookup -t smal:small'; do
        fish -c "source completion.fish; complete -C '${line%%:*}'" >completed 2>&1
        ! grep -q unknown completed && grep -qE "^${line#*:}(\s|\$)" completed || die "fish completes '${line%%:*}' to: $(<completed)"
        cases=$((cases + 1))
    done
fi

# Help is on stdout and succeeds, for every command; `help COMMAND` is the same. It is as wide as the terminal.
# help_examples_test.py runs its examples.
for words in '' lookup enrich serve explain diff aggregate info 'lab check' convert image 'image save' 'image show' 'image verify' replay \
    'lab generate' schemes 'lab strides' 'lab picture' lab 'lab bench' 'lab bench lookup' 'lab bench update' router completion help; do
    # shellcheck disable=SC2086
    run 0 help $words
    mv out help
    says ''
    # shellcheck disable=SC2086
    run 0 $words --help
    cmp -s out help || die "help $words is not $words --help"
    grep -q Usage out || die "no usage of $words"
    for width in 40 60 120; do
        # Names that take more than a line stand alone on it; examples are never cut.
        # shellcheck disable=SC2086
        COLUMNS=$width run 0 help $words
        sed -n '/^Examples:/q;p' out | awk -v width="$width" 'length > width && NF > 3 { exit 1 }' ||
            die "help $words is wider than $width"
    done
done
# The list of commands fits a terminal, and so does what most people come for, nearly. Topics have no usage.
[[ $("$FINGERPOST" help | wc -l) -le 24 && $("$FINGERPOST" help lookup | wc -l) -le 40 ]] || die "help is too long"
for topic in tables formats; do
    run 0 help $topic
    ! grep -q Usage out || die "usage of $topic"
done
# The name of a format leads to their page, unless a command has it.
run 0 help formats
mv out formats
for format in csv nft mrt mrt-whole haproxy-map bgpdump; do
    run 0 help $format
    cmp -s out formats || die "help $format"
done
run 0 help image
grep -q '^Usage: fingerpost image' out || die 'help image'
run 2 help nft mrt
# Former names of commands and options are known, and not shown.
run 0 check --table small --schemes planb --isa scalar
run 0 help bench lookup
cmp -s out <("$FINGERPOST" help lab bench lookup) || die 'help bench lookup'
run 0 convert --format text --value next_hop small
run 0 tree --most 2 small
! grep -rqE -- '--(most|value|schemes|top) ' <("$FINGERPOST" help tree) <("$FINGERPOST" help tables) || die 'former names are shown'

finish 100
