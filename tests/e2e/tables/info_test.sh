#!/usr/bin/env bash
# The output of `info` for one scheme: its parts add up, its levels lie within them, and it counts as many steps as
# lookups.
. "$(dirname "$0")/../common.sh"

routes=300
is_all && routes=2000
"$FINGERPOST" lab generate --routes $routes --seed 3 >six
"$FINGERPOST" lab generate --shares tier1-v4 --routes $routes --seed 3 >four
"$FINGERPOST" schemes --format json >schemes.json

# Every scheme of both families. One that does not show its steps says so; few may. Variants of a scheme differ in their
# steps alone, unless everything is wanted.
for table in four six; do
    [[ $table == four ]] && family=4 || family=6
    python3 - $family >names <<'END_OF_PYTHON'
import json, sys
print("\n".join(s["name"] for s in json.load(open("schemes.json")) if int(sys.argv[1]) in s["families"]))
END_OF_PYTHON
    mkdir $table.told
    while read -r scheme; do
        if ! "$FINGERPOST" info -t $table --scheme "$scheme" --steps --workload zipf --addresses 500 --format json >out 2>err; then
            says "fingerpost: --steps: $scheme does not show its steps"
            continue
        fi
        mv out "$table.told/$scheme.steps"
        if [[ $scheme != *:* ]] || is_all; then
            run 0 info -t $table --scheme "$scheme" --format json
            mv out "$table.told/$scheme.plain"
            run 0 info -t $table --scheme "$scheme"
            mv out "$table.told/$scheme.text"
        fi
    done <names
done
python3 - <<'END_OF_PYTHON' || die 'info of a scheme'
import json, re
from pathlib import Path
shown = compared = 0
for path in Path().glob("*.told/*.steps"):
    name, info = path.stem, json.loads(path.read_text())
    assert info["memory"].keys() == {name} and info["scheme"] == name, info
    assert sum(info["parts"].values()) == info["memory"][name], info["parts"]
    levels = info["levels"]
    assert levels and levels[0]["nodes"] >= 1, levels
    assert sum(level["bytes"] for level in levels) <= info["memory"][name], levels
    for level in levels:
        assert sum(level["kinds"].values()) == level["nodes"], level
    assert info["workload"] == "zipf" and info["addresses"] == 500, info
    for counts in info["steps"], info["cache_lines"]:
        assert sum(counts.values()) == 500 and all(int(steps) >= 1 for steps in counts), counts
    shown += 1
    if not path.with_suffix(".plain").exists():
        continue
    compared += 1
    # Without --steps the rest is the same; random values of a FIB, such as a hash key, change no size.
    plain = json.loads(path.with_suffix(".plain").read_text())
    assert plain == {k: v for k, v in info.items() if k not in ("workload", "addresses", "steps", "cache_lines")}, plain
    # The text has the same figures.
    text = path.with_suffix(".text").read_text()
    parts, levels = text.index("\nparts "), text.index("\nlevels ")
    assert re.match(r"\nlevels  *0 ", text[levels:]), text
    memory = re.search(r"^memory .* (\d+) bytes", text, re.MULTILINE)
    assert sum(map(int, re.findall(r" (\d+) bytes.*%$", text[parts:levels], re.MULTILINE))) == int(memory[1]), text
assert shown >= 80 and compared >= 50, (shown, compared)
END_OF_PYTHON

# Without --steps nothing is looked up; the workload is match unless another is named.
scheme=$("$FINGERPOST" help info | sed -n 's/.*--scheme \([a-z0-9_:]*\) --steps.*/\1/p' | head -n 1)
run 0 info -t six --scheme "$scheme"
grep -qE '^(workload|steps|cache lines) ' out && die 'info looks addresses up unasked'
run 0 info -t six --scheme "$scheme" --steps
grep -qE '^workload  *match \(10000 addresses\)$' out && grep -q '^steps  *[0-9]' out && grep -q '^cache lines  *[0-9]' out ||
    die "info --steps: $(<out)"
cat four six >both
run 0 info -t both --scheme "$scheme" --steps --addresses 10
[[ $(grep -c '^cache lines ' out) == 2 ]] || die "info --steps of both families: $(<out)"
run 0 info -t /dev/null --scheme "$scheme"

# Wrong calls.
refuses() {
    run "$1" info -t six "${@:3}"
    # The text may hold stars, which stand for anything.
    # shellcheck disable=SC2053
    [[ $(<err) == "fingerpost: "$2 ]] || die "said '$(<err)' instead of '$2'"
}
refuses 2 '--steps needs --scheme' --steps
refuses 2 '--workload needs --steps' --scheme "$scheme" --workload zipf
refuses 2 '--addresses needs --steps' --scheme "$scheme" --addresses 5
refuses 2 "--scheme: '${scheme}x' is unknown; did you mean ${scheme}? (see \`fingerpost schemes\`)" --scheme "${scheme}x"
refuses 2 '--steps needs one scheme' --scheme all --steps
refuses 2 "--workload: 'matsh' is not one of *; did you mean match?" --scheme "$scheme" --steps --workload matsh
refuses 2 "--addresses: '0' *" --scheme "$scheme" --steps --addresses 0
narrow=$(python3 -c 'import json; print(next(s["name"] for s in json.load(open("schemes.json")) if 6 not in s["families"]))')
refuses 2 "--scheme: $narrow does not serve IPv6 (see \`fingerpost schemes\`)" --scheme "$narrow"
run 1 info -t /dev/null --scheme "$scheme" --steps
says 'fingerpost: workload match: the table has no such address'

finish 50
