#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""a_program_of_any_release_prints_the_same_on_any_later_one

For each pair (built-for release, loaded release) of cuBLAS with cuBLASLt, and of cuDNN: a program that is written from the database and
compiled against the built-for headers asks everything that needs no device (pairs_program.py). What it prints on its own libraries,
without gangway, is what it has to print under `gangway run` where only the loaded release is (gangway is told which release the program was built for). Questions that end the process or whose answers
vary on the program's own libraries are left out, as are those for versions; what else may differ stands in pairs.except, each
line with its reason.

On two cores --tenth takes 4 minutes, 8 when the programs have not yet run on their own libraries, 20 more when the sparse copies are made.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402
import facts  # noqa: E402
import pairs_program  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'wheels'))
import sparse  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STAND_INS = HERE.parent.parent / 'abi' / 'include'
LIMIT = 300     # seconds that a program may take
LOCK = threading.Lock()


def kept_folder():
    folder = elf.wheels.cache() / 'pairs'
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def marked(*parts):
    return hashlib.sha256('\0'.join(map(str, parts)).encode()).hexdigest()[:16]


class Suite:
    """cublas with cublasLt, or cudnn."""

    def __init__(self, name, families):
        self.name, self.families = name, [facts.Family(family) for family in families]
        self.releases = self.families[0].releases
        self.common = ''.join((HERE / file).read_text() for file in ('pairs.h', 'pairs_lt.h', 'pairs_backend.h'))

    def wheel(self, version):
        package = self.families[0].wheels[version].split('-')[0]
        return elf.wheels.find(package, version)

    def libraries(self, version):
        return sparse.libraries(self.wheel(version))

    def headers(self, version):
        folder = elf.wheels.unpack(self.wheel(version), ['*/include/*.h'])
        return next(folder.glob('nvidia/*/include'))

    def beside(self, version):
        """What the libraries of a release need from elsewhere: a cuBLAS (the parts of 8, heuristics from 9.16 on), a driver's library
        (8.5 and 8.6, engines of 9)."""
        if self.name != 'cudnn':
            return []
        wheel = self.families[0].wheels[version]
        cublas = {'cu11': ('nvidia_cublas_cu11', '11.11.3.6'), 'cu12': ('nvidia_cublas_cu12', '12.9.3.13'),
                  'cu13': ('nvidia_cublas', '13.10.0.20')}
        needed = [cublas[cuda] for cuda in cublas if f'_{cuda}-' in wheel]
        return [sparse.libraries(elf.wheels.find(*pair)) for pair in needed] + [driver(self.libraries(version))]

    def sources(self, version):
        if self.name == 'cudnn':
            return {'all': pairs_program.dnn_source(self.families[0], version)}
        return pairs_program.blas_sources(self.families, version)

    def programs(self, version):
        """{part: program}, compiled once for each text and set of headers."""
        done = {}
        for part, source in self.sources(version).items():
            program = kept_folder() / f'{self.name}-{version}-{part}-{marked(source, self.common, self.wheel(version).name)}'
            if not program.is_file():
                with tempfile.TemporaryDirectory(dir=kept_folder()) as folder:
                    text = pathlib.Path(folder) / f'{self.name}-{version}-{part}.c'
                    text.write_text(source)
                    pattern = 'libcudnn.so.*' if self.name == 'cudnn' else 'libcublas*.so.*'
                    libraries = sorted(self.libraries(version).glob(pattern))
                    subprocess.run(['gcc', '-std=gnu11', '-O0', '-w', '-I', HERE, '-I', self.headers(version), '-idirafter', STAND_INS,
                                    '-o', f'{folder}/program', text, *libraries, '-Wl,--allow-shlib-undefined'], check=True)
                    os.replace(f'{folder}/program', program)
            done[part] = program
        return done

    def pairs(self):
        return [(old, new) for i, old in enumerate(self.releases) for new in self.releases[i + 1:]]


def texts(library):
    """Names like a driver's function in the parts of a sparse library that are no holes: some are asked for by name as it is loaded."""
    found, at, size = set(), 0, library.stat().st_size
    with open(library, 'rb') as file:
        while at < size:
            try:
                begin = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:     # a hole up to the end
                break
            at = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
            file.seek(begin)
            found.update(name.decode() for name in re.findall(rb'cu[A-Z][A-Za-z0-9]+(?:_v\d)?(?=\0)', file.read(at - begin)))
    return found


def driver(libraries):
    """A libcuda that has no device: every function that the libraries want of it answers CUDA_ERROR_NO_DEVICE (100)."""
    folder = kept_folder() / f'driver-{libraries.name}'
    with LOCK:
        if not folder.is_dir():
            wanted = set()
            for library in libraries.glob('*.so*'):
                wanted |= {name for name, _ in elf.symbols(library)[1] if re.match(r'cu[A-Z]', name)}
                wanted |= texts(library)
            with tempfile.TemporaryDirectory(dir=kept_folder()) as aside:
                text = ''.join(f'int {name}(void) {{ return 100; }}\n' for name in sorted(wanted | {'cuInit'}))
                (pathlib.Path(aside) / 'driver.c').write_text(text)
                made = pathlib.Path(aside) / 'made'
                made.mkdir()
                for name in ('libcuda.so', 'libcuda.so.1'):
                    subprocess.run(['gcc', '-shared', '-fPIC', '-w', f'-Wl,-soname,{name}', '-o', made / name, f'{aside}/driver.c'], check=True)
                os.replace(made, folder)
    return folder


def run(program, environment, *before, skip='/dev/null', fill=165):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(('LD_', 'GANGWAY_', 'PYTHON', 'CUDA_', 'CUBLAS', 'CUDNN'))}
    kept.update({'MALLOC_PERTURB_': str(fill), **environment})
    try:
        done = subprocess.run([*map(str, before), str(program), str(skip)], env=kept, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors='replace', timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {}, f'no end after {LIMIT} s'
    lines, times = {}, collections.Counter()
    for line in done.stdout.splitlines():
        if line.startswith('| '):
            key, _, value = line[2:].partition('\t')
            times[key] += 1
            lines[key if times[key] == 1 else f'{key} ({times[key]})'] = value
    return lines, done.stderr[-2000:]


def on_own(suite, version, part, program):
    """What the program prints on its own libraries: (lines, file of the questions that end the process there). Lines that are not the
    same twice are left out; fresh memory is filled otherwise at the second time, so that what was never set is seen."""
    libraries = suite.libraries(version)
    kept, skip = kept_folder() / f'{program.name}.out', kept_folder() / f'{program.name}.skip'
    if not kept.is_file():
        environment = {'LD_LIBRARY_PATH': ':'.join(map(str, [libraries, *suite.beside(version)]))}
        once, error = run(program, environment)
        ends = [key for key, value in once.items() if value.startswith('ends the process')]
        skip.write_text(''.join(re.sub(r' \(\d+\)$', '', key) + '\n' for key in ends))
        twice, _ = run(program, environment, skip=skip, fill=90)
        if not once:
            raise SystemExit(f'{suite.name} {version} {part} prints nothing on its own libraries: {error}')
        same = {key: value for key, value in once.items() if twice.get(key) == value}
        print(f'{suite.name} {version} {part}: {len(same)} lines; {len(ends)} questions end the process, '
              f'{len(once) - len(same) - len(ends)} lines vary', flush=True)
        aside = kept.with_suffix('.part')
        aside.write_text(''.join(f'{key}\t{value}\n' for key, value in same.items()))
        os.replace(aside, kept)
    return dict(line.split('\t', 1) for line in kept.read_text().splitlines()), skip


def sparse_is_as_whole(suite):
    """The newest release's programs print the same on its whole libraries as on the sparse copies. Returns the lines that differ."""
    version, wrong = suite.releases[-1], []
    site = elf.wheels.site('cuda13')
    whole = site / ('nvidia/cudnn/lib' if suite.name == 'cudnn' else 'nvidia/cu13/lib')
    for part, program in suite.programs(version).items():
        expected, skip = on_own(suite, version, part, program)
        got, _ = run(program, {'LD_LIBRARY_PATH': ':'.join(map(str, [whole, *suite.beside(version)]))}, skip=skip)
        wrong += [(key, value, got.get(key)) for key, value in expected.items() if got.get(key) != value]
    return wrong


class Exceptions:
    """pairs.except: SUITE BUILT-FOR LOADED PATTERN # reason; releases as in abi/facts, PATTERN over `question<TAB>expected -> got`."""

    def __init__(self, path=HERE / 'pairs.except'):
        self.lines = []
        for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
            if not line.strip() or line.startswith('#'):
                continue
            words, _, reason = line.partition(' # ')
            parts = words.split(None, 3)
            if len(parts) != 4 or not reason:
                raise SystemExit(f'{path}:{number}: expected SUITE BUILT-FOR LOADED PATTERN # reason')
            self.lines.append((*parts[:3], re.compile(parts[3].strip()), number))
        self.used = set()

    def covers(self, suite, old, new, text):
        for name, built, loaded, pattern, number in self.lines:
            if name == suite and facts.within(built, old) and facts.within(loaded, new) and pattern.fullmatch(text):
                self.used.add(number)
                return True
        return False


def compare(suite, old, new, gangway, exceptions):
    """Lines that differ: [(question, expected, got)], and how many were compared and excepted."""
    libraries = suite.libraries(new)
    environment = {'LD_LIBRARY_PATH': ':'.join(map(str, [libraries, *suite.beside(new)])), f'GANGWAY_{suite.name.upper()}': str(libraries),
                   'GANGWAY_BUILT_FOR': '*:' + ','.join(f'{family.name}={old}' for family in suite.families)}
    wrong, compared, excepted = [], 0, 0
    for part, program in suite.programs(old).items():
        expected, skip = on_own(suite, old, part, program)
        got, error = run(program, environment, gangway, 'run', '--', skip=skip)
        if not got:
            wrong.append((f'{part}: prints nothing', '', error.replace('\n', ' ')))
            continue
        for key, value in expected.items():
            if key.startswith('version '):
                continue
            compared += 1
            there = got.get(key, '(not said)')
            if there != value:
                if exceptions.covers(suite.name, old, new, f'{key}\t{value} -> {there}'):
                    excepted += 1
                else:
                    wrong.append((key, value, there))
    return wrong, compared, excepted


def chosen(suite, way):
    """All pairs; or each neighbour and a fixed tenth: every tenth of the rest, counted along."""
    pairs = suite.pairs()
    if way == 'all':
        return pairs
    neighbours = set(zip(suite.releases, suite.releases[1:]))
    rest = [pair for pair in pairs if pair not in neighbours]
    return [pair for pair in pairs if pair in neighbours] + rest[::10]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('gangway', type=pathlib.Path, help='the command')
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument('--all', action='store_true', help='every pair')
    how.add_argument('--tenth', action='store_true', help='each neighbour, and a tenth of the others')
    how.add_argument('--pair', nargs=2, action='append', metavar=('BUILT', 'LOADED'), help='this pair')
    parser.add_argument('--suite', choices=['cublas', 'cudnn'], action='append', help='these libraries alone')
    parser.add_argument('--differences', type=pathlib.Path, help='also write each difference to this file, a line each')
    parser.add_argument('--most', type=int, default=20, help='print so many differences of a pair (20)')
    options = parser.parse_args()
    exceptions = Exceptions()
    suites = [suite for suite in (Suite('cublas', ['cublas', 'cublasLt']), Suite('cudnn', ['cudnn']))
              if suite.name in (options.suite or [suite.name])]
    work = []
    for suite in suites:
        pairs = [tuple(pair) for pair in options.pair if pair[0] in suite.releases] if options.pair else \
            chosen(suite, 'all' if options.all else 'tenth')
        work += [(suite, old, new) for old, new in pairs]
    begin = time.monotonic()
    # own libraries first: two at a time, since each takes a core
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        def prepare(key):
            suite, version = key
            for part, program in suite.programs(version).items():
                on_own(suite, version, part, program)
        list(pool.map(prepare, dict.fromkeys((suite, old) for suite, old, _ in work)))
        list(pool.map(lambda key: key[0].beside(key[1]), dict.fromkeys((suite, new) for suite, _, new in work)))
        print(f'own libraries: {time.monotonic() - begin:.0f} s', flush=True)
        holes = 0
        for suite in suites if options.all or options.tenth else []:
            wrong = sparse_is_as_whole(suite)
            holes += len(wrong)
            print(f'{"not ok" if wrong else "ok"} {suite.name} {suite.releases[-1]} on whole libraries as on sparse copies', *wrong[:5], sep='\n  ')
        results = pool.map(lambda item: compare(*item, options.gangway, exceptions), work)
        differ = lines = left = 0
        record = open(options.differences, 'w', encoding='utf-8') if options.differences else None
        for (suite, old, new), (wrong, compared, excepted) in zip(work, results):
            lines += compared
            left += excepted
            differ += bool(wrong)
            if wrong:
                print(f'not ok {suite.name} built for {old} on {new}: {len(wrong)} of {compared} lines differ', flush=True)
            for key, expected, got in wrong[:options.most]:
                print(f'  {key}: expected {expected}, got {got}')
            for key, expected, got in wrong if record else []:
                record.write(f'{suite.name}\t{old}\t{new}\t{key}\t{expected}\t{got}\n')
                record.flush()
    for number in [line[-1] for line in exceptions.lines if line[-1] not in exceptions.used] if options.all and not options.suite else []:
        print(f'not ok pairs.except:{number}: no pair needs this line')
        differ += 1
    print(f'{len(work)} pairs, {differ} differ ({lines} lines compared, {left} excepted, {time.monotonic() - begin:.0f} s)')
    return 1 if differ or holes else 0


if __name__ == '__main__':
    sys.exit(main())
