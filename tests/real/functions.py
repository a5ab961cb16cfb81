#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""functions_of_newer_releases_reach_the_older_library_or_are_refused

Programs that need libcublas.so.12 or .13, where only the vendor's own cuBLAS of CUDA 11 is. Each function of 64 bit integers is called
without a handle, as there is no GPU for one: the outcome must be that of the library's own function of 32 bits, be it a status or, as with
some, the end of the process. What 32 bits cannot hold never gets there. Of other functions that the library lacks the answer is stated below.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_INITIALIZED, INVALID_VALUE, NOT_SUPPORTED = 1, 7, 15
# Calls without a handle, and what is answered: by the library, by gangway, or refused.
OTHERS = {
    'cublasGetEmulationStrategy': ('0, &word', NOT_INITIALIZED),
    'cublasSetEmulationStrategy': ('0, 0', NOT_INITIALIZED),
    'cublasGetFixedPointEmulationMantissaBitCountPointer': ('0, &block', NOT_INITIALIZED),
    'cublasSgemmGroupedBatched': ('0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0', NOT_INITIALIZED),
    'cublasGemmGroupedBatchedEx_64': ('0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 68', NOT_SUPPORTED),
    'cublasLtEmulationDescCreate': ('&block', NOT_SUPPORTED),
    'cublasLtGroupedMatrixLayoutCreate': ('&block, 0, 0, 0, 0, 0', NOT_SUPPORTED),
}
# A status, or the signal that ended the process, which is another than this one.
OUTCOME = '''
#define OUTCOME(call) ({ int outcome; pid_t child = fork(); if (!child) _exit(call); waitpid(child, &outcome, 0); outcome; })
'''
CACHE = '''
	size_t capacity = 0;
	extern int cublasLtHeuristicsCacheGetCapacity(size_t *), cublasLtHeuristicsCacheSetCapacity(size_t);
	int status = cublasLtHeuristicsCacheGetCapacity(&capacity);

	printf("capacity %d %zu", status, capacity);
	printf(" %d", cublasLtHeuristicsCacheSetCapacity(96));
	status = cublasLtHeuristicsCacheGetCapacity(&capacity);
	printf(" %d %zu\\n", status, capacity);
'''


def functions():
    found = {}
    for line in (ROOT / 'abi/facts/cublas.abi').read_text(encoding='utf-8').splitlines():
        words = line.split('\t')
        if words[0] == 'function' and words[3] != '-':
            found[words[1]] = [p.split(': ', 1)[1] for p in re.split(r', (?=\w+: )', words[3])]
    return found


def source(newer):
    """NEWER: with the functions that CUDA 12.0 lacks."""
    known = functions()
    lines = ['#include <stdint.h>', '#include <stdio.h>', '#include <sys/wait.h>', '#include <unistd.h>', OUTCOME, 'int main(void)', '{', '\tlong long word = 0;', '\tvoid *block = 0;', '\tsetvbuf(stdout, NULL, _IOLBF, 0);',
             CACHE]
    expected = []
    for name, types in sorted(known.items()):
        if not name.endswith('_64') or 'GroupedBatched' in name:
            continue
        wide = ['int64_t' if t == 'int64_t' else 'long long' for t in types]
        narrow = ['int' if t == 'int64_t' else 'long long' for t in types]
        arguments = ['0' if i == 0 else '(long long)&word' if re.search(r'[*\]]', t) else '1' for i, t in enumerate(types)]
        # The helpers that copy have no handle, and would go to the GPU: of nothing there is nothing to copy.
        if types[0] != 'cublasHandle_t':
            arguments = ['(long long)&word' if re.search(r'[*\]]', t) else '0' for t in types]
        large = [i for i, t in enumerate(types) if t == 'int64_t'][-1]
        excess = arguments[:large] + ['4294967296LL'] + arguments[large + 1:]
        lines.append(f'\t{{ extern int {name}({", ".join(wide)}), {name[:-3]}({", ".join(narrow)}); printf("{name} %d %d\\n", '
                     f'OUTCOME({name}({", ".join(arguments)})) == OUTCOME({name[:-3]}({", ".join(arguments)})), {name}({", ".join(excess)})); }}')
        expected.append(f'{name} 1 {INVALID_VALUE}')
    for name, (arguments, status) in OTHERS.items() if newer else ():
        lines.append(f'\t{{ extern int {name}(); printf("{name} %d\\n", {name}({arguments})); }}')
        expected.append(f'{name} {status}')
    return '\n'.join(lines) + '\n\treturn 0;\n}\n', expected


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('shim', type=pathlib.Path, help='directory with libgangway.so and the facades')
    parser.add_argument('fake', type=pathlib.Path, help='directory with fake releases, to link programs with')
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        for release, capacity in (('11.10.3.66', 'capacity 0 8192 0 0 96'), ('11.11.3.6', 'capacity 0 8192 0 0 96')):
            entry = next(e for e in elf.wheels.in_set('edges') if e.package == 'nvidia-cublas-cu11' and e.version == release)
            folder = elf.wheels.unpack(elf.wheels.wheel(entry), ['*/libcublas.so.11', '*/libcublasLt.so.11'])
            library = next(pathlib.Path(folder).rglob('libcublas.so.11')).parent
            for major, linked in ((12, 'cublas-12.1.3.1'), (13, 'cublas-13.10.0.20')):
                text, expected = source(major == 13)
                program = os.path.join(work, f'program{major}')
                pathlib.Path(program + '.c').write_text(text, encoding='utf-8')
                subprocess.run(['cc', '-w', '-std=gnu11', '-o', program, program + '.c', '-L', options.fake / linked / 'lib',
                                f'-l:libcublas.so.{major}', f'-l:libcublasLt.so.{major}'], check=True)
                kept = {k: v for k, v in os.environ.items() if not k.startswith(('LD_', 'GANGWAY_'))}
                done = subprocess.run([program], capture_output=True, text=True, timeout=600, env={
                    **kept, 'LD_LIBRARY_PATH': str(options.shim / 'facades'), 'LD_PRELOAD': str(options.shim / 'libgangway.so'),
                    'GANGWAY_CUBLAS': str(library)})
                got = done.stdout.splitlines()
                wrong = [f'{g} instead of {e}' for g, e in zip(got, [capacity, *expected]) if g != e]
                good = done.returncode == 0 and not wrong and len(got) == len(expected) + 1
                print(f'{"ok" if good else "not ok"} a program of libcublas.so.{major} on {release}: {len(got)} answers, {done.stderr.count("GW-318")} refused')
                if not good:
                    bad += 1
                    print(f'exit {done.returncode}', *wrong[:20], done.stderr[-1500:], sep='\n', file=sys.stderr)
    return 1 if bad else 0


sys.exit(main())
