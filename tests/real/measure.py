#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""the_database_says_of_cublasLt_blocks_what_the_libraries_do

abi/measured/cublasLt.abi holds what no header says of cublasLt's semi-opaque blocks: size and default of each attribute, and what
a block of each known size holds (abi/README.md: grammar). This measures it on the libraries themselves; no GPU is needed.

    measure.py check RELEASE…     measures these releases; any line that the file has otherwise is an error
    measure.py write              measures every release of abi/facts/cublasLt.abi and writes the file anew
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ABI = HERE.parent.parent / 'abi'
FILE = ABI / 'measured' / 'cublasLt.abi'
HEAD = '# What no header says of cublasLt, measured on the libraries by tests/real/measure.py. README.md documents each line.\n'
# Kind of block -> two sets of arguments of its Init and Create: an attribute whose default differs between them is what was given.
KINDS = {'MatmulDesc': ((68, 0), (64, 2)),
         'MatrixLayout': ((0, ctypes.c_uint64(4), ctypes.c_uint64(5), ctypes.c_int64(6)),
                          (2, ctypes.c_uint64(7), ctypes.c_uint64(8), ctypes.c_int64(9))),
         'MatmulPreference': ((), ()),
         'MatrixTransformDesc': ((0,), (2,))}
IDS = 64      # attribute values that are tried
ROOM = 1024   # bytes around a block


class Kind:
    def __init__(self, library, name):
        self.name, self.given = name, KINDS[name]
        self.set_attribute = getattr(library, f'cublasLt{name}SetAttribute')
        self.get_attribute = getattr(library, f'cublasLt{name}GetAttribute')
        self.create = getattr(library, f'cublasLt{name}Create')
        self.destroy = getattr(library, f'cublasLt{name}Destroy')
        self.init = getattr(library, f'cublasLt{name}Init_internal')

    def get(self, block, attribute):
        """The bytes of an attribute; None where it is refused."""
        size = ctypes.c_size_t()
        if self.get_attribute(block, attribute, None, ctypes.c_size_t(0), ctypes.byref(size)):
            return None
        value = (ctypes.c_ubyte * 64)()
        status = self.get_attribute(block, attribute, value, size, None)
        if status or not 0 < size.value <= 8:
            raise SystemExit(f'{self.name} {attribute}: size {size.value}, status {status}')
        return bytes(value)[:size.value]

    def attributes(self):
        """{attribute: [size, default in hex or '-' where Create was given it]}"""
        blocks = []
        for given in self.given:
            block = ctypes.c_void_p()
            if self.create(ctypes.byref(block), *given):
                raise SystemExit(f'{self.name}: Create failed')
            blocks.append(block)
        found = {}
        for attribute in range(IDS):
            first, second = (self.get(block, attribute) for block in blocks)
            if first is not None:
                found[attribute] = [len(first), first.hex() if first == second else '-']
        for block in blocks:
            self.destroy(block)
        return found

    def block(self, size, poison):
        """A buffer with a block that was initialised with SIZE; None where that is refused. What is not initialised is POISON."""
        buffer = (ctypes.c_ubyte * ROOM)(*[poison] * ROOM)
        if self.init(buffer, ctypes.c_size_t(size), *self.given[0]):
            return None
        if any(byte != poison for byte in bytes(buffer)[size:]):
            raise SystemExit(f'{self.name}: Init of {size} bytes writes beyond them')
        return buffer

    def rooms(self, sizes):
        """{size: [held, beyond]}: what is accepted, and of that what lies beyond the block or was never initialised."""
        found = {}
        for size in sizes:
            buffers = [self.block(size, poison) for poison in (0xa5, 0x5a)]
            if buffers[0] is None:
                continue
            values = {attribute: [self.get(buffer, attribute) for buffer in buffers] for attribute in range(IDS)}
            accepted = {attribute: pair for attribute, pair in values.items() if pair[0] is not None}
            held = [attribute for attribute, pair in accepted.items() if pair[0] == pair[1]]
            found[size] = [held, [attribute for attribute in accepted if attribute not in held]]
        return found

    def format_of(self, sizes):
        """(offset, {size: byte there}) of the byte that tells blocks of these sizes from each other; None where none does."""
        blocks = {size: [self.block(size, poison) for poison in (0xa5, 0x5a)] for size in sizes}
        blocks = {size: [bytes(buffer) for buffer in pair] for size, pair in blocks.items() if pair[0] is not None}
        for offset in range(min(blocks)):
            known = all(pair[0][offset] == pair[1][offset] for pair in blocks.values())
            if known and len({pair[0][offset] for pair in blocks.values()}) > 1:
                return offset, {size: pair[0][offset] for size, pair in blocks.items()}
        return None


def child(path, sizes):
    library = ctypes.CDLL(path)
    found = {}
    for name in KINDS:
        kind = Kind(library, name)
        found[name] = {'attributes': kind.attributes(), 'rooms': kind.rooms(sizes[name]), 'format': kind.format_of(sizes[name])}
    print(json.dumps(found))


def facts():
    """(releases, {kind: sizes that its struct ever had}, {kind: name of its enum of attributes}) of abi/facts."""
    releases, sizes, enums = [], {name: set() for name in KINDS}, {}
    for line in (ABI / 'facts' / 'cublasLt.abi').read_text().splitlines():
        column = line.split('\t')
        if column[0] == 'release':
            releases.append((column[1], column[2].split(',')[0]))
        elif column[0] == 'struct' and (name := re.fullmatch(r'cublasLt(\w+)Opaque_t', column[1])) and name.group(1) in sizes:
            sizes[name.group(1)].add(int(column[2]))
        elif column[0] == 'enum' and (name := re.fullmatch(r'cublasLt(\w+)Attributes?_t', column[1])) and name.group(1) in sizes:
            enums[name.group(1)] = column[1]
    return releases, {name: sorted(known) for name, known in sizes.items()}, enums


def numbers(values):
    """[0, 1, 2, 5] -> '0-2,5'"""
    parts = []
    for value in sorted(values):
        if parts and parts[-1][1] == value - 1:
            parts[-1][1] = value
        else:
            parts.append([value, value])
    return ','.join(str(first) if first == last else f'{first}-{last}' for first, last in parts) or '-'


def measure(release, wheel, sizes):
    """{(line without RELEASES and SOURCE): SOURCE} of one release."""
    import elf
    package, version = wheel.split('-')[:2]
    unpacked = elf.wheels.cache() / 'unpacked' / wheel[:-len('.whl')]
    with tempfile.TemporaryDirectory(dir=elf.wheels.cache()) as folder:
        found = sorted(unpacked.glob('nvidia/*/lib/libcublasLt.so.*'))
        if not found:
            path = elf.wheels.wheel(elf.wheels.Entry(package.replace('_', '-'), version, '-', []))
            found = sorted(elf.wheels.unpack(path, ['nvidia/*/lib/libcublasLt.so.*'], folder).glob('nvidia/*/lib/libcublasLt.so.*'))
        done = subprocess.run([sys.executable, __file__, 'child', found[0], json.dumps(sizes)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, env={**os.environ, 'LD_LIBRARY_PATH': str(found[0].parent)})
    if done.returncode:
        raise SystemExit(f'{release}: measuring failed')
    lines = {}
    enums = facts()[2]
    for name, kind in json.loads(done.stdout).items():
        for attribute, (size, default) in kind['attributes'].items():
            lines['attribute', enums[name], attribute, str(size), default] = found[0].name
        for size, (held, beyond) in kind['rooms'].items():
            offset, values = kind['format'] or (None, None)
            form = f'{offset}:{values[size]}' if kind['format'] else '-'
            lines['block', f'cublasLt{name}Opaque_t', size, form, numbers(held), numbers(beyond)] = found[0].name
    return lines


def spans(indices, releases):
    """RELEASES: ranges as long as they can be, the last one open when it reaches the newest."""
    parts = []
    for index in sorted(indices):
        if parts and parts[-1][1] == index - 1:
            parts[-1][1] = index
        else:
            parts.append([index, index])
    words = []
    for first, last in parts:
        end = '' if last == len(releases) - 1 else releases[last][0]
        words.append(releases[first][0] + ('' if first == last and end else f'..{end}'))
    return ','.join(words)


def order(row):
    return [(0, int(column), '') if column.isdigit() else (1, 0, column) for column in row]


def write(releases, sizes):
    rows = {}
    for index, (release, wheel) in enumerate(releases):
        for row, source in measure(release, wheel, sizes).items():
            rows.setdefault(row, ([], source))[0].append(index)
        print(f'measured {release}', flush=True)
    text = ''.join('\t'.join([*row, spans(indices, releases), source]) + '\n'
                   for row, (indices, source) in sorted(rows.items(), key=lambda item: order(item[0])))
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(HEAD + text)


def expand(span, releases):
    known = [release for release, _ in releases]
    found = set()
    for word in span.split(','):
        first, dots, last = word.partition('..')
        found |= set(known[known.index(first):known.index(last or (known[-1] if dots else first)) + 1])
    return found


def check(wanted, releases, sizes):
    rows = [line.split('\t') for line in FILE.read_text().splitlines() if not line.startswith('#')]
    bad = 0
    for release, wheel in releases:
        if release not in wanted:
            continue
        expected = {tuple(row[:-2]) for row in rows if release in expand(row[-2], releases)}
        got = set(measure(release, wheel, sizes))
        for row in sorted(expected ^ got):
            bad += 1
            print(f'{release}: {"the file alone" if row in expected else "the library alone"} says: {" ".join(row)}', file=sys.stderr)
        print(f'{"not ok" if expected != got else "ok"} {release}: {len(got)} facts')
    missing = set(wanted) - {release for release, _ in releases}
    if missing:
        raise SystemExit(f'not in the database: {" ".join(sorted(missing))}')
    return 1 if bad else 0


def main():
    if sys.argv[1:2] == ['child']:
        return child(sys.argv[2], json.loads(sys.argv[3]))
    sys.path.insert(0, str(HERE))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('what', choices=['check', 'write'])
    parser.add_argument('release', nargs='*')
    options = parser.parse_args()
    releases, sizes, _ = facts()
    if options.what == 'write':
        return write(releases, sizes)
    return check(options.release, releases, sizes)


if __name__ == '__main__':
    sys.exit(main())
