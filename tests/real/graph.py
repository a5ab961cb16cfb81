#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""a_moved_attribute_of_cudnn_goes_by_its_name

The graph interface of published cuDNN libraries, as far as it goes without a GPU: a caller of 9.4 gets of 9.8 what it gets of 9.4; what 9.4 lacks is told by
name; and the attribute that 9.7 alone declares is refused there as any unknown number, so that nothing is lost where it is gone.
"""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402

FACTS = pathlib.Path(__file__).resolve().parents[2] / 'abi' / 'facts' / 'cudnn.abi'
# Arguments: library, descriptor type, attribute, type of the elements. Prints what Create and Set answer.
PROBE = '''
import ctypes, sys
library, (kind, name, *types) = ctypes.CDLL(sys.argv[1]), map(int, sys.argv[2:])
descriptor = ctypes.c_void_p()
print(library.cudnnBackendCreateDescriptor(kind, ctypes.byref(descriptor)), end='')
for type in types if descriptor else ():
    print('', library.cudnnBackendSetAttribute(descriptor, name, type, ctypes.c_int64(1), (ctypes.c_int64 * 4)(1)), end='')
'''


def value(constant, last=False):
    """The number of a constant in the oldest or the newest release that has it."""
    rows = [line.split('\t') for line in FACTS.read_text(encoding='utf-8').splitlines() if line.split('\t')[2:3] == [constant]]
    rows.sort(key=lambda row: [int(p) for p in row[4].split('.')[:4] if p])
    return int(rows[-1 if last else 0][3])


def library(version):
    names = [f'nvidia/cudnn/lib/{name}.so.9' for name in ('libcudnn', 'libcudnn_graph', 'libcudnn_ops')]
    folder = pathlib.Path(elf.wheels.unpack(elf.wheels.find('nvidia-cudnn-cu12', version), names))
    return folder / 'nvidia' / 'cudnn' / 'lib' / 'libcudnn.so.9'


def ask(version, *numbers, gangway=None):
    path = library(version)
    command = [*([gangway, 'run', '--'] if gangway else []), sys.executable, '-c', PROBE, str(path), *map(str, numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={'LD_LIBRARY_PATH': str(path.parent), 'PATH': '/usr/bin:/bin'})
    return done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('gangway')
    gangway = parser.parse_args().gangway
    cached, cache, boolean = 'CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED', value('CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR'), value('CUDNN_TYPE_BOOLEAN')
    quantize, mode = value('CUDNN_BACKEND_OPERATION_BLOCK_SCALE_QUANTIZE_DESCRIPTOR'), value('CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_DENOM_FACTOR_MODE')
    old, new = value(cached), value(cached, last=True)
    types = range(0, value('CUDNN_TYPE_NORM_FWD_PHASE') + 1)
    own, bare, ours = ask('9.4.0.58', cache, old, boolean), ask('9.8.0.87', cache, old, boolean), ask('9.8.0.87', cache, old, boolean, gangway=gangway)
    lacking = ask('9.4.0.58', quantize, mode, gangway=gangway)
    rows = (
        ('9.8 has another meaning for the number', bare != own and own[0].startswith('0 '), (own, bare)),
        ('and answers a caller of 9.4 as 9.4 does', ours == own, (own, ours)),
        ('9.4 is asked by its own number', ask('9.4.0.58', cache, new, boolean, gangway=gangway) == own, own),
        ('what 9.4 lacks is told', 'GW-322: CUDNN_BACKEND_OPERATION_BLOCK_SCALE_QUANTIZE_DESCRIPTOR' in lacking[1], lacking),
        ('9.7 refuses the mode that it alone declares', ask('9.7.1.26', quantize, mode, *types) == ask('9.7.1.26', quantize, mode + 1, *types), mode),
        ('as 9.8 does', ask('9.7.1.26', quantize, mode, *types) == ask('9.8.0.87', quantize, mode, *types), mode),
    )
    for text, good, seen in rows:
        print(f'{"ok" if good else "not ok"} {text}{"" if good else f": {seen}"}')
    return not all(good for _, good, _ in rows)


sys.exit(main())
