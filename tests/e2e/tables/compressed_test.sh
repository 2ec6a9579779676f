#!/usr/bin/env bash
# Reads tables in every compressed format: whole, in members, from a pipe, cut off and damaged.
. "$(dirname "$0")/../common.sh"

"$FINGERPOST" lab generate --routes 20000 --seed 3 --output plain
run 0 convert plain
mv out wanted

declare -A compress=([gz]=gzip [bz2]=bzip2 [xz]=xz [zst]='zstd -q') format=([gz]=gzip [bz2]=bzip2 [xz]=xz [zst]=zstd)
for ending in gz bz2 xz zst; do
    command -v "${format[$ending]}" >/dev/null || die "${format[$ending]} is not installed (tools/setup test)"
    ${compress[$ending]} -c plain >"table.$ending"
    # The format is found from the bytes, not from the name.
    cp "table.$ending" unnamed
    for source in "table.$ending" unnamed; do
        run 0 convert "$source"
        cmp out wanted >&2 || die "$source is another table"
    done
    run 0 convert - <"table.$ending"
    cmp out wanted >&2 || die "a pipe of $ending is another table"

    { head -n 7000 plain | ${compress[$ending]} -c; tail -n +7001 plain | ${compress[$ending]} -c; } >members
    run 0 convert members
    cmp out wanted >&2 || die "two members of $ending are another table"

    size=$(stat -c %s "table.$ending")
    for kept in $((size - 1)) $((size / 2)) 100; do
        head -c "$kept" "table.$ending" >cut
        run 1 lookup --table cut ::1
        prints ''
        says "fingerpost: cut: truncated: the ${format[$ending]} data ends too early, at byte $kept"
    done

    { head -c $((size / 2)) "table.$ending" && printf 'damage' && tail -c +$((size / 2 + 7)) "table.$ending"; } >damaged
    run 1 lookup --table damaged ::1
    prints ''
    [[ $(<err) == "fingerpost: damaged: corrupt ${format[$ending]} data at byte "* ]] || die "damaged $ending: $(<err)"
    { cat "table.$ending" && echo 'and so on, and so on'; } >damaged
    run 1 lookup --table damaged ::1
    [[ $(<err) == "fingerpost: damaged: corrupt ${format[$ending]} data at byte "* ]] || die "tail: $(<err)"
done

finish 36
