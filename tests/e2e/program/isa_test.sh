#!/usr/bin/env bash
# Forces every instruction set by FINGERPOST_ISA: the same answers, and unknown names are refused.
. "$(dirname "$0")/../common.sh"
unset FINGERPOST_ISA FINGERPOST_TUNE

run 0 --version
tuning_form='gathers=[01],block=(32|64),prefetch=[01],direct_gathers=[01]'
[[ $(tail -1 out) =~ ^CPU:\ (AMD|Hygon|Intel|other)\ family\ [0-9]+\ model\ [0-9]+\ \(tuning:\ $tuning_form\)$ ]] || die "tuning: $(<out)"
[[ $(head -1 out) =~ ^fingerpost\ [0-9.]+\ \(kernels:\ ([a-z0-9]+)\;\ available:\ ([a-z0-9, ]+)\)$ ]] || die "version: $(<out)"
chosen=${BASH_REMATCH[1]}
IFS=', ' read -ra isas <<<"${BASH_REMATCH[2]}"
[[ ${isas[0]} == scalar ]] || die 'scalar is not there'
[[ ${isas[-1]} == "$chosen" ]] || die "$chosen was chosen out of ${isas[*]}"

for family in 4 6; do
    "$FINGERPOST" lab generate --family "$family" --routes 30000 --next-hops 200 --output table
    awk -F/ '{print $1}' table >addresses
    if ((family == 4)); then
        seq 0 255 | sed 's/$/.1.2.3/' >>addresses
    else
        printf '%x::1\n' {0..65535..97} >>addresses
    fi
    run 0 lookup --table table --format csv <addresses
    mv out wanted
    for isa in "${isas[@]}"; do
        FINGERPOST_ISA=$isa run 0 lookup --table table --format csv <addresses
        cmp -s out wanted || die "$isa gives other IPv$family answers"
        FINGERPOST_ISA=$isa run 0 --version
        [[ $(<out) == *"kernels: $isa;"* ]] || die "asked for $isa: $(<out)"
    done
    for tuning in gathers={0,1},block={32,64},prefetch={0,1},direct_gathers={0,1}; do
        FINGERPOST_TUNE=$tuning run 0 lookup --table table --format csv <addresses
        cmp -s out wanted || die "$tuning gives other IPv$family answers"
        FINGERPOST_TUNE=$tuning run 0 --version
        [[ $(<out) == *"(tuning: $tuning)" ]] || die "asked for $tuning: $(<out)"
    done
done

for arguments in '--version' 'lookup --table table ::1' 'check --table table' 'schemes'; do
    # shellcheck disable=SC2086
    FINGERPOST_ISA=mmx run 2 $arguments
    [[ $(<err) == 'fingerpost: FINGERPOST_ISA=mmx: this machine has scalar'* ]] || die "mmx: $(<err)"
    # shellcheck disable=SC2086
    FINGERPOST_TUNE=gathers=1,block=48 run 2 $arguments
    [[ $(<err) == "fingerpost: FINGERPOST_TUNE: 'block=48' is not one of gathers=0|1, "* ]] || die "block=48: $(<err)"
done

finish 80
