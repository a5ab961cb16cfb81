#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""a_facade_exports_what_its_releases_export_and_nothing_else

For each facade: the function symbols under their nodes equal the union of what the real files of every known release of that
soname export (see elf.wheel_exports for the kinds), both ways. The real files are read with readelf, not with the database.
"""
import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402

SONAMES = [f'lib{name}.so.{major}' for name in ('cublas', 'cublasLt') for major in (11, 12, 13)] + ['libcudnn.so.8', 'libcusparse.so.11']
SONAMES += [f'libcudnn_{part}_{half}.so.8' for part in ('ops', 'cnn', 'adv') for half in ('infer', 'train')]


def some(symbols, limit=8):
    text = [f'{name}@{node}' for name, node in sorted(symbols)]
    return ', '.join(text[:limit]) + (f', … ({len(text)})' if len(text) > limit else '')


def check(soname, folder, wanted):
    found = sorted(folder.rglob(soname))
    if not found:
        return [f'{soname}: no such facade under {folder}']
    exported, _ = elf.symbols(found[0])
    errors = []
    if wanted - exported:
        errors.append(f'{soname}: lacks {some(wanted - exported)}')
    if exported - wanted:
        errors.append(f'{soname}: has what no release exports: {some(exported - wanted)}')
    own = elf.dynamic(found[0]).get('SONAME')
    if own != [soname]:
        errors.append(f'{found[0]}: its SONAME is {own}')
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('facades', type=pathlib.Path, help='directory with the facades')
    parser.add_argument('--read', action='store_true', help='only read the wheels into the cache')
    options = parser.parse_args()
    union, releases, start = {}, {}, time.monotonic()
    for entry in elf.wheels.in_set('facade'):
        for soname, exported in elf.wheel_exports(elf.wheels.wheel(entry)).items():
            union.setdefault(soname, set()).update(exported)
            releases.setdefault(soname, []).append(entry.version)
    print(f'read {sum(map(len, releases.values()))} libraries in {time.monotonic() - start:.1f} s')
    if options.read:
        for soname in sorted(union):
            print(f'{soname}: {len(union[soname])} functions of {len(releases[soname])} releases')
        return 0
    bad = 0
    for soname in SONAMES:
        errors = check(soname, options.facades, union[soname])
        print(f'{"not ok" if errors else "ok"} {soname}: {len(union[soname])} functions of {len(releases[soname])} releases')
        for error in errors:
            bad += 1
            print(f'  {error}', file=sys.stderr)
    return 1 if bad else 0


sys.exit(main())
