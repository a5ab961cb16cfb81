# SPDX-License-Identifier: Apache-2.0
"""What one release declares, out of abi/facts (abi/README.md has the grammar), for the tests that write programs from it."""
import pathlib

FACTS = pathlib.Path(__file__).resolve().parent.parent.parent / 'abi' / 'facts'


def number(version):
    return tuple(int(part) for part in version.split('.'))


def within(releases, version):
    """Whether RELEASES, as the facts write them, hold VERSION; `..B` is every release up to B."""
    at = number(version)
    for part in releases.split(','):
        first, dots, last = part.partition('..')
        if dots and (not first or number(first) <= at) and (not last or at <= number(last)) or not dots and at == number(first):
            return True
    return False


class Family:
    def __init__(self, name):
        self.name = name
        self.lines = [line.split('\t') for line in (FACTS / f'{name}.abi').read_text().splitlines() if not line.startswith('#')]
        self.wheels = {line[1]: line[2] for line in self.lines if line[0] == 'release'}
        self.releases = sorted(self.wheels, key=number)

    def release(self, version):
        """The facts that hold in VERSION: {kind: [columns between the kind and RELEASES, with SOURCE last]}."""
        found = {}
        for line in self.lines:
            if line[0] not in ('family', 'release') and within(line[-2], version):
                found.setdefault(line[0], []).append(line[1:-2] + line[-1:])
        return found


class Release:
    """Functions, enums and typedefs of one release of some families."""

    def __init__(self, families, version):
        self.version, self.functions, self.enums, self.exports, self.sonames = version, {}, {}, set(), []
        for family in families:
            facts = family.release(version)
            for name, returns, parameters, source in facts['function']:
                split = [] if parameters == '-' else [tuple(part.split(': ', 1)) for part in _commas(parameters)]
                self.functions.setdefault(name, (returns, split, source.split(':')[0]))
            for enum, constant, value, _ in facts['enum']:
                self.enums.setdefault(enum, {})[constant] = int(value)
            self.exports.update(symbol.split('@')[0] for _, symbol, _ in facts['export'])
            self.sonames += [soname for soname, _, _ in facts['soname']]
        self.functions = {name: what for name, what in self.functions.items() if name in self.exports}


def _commas(text):
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        depth += character in '([{'
        depth -= character in ')]}'
        if character == ',' and not depth:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return parts + [text[begin:].strip()]
