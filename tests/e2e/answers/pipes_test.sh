#!/usr/bin/env bash
# Closes pipes early, lets them pause, and writes more than they hold: no noise, no waiting, no row lost.
. "$(dirname "$0")/../common.sh"

"$FINGERPOST" lab generate --routes 50000 --output table
cut -d/ -f1 table >addresses

# A reader that closes the pipe early is no error, for a command that writes much and for one that writes little.
for arguments in 'lookup --table table --format csv' 'generate --routes 50000' 'schemes' '--help' 'completion bash'; do
    status=0
    # shellcheck disable=SC2086
    { "$FINGERPOST" $arguments <addresses 2>err || echo $? >status; } | true
    [[ ! -s err ]] || die "$arguments: $(<err)"
    [[ ! -e status ]] || die "$arguments: exit $(<status)"
    cases=$((cases + 1))
done
{ "$FINGERPOST" lookup --table table --format csv <addresses 2>err || echo $? >status; } | head -n 1 >first
[[ $(<first) == 'address,prefix,next_hop' && ! -s err && ! -e status ]] || die "head -n 1: $(cat first err)"

# Every row is answered, in order.
run 0 lookup --table table --format csv <addresses
cmp -s <(tail -n +2 out | cut -d, -f1) addresses || die 'rows are missing or out of order'
grep -qE ',,' out && die 'an address of the table found no route'

# Answers come while the pipe is open: the first one is asked for before the second question.
mkfifo questions answers
"$FINGERPOST" lookup --table table --format csv <questions >answers &
exec 3>questions 4<answers
echo "$(head -n 1 addresses)" >&3
read -r -t 20 header <&4 || die 'no header while the pipe is open'
read -r -t 20 answer <&4 || die 'no answer while the pipe is open'
[[ $header == 'address,prefix,next_hop' && $answer == "$(head -n 1 addresses),"* ]] || die "answered '$answer'"
printf '2001:' >&3
sleep 0.1
printf 'db8::1\n' >&3
read -r -t 20 answer <&4 || die 'no answer to a line in two pieces'
[[ $answer == 2001:db8::1,* ]] || die "answered '$answer'"
exec 3>&-
wait || die 'the end of a pipe is an error'
cases=$((cases + 1))

finish 7
