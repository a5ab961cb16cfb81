#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of old cuBLASLt headers compute the same bits as one of the loaded release's header; what foreign algorithms do.

lt.py PROGRAMS GANGWAY LIBRARY [--keep DIR] [--every N] [--types N]

PROGRAMS holds what compile.py made; LIBRARY is the directory of the loaded release's libcublasLt. The newest program runs twice without
gangway; each other one under `gangway run`, with the algorithms that the newest one was given. Ends with `N of N ok`, one for a program.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

KINDS = ['own', 'zero', 'ones', 'other', *(f'random{i}' for i in range(4)), *(f'word{i}' for i in range(16)), 'id1', 'id67', 'id999']


def environment(library, gangway):
    old = os.environ.get('LD_LIBRARY_PATH', '')
    if gangway:
        return {**os.environ, 'GANGWAY_CUBLAS': str(library)}
    return {**os.environ, 'LD_LIBRARY_PATH': f'{library}:{old}'}


def run(words, library, gangway=None):
    before = [gangway, 'run', '--'] if gangway else []
    return subprocess.run([str(word) for word in [*before, *words]], env=environment(library, gangway), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace')


def read(path):
    """The cases of an output file: name -> [state, whose algorithm, algorithm, bits]."""
    cases, total = {}, ''
    for line in path.read_text().splitlines():
        if line.startswith('#'):
            total = line
            continue
        name, *rest = line.split('\t')
        cases[name] = rest + [''] * (4 - len(rest))
    return cases, total


def numbers(total):
    found = re.search(r'(\d+) cases of (\d+) combinations of types, (\d+) refused', total)
    return [int(number) for number in found.groups()] if found else [0, 0, 0]


def group(name):
    """A case's type of A, whether D's is another one, and the batch mode."""
    types = re.split(r'[*+=]', name.split()[0])
    return types[0], types[3] != types[0], re.search(r'batch=(\S+)', name).group(1)


def unrepeatable(native, again):
    """The groups in which the library's numbers are others at the next run: it takes pointer arrays of products that change their type, and reads
    something else (13.1)."""
    return {group(name) for name, case in again.items() if case[0] == 'ran' and name in native and case[3] != native[name][3]}


def compare(native, cases, changing):
    count, wrong = collections.Counter(), []
    for name, (state, whose, _, bits) in cases.items():
        if name not in native:
            what = 'not refused, as natively'
        elif state != native[name][0]:
            what = f'natively {native[name][0]}, here {state}'
        elif state != 'ran':
            what = f'{state.split()[0]} alike'
        else:
            what = 'equal' if bits == native[name][3] else 'DIFFERENT BITS'
            if group(name) in changing:
                what = 'in types whose numbers change natively, too'
        count[what] += 1
        count['other algorithm chosen'] += whose == 'other'
        if what.isupper() or what.startswith(('not ', 'natively ')):
            wrong.append(f'{what}: {name}')
    return count, wrong


def products(options):
    """The table of the products; returns how many programs were right, and how many there were."""
    def start(program, out, native='-', gangway=None):
        done = run([options.programs / program, options.keep / out, native, options.every, options.types], options.library, gangway)
        if done.returncode:
            print(f'{program}: exit {done.returncode}: {(done.stdout + done.stderr)[-600:]}')
        (options.keep / f'{out}.err').write_text(done.stderr)
        return done.returncode == 0

    names = sorted((path.name for path in options.programs.glob('lt-*')), key=lambda name: [int(n) for n in re.findall(r'\d+', name)])
    *old, newest = names
    if not start(newest, 'native'):
        return 0, len(names)
    native, total = read(options.keep / 'native')
    print(f'{total[2:]}')
    with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
        path = options.keep / 'native'
        futures = {newest: pool.submit(start, newest, newest, path)}
        futures |= {name: pool.submit(start, name, name, path, options.gangway) for name in old}
    print('program | tried | combinations of types | supported | equal bits | other algorithm chosen | mismatches')
    good, changing = 0, set()
    if futures[newest].result():
        changing = unrepeatable(native, read(options.keep / newest)[0])
        print(f'whose numbers change from run to run: {sorted(changing)}')
    for name, future in futures.items():
        if not future.result():
            continue
        cases, total = read(options.keep / name)
        tried, combinations, _ = numbers(total)
        count, wrong = compare(native, cases, changing)
        print(f'{name}{" (control)" if name == newest else ""} | {tried} | {combinations} | {len(cases)} | {count["equal"]} | '
              f'{count["other algorithm chosen"]} | {len(wrong)}')
        for what, how_many in sorted(count.items()):
            if what not in ('equal', 'other algorithm chosen'):
                print(f'    {how_many} {what}')
        (options.keep / f'{name}.wrong').write_text('\n'.join(wrong) + '\n')
        print(''.join(f'    {line}\n' for line in wrong[:6]), end='')
        good += not wrong and count['equal'] > 0
    return good, len(futures)


def foreign(options):
    """What each foreign algorithm does: without gangway, and in the old programs, which it must not end or make compute something else."""
    def one(program, gangway, what, kind):
        done = run([options.programs / program, what, kind], options.library, gangway)
        said = done.stdout.strip().split(': ', 1)[-1] if done.returncode == 0 else f'exit {done.returncode}: {done.stdout.strip()[-80:]}'
        return said + ' '.join(['', *sorted(set(re.findall(r'GW-\d+', done.stderr)))])

    names = sorted(path.name for path in options.programs.glob('foreign-*'))
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for kind in KINDS:
            for name in names:
                for what in ('check', 'product'):
                    gangway = None if name == names[-1] else options.gangway
                    jobs[kind, name, what] = pool.submit(one, name, gangway, what, kind)
    good = right = total = 0
    print('algorithm | ' + ' | '.join(f'{name} {what}' for name in names for what in ('check', 'product')))
    for kind in KINDS:
        said = [jobs[kind, name, what].result() for name in names for what in ('check', 'product')]
        print(f'{kind} | ' + ' | '.join(said))
        for name in names[:-1]:
            said = jobs[kind, name, 'product'].result()
            total += 1
            good += said.startswith('product ') and 'DIFFERENT' not in said and jobs[kind, name, 'check'].result().startswith('check ')
            right += said.startswith('product 0, equal')
    print(f'{right} of {total} products with a foreign algorithm are right; the others are refused')
    return good, total


def mixed(options):
    """Programs with a plug-in that is built against a later header."""
    good, names = 0, sorted(path.name for path in options.programs.glob('mixed-*[0-9]'))
    for name in names:
        done = run([options.programs / name, options.programs / 'mixed-later.so'], options.library, options.gangway)
        print(f'{name}:\n    ' + '\n    '.join([*done.stdout.splitlines(), *re.findall(r'GW-3[12]\d[^\n]*', done.stderr)]))
        good += done.returncode == 0
    return good, len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('programs', type=pathlib.Path)
    parser.add_argument('gangway', type=pathlib.Path)
    parser.add_argument('library', type=pathlib.Path)
    parser.add_argument('--keep', type=pathlib.Path)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--types', type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.keep = options.keep or pathlib.Path(folder)
        options.keep.mkdir(parents=True, exist_ok=True)
        good, total = products(options)
        print(f'{good} of {total} ok: same bits')
        right, all_of_them = foreign(options)
        print(f'{right} of {all_of_them} ok: foreign algorithms')
        joint, parts = mixed(options)
        print(f'{joint} of {parts} ok: parts of two releases')
    return 0 if good == total and joint == parts and right == all_of_them else 1


if __name__ == '__main__':
    sys.exit(main())
