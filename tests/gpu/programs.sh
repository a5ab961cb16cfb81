#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Programs built against old headers, on a GPU that has CUDA 13 and cuDNN 9 alone. Run on the machine with the GPU:
#
#	tests/gpu/pack-programs.sh      where there is a network: makes .gpu/programs.tar.gz, which holds all this needs
#	tests/gpu/programs.sh [--archive FILE] [--keep DIR] lt|dnn…
#
# lt: cuBLASLt, bit for bit as a program of the loaded release's header (lt.py). dnn: cuDNN 8.9.7's interface against torch (dnn.py).
# python3 has to have torch with its CUDA libraries. The exit status is 0 when everything is ok.
set -u -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
archive=$here/../../.gpu/programs.tar.gz
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
keep=$work/keep
while [ $# -gt 0 ]; do
	case $1 in
	--archive) archive=$2; shift 2 ;;
	--keep) keep=$2; shift 2 ;;
	lt | dnn) break ;;
	*) echo "usage: $0 [--archive FILE] [--keep DIR] lt|dnn…" >&2; exit 2 ;;
	esac
done
[ -f "$archive" ] || { echo "$0: no $archive: run tests/gpu/pack-programs.sh first" >&2; exit 3; }
tar -C "$work" -xf "$archive" || exit 3
mkdir -p "$keep"
gangway=$work/gangway/bin/gangway
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$site/nvidia/cu13/lib:$site/nvidia/cudnn/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
echo "gpu: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo none)"
failed=0
for what; do
	case $what in
	lt) "$python" "$work/scripts/lt.py" "$work/programs" "$gangway" "$site/nvidia/cu13/lib" --keep "$keep/lt" || failed=1 ;;
	dnn) "$python" "$work/scripts/dnn.py" "$work/programs/dnn" "$gangway" --native "$work/programs/dnn-native" --keep "$keep/dnn" || failed=1 ;;
	*) echo "$0: no $what" >&2; exit 2 ;;
	esac
done
exit $failed
