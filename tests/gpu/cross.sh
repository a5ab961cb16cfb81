#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Old binaries on a GPU that has CUDA 13 and cuDNN 9 alone, first without gangway, then with it. Run on the machine with the GPU:
#
#	tests/gpu/pack.sh               where there is a network: makes .gpu/cross.tar.xz, which holds all this needs
#	tests/gpu/cross.sh [--no-gpu] [--keep DIR]
#
# bitsandbytes 0.37.2 (CUDA 11.7, 11.8, 12.1 builds): integer products exact. CTranslate2 4.4.0 (CUDA 12, cuDNN 8): a random-weight
# Whisper encoder as on the CPU. Ends with a table; the exit status is 0 when every row is ok. --no-gpu rehearses as far as a
# machine without a GPU goes. --keep puts gangway's logs and all output there.
set -u -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
archive=$here/../../.gpu/cross.tar.xz
python=${PYTHON:-python3}
gpu=1 keep=
while [ $# -gt 0 ]; do
	case $1 in
	--no-gpu) gpu= ;;
	--keep) keep=$2; shift ;;
	*) echo "usage: $0 [--no-gpu] [--keep DIR]" >&2; exit 2 ;;
	esac
	shift
done
[ -f "$archive" ] || { echo "$0: no $archive: run tests/gpu/pack.sh first" >&2; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$archive" "$work" || exit 3
: "${keep:=$work/keep}"
mkdir -p "$keep"
gangway=$work/gangway/bin/gangway

site=${GANGWAY_TEST_SITE:-$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')}
cuda=$site/nvidia/cu13/lib cudnn=$site/nvidia/cudnn/lib
old='libcublas\.so\.1[12]|libcublasLt\.so\.1[12]|libcudnn(_[a-z_]*)?\.so\.8|libcusparse\.so\.11'
rows=() failed=0

row() # ok|FAILED NAME DETAIL
{
	rows+=("$(printf '%-7s %-62s %s' "$1" "$2" "$3")")
	[ "$1" = ok ] || failed=1
	echo "== $1: $2: $3" >&2
}

# Runs COMMAND, keeps its output as NAME.out; it has to fail, and to say PATTERN.
fails() # NAME PATTERN COMMAND…
{
	local name=$1 pattern=$2 status; shift 2
	"$@" >"$keep/$name.out" 2>&1; status=$?
	if [ $status -ne 0 ] && grep -qE "$pattern" "$keep/$name.out"; then
		row ok "$name" "fails, as expected: $(grep -oE "$pattern" "$keep/$name.out" | head -1)"
	else
		row FAILED "$name" "exit $status, expected a failure with $pattern: $(tail -1 "$keep/$name.out")"
	fi
}

# Runs COMMAND; it has to end with status 0 and to say PATTERN.
works() # NAME PATTERN COMMAND…
{
	local name=$1 pattern=$2 status; shift 2
	"$@" >"$keep/$name.out" 2>&1; status=$?
	if [ $status -eq 0 ] && grep -qE "$pattern" "$keep/$name.out"; then
		row ok "$name" "$(grep -E "$pattern" "$keep/$name.out" | tail -1)"
	else
		row FAILED "$name" "exit $status: $(tail -1 "$keep/$name.out")"
		tail -40 "$keep/$name.out" | sed 's/^/    /' >&2
	fi
}

with() # LOG COMMAND…
{
	local log=$keep/$1.log; shift
	"$gangway" run --log "$log" -- "$@"
}

echo "gpu: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo none)"
echo "libraries: $(ls "$cuda" "$cudnn" 2>/dev/null | grep -E 'libcublas(Lt)?\.so|libcudnn\.so|libcusparse\.so' | tr '\n' ' ')"
there=$( (ldconfig -p; find "$site/nvidia" -name '*.so*'; tr : '\n' <<<"${LD_LIBRARY_PATH:-}" | xargs -r -d '\n' ls) 2>/dev/null |
	grep -oE "$old" | sort -u | tr '\n' ' ')
if [ -z "$there" ] && [ -e "$cuda/libcublasLt.so.13" ] && [ -e "$cudnn/libcudnn.so.9" ]; then
	row ok 'only CUDA 13 and cuDNN 9 are here' "$site/nvidia"
else
	row FAILED 'only CUDA 13 and cuDNN 9 are here' "old: ${there:-none}, looked in $site/nvidia"
fi

export LD_LIBRARY_PATH=$work/cudart:$cuda:$cudnn${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

missing='libcublas(Lt)?\.so\.1[12]: cannot open shared object file|libcusparse\.so\.11: cannot open shared object file'
runtime13=$(ls "$cuda"/libcudart.so.13 | head -1)
[ -n "$gpu" ] && works 'native-control' 'of 20 shapes exact' \
	"$python" "$here/cigemm.py" --native "$cuda/libcublas.so.13" "$runtime13"
for build in 117 118 121; do
	case $build in 11*) runtime=libcudart.so.11.0 ;; *) runtime=libcudart.so.12 ;; esac
	library=$work/bitsandbytes/libbitsandbytes_cuda$build.so
	fails "bitsandbytes-$build-without" "$missing" "$python" "$here/cigemm.py" --load "$library"
	if [ -n "$gpu" ]; then
		works "bitsandbytes-$build-with" '20 of 20 shapes exact' \
			with "bitsandbytes-$build" "$python" "$here/cigemm.py" "$library" "$work/cudart/$runtime"
	else
		works "bitsandbytes-$build-with" '^loaded' \
			with "bitsandbytes-$build" "$python" "$here/cigemm.py" --load "$library"
	fi
done

export PYTHONPATH=$work/ctranslate2${PYTHONPATH:+:$PYTHONPATH}
works ctranslate2-model 'model written' "$python" "$here/whisper.py" make "$work/model"
works ctranslate2-cpu 'encoded on cpu' "$python" "$here/whisper.py" encode "$work/model" cpu float32 "$work/cpu.npy"
if [ -n "$gpu" ]; then
	fails ctranslate2-without 'Could not load library libcudnn_ops_infer.so.8|Library libcublas.so.12 is not found' \
		"$python" "$here/whisper.py" encode "$work/model" cuda float32 "$work/gpu.npy"
	for type in float32:2e-3 float16:1e-2; do
		rm -f "$work/gpu.npy"
		works "ctranslate2-${type%:*}-encode" 'encoded on cuda' with "ctranslate2-${type%:*}" \
			"$python" "$here/whisper.py" encode "$work/model" cuda "${type%:*}" "$work/gpu.npy"
		works "ctranslate2-${type%:*}-as-on-the-cpu" 'relative difference' \
			"$python" "$here/whisper.py" compare "$work/gpu.npy" "$work/cpu.npy" "${type#*:}"
	done
fi

for log in "$keep"/*.log; do
	[ -f "$log" ] || continue
	"$python" - "$log" <<'E'
import collections, json, sys
kinds, targets, bad = collections.Counter(), collections.Counter(), 0
for line in open(sys.argv[1], encoding='utf-8', errors='replace'):
    try:
        record = json.loads(line)
    except ValueError:
        bad += 1
        continue
    kinds[record.get('type')] += 1
    if record.get('type') == 'call':
        targets[record.get('target')] += 1
    if record.get('type') == 'finding':
        print('finding', record.get('code'), record.get('text'))
print(sys.argv[1].rsplit('/', 1)[1], dict(kinds), dict(targets), f'{bad} unreadable lines' if bad else '')
E
done

echo
printf '%s\n' "${rows[@]}"
[ $failed -eq 0 ] && echo 'all rows ok' || echo 'not all rows ok'
exit $failed
