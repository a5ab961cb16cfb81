#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# int8 products of unmodified bitsandbytes libraries on a GPU without kernels for their memory orders. Run on the machine with the GPU, which has
# CUDA 13's wheels beside python3 and numpy, and no network:
#
#	tests/gpu/pack-rescue.sh        where there is a network: makes .gpu/rescue.tar.xz, which holds all this needs
#	tests/gpu/rescue.sh [--archive FILE] [--keep DIR] [exact|time|graph|kernels|probe…]     all of them without a name
#
# exact: first seen to be refused without the rescue, then every exported product, every order, 40 shapes. time: beside the plain product.
# graph: captured and replayed; threads. kernels, probe: figures alone. Ends with a table; the exit status is 0 when every row is ok.
set -u -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
archive=$here/../../.gpu/rescue.tar.xz
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
keep=$work/keep
while [ $# -gt 0 ]; do
	case $1 in
	--archive) archive=$2; shift 2 ;;
	--keep) keep=$2; shift 2 ;;
	exact | time | graph | kernels | probe) break ;;
	*) echo "usage: $0 [--archive FILE] [--keep DIR] [exact|time|graph|kernels|probe…]" >&2; exit 2 ;;
	esac
done
[ $# -gt 0 ] || set -- probe kernels exact graph time
[ -f "$archive" ] || { echo "$0: no $archive: run tests/gpu/pack-rescue.sh first" >&2; exit 3; }
"$python" -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$archive" "$work" || exit 3
mkdir -p "$keep"
script=$work/scripts/rescue.py
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$work/cudart:$site/nvidia/cu13/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
echo "gpu: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo none)"
rows=() failed=0

run() # NAME EXPECTED COMMAND…
{
	local name=$1 expected=$2 status; shift 2
	echo "== $name"
	# The library's own complaints, one for each refused call, end without a newline.
	"$@" 2>&1 | sed -u 's/error detected//g; /^cuBLAS API failed/d' | tee "$keep/$name.out"; status=$?
	if [ $status -eq 0 ] && grep -q "$expected" "$keep/$name.out"; then
		rows+=("ok      $name")
	else
		rows+=("FAILED  $name (status $status)"); failed=1
	fi
}

gangway() # RESCUE NAME COMMAND…
{
	local rescue=$1 name=$2; shift 2
	GANGWAY_RESCUE=$rescue GANGWAY_LOG_LEVEL=counts "$work/gangway/bin/gangway" run --log "$keep/$name.log" -- "$@"
}

runtime_of() # LIBRARY
{
	case $1 in *_cuda11?.so) echo "$work/cudart/libcudart.so.11.0" ;; *) echo "$work/cudart/libcudart.so.12" ;; esac
}

for what; do
	case $what in
	probe) run probe 'refused in' "$python" "$script" probe "$work/cudart/libcudart.so.12" ;;
	kernels) run kernels 'status 0' "$python" "$script" kernels "$work/scripts/int8.ptx" "$work/cudart/libcudart.so.12" ;;
	graph)
		for library in "$work"/bitsandbytes/0.45.5/*.so; do
			name=graph-0.45.5-$(basename "$library" .so | sed 's/.*_//')
			run "$name" 'graph and threads exact' gangway on "$name" "$python" "$script" graph "$library" "$(runtime_of "$library")"
		done ;;
	*)
		for library in "$work"/bitsandbytes/*/*.so; do
			release=$(basename "$(dirname "$library")")
			name=$release-$(basename "$library" .so | sed 's/.*_//')
			runtime=$(runtime_of "$library")
			if [ "$what" = exact ]; then
				run "refused-$name" 'all as expected' gangway off "refused-$name" "$python" "$script" refused "$library" "$runtime"
				run "exact-$name" 'all as expected' gangway on "exact-$name" "$python" "$script" exact "$library" "$runtime"
			elif [ "$release" != 0.45.5 ]; then
				run "time-$name" 'in time' gangway on "time-$name" "$python" "$script" time "$library" "$runtime"
			fi
		done ;;
	esac
done
echo
printf '%s\n' "${rows[@]}"
[ $failed -eq 0 ] && echo 'all rows ok' || echo 'not all rows ok'
exit $failed
