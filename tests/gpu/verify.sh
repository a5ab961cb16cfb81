#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `gangway verify` on a machine with a GPU whose python3 has torch with CUDA 13 and cuDNN 9, and without a network:
#
#	tests/gpu/pack-verify.sh      where there is a network: makes .gpu/verify.tar.gz, which holds all this needs
#	tests/gpu/verify.sh [--archive FILE] [--keep DIR]
#
# Each case is right when its exit status, and the outcome of each of its steps, is what it has to be. Ends in `N of N ok`; the exit status is then 0.
set -u -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
archive=$here/../../.gpu/verify.tar.gz
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
keep=$work/keep
while [ $# -gt 0 ]; do
	case $1 in
	--archive) archive=$2; shift 2 ;;
	--keep) keep=$2; shift 2 ;;
	*) echo "usage: $0 [--archive FILE] [--keep DIR]" >&2; exit 2 ;;
	esac
done
[ -f "$archive" ] || { echo "$0: no $archive: run tests/gpu/pack-verify.sh first" >&2; exit 3; }
tar -C "$work" -xf "$archive" || exit 3
mkdir -p "$keep"
gangway=$work/gangway/bin/gangway
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "gpu: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo none)"
echo "python: $("$python" -V 2>&1) $site"
ok=0 all=0

# NAME STATUS EXPECTED BARE-EXPECTED ARGUMENT…: `gangway verify ARGUMENT…`, whose steps have to come out as EXPECTED under gangway: words that a step
# may be, joined by `|`.
case_of()
{
	local name=$1 status=$2 expected=$3 bare=$4 got
	shift 4
	echo
	echo "== $name: gangway verify $*"
	"$gangway" verify "$@"
	got=$?
	"$gangway" verify --json "$@" >"$keep/$name.json"
	all=$((all + 1))
	if [ $got != "$status" ]; then
		echo "NOT OK $name: exit $got, expected $status"
	elif "$python" - "$keep/$name.json" "$expected" "$bare" <<'P'
import json, sys
steps = json.load(open(sys.argv[1]))['steps']
expected, bare = sys.argv[2].split('|'), sys.argv[3].split('|')
wrong = [step['step'] for step in steps if step['outcome'] not in expected or step['bare'] not in bare]
print(f'{len(steps)} steps' + ''.join(f'; {step} is not as expected' for step in wrong))
sys.exit(1 if wrong or not steps else 0)
P
	then
		ok=$((ok + 1))
		echo "ok $name"
	else
		echo "NOT OK $name"
	fi
}

case_of python 0 ok ok --python "$site"
case_of cuda-13 0 'ok|not here' 'ok|not here' --python "$site" --major 13
# What a program of CUDA 12 and cuDNN 9, and one of CUDA 11 and cuDNN 8, get: nothing bare, the facades under gangway. The rest they bring themselves.
case_of cuda-12 0 'ok|not here' 'ok|not here|missing' --python "$site" --major 12
case_of cuda-11 0 'ok|not here' 'ok|not here|missing' --python "$site" --major 11
CUDA_VISIBLE_DEVICES=-1 case_of no-device 3 'no device' 'no device' --python "$site"
echo
echo "$ok of $all ok"
[ "$ok" = "$all" ]
