#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scan_agrees_with_the_loader_on_published_binaries

For each binary of agreement.list, in several environments, the loader itself traces what it would do (tests/run/traced.py), and

- the loader model says the same, file by file, version by version, symbol by symbol, and, where everything is there, binding by binding;
- `gangway scan --json` names for each library that is needed the file that the loader maps, calls missing what the loader does not find, counts
  each symbol that the model finds missing, and has a finding where the loader has a complaint;
- where the loader has none, scan has no error or warning: no false alarm.

A Python extension is traced as python with the extension preloaded: so it gets from python what it imports.

    agreement.py [--all] [--only WORD] GANGWAY LOADER_DUMP
"""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
for folder in ('', 'wheels', 'run'):
    sys.path.insert(0, str(HERE if not folder else HERE.parent / folder))
import elf  # noqa: E402
import sparse  # noqa: E402
import traced  # noqa: E402

LEAST, LEAST_IN_ALL, LEAST_WELL = 60, 80, 40
PYTHON = os.path.realpath('/usr/bin/python3')

# What a virtual environment of that kind has: each wheel's libraries where pip would put them.
ENVIRONMENTS = {
    'cu11': [('nvidia-cublas-cu11', '11.11.3.6'), ('nvidia-cudnn-cu11', '8.7.0.84'), ('nvidia-cuda-runtime-cu11', '11.8.89'),
             ('nvidia-cusparse-cu11', '11.7.5.86'), ('nvidia-cuda-nvrtc-cu11', '11.7.99'), ('nvidia-curand-cu11', '10.3.0.86'),
             ('nvidia-cufft-cu11', '10.9.0.58'), ('nvidia-cusolver-cu11', '11.4.1.48')],
    'cu12': [('nvidia-cublas-cu12', '12.1.3.1'), ('nvidia-cudnn-cu12', '8.9.2.26'), ('nvidia-cuda-runtime-cu12', '12.1.105'),
             ('nvidia-cusparse-cu12', '12.1.0.106'), ('nvidia-nvjitlink-cu12', '12.1.105'), ('nvidia-cuda-nvrtc-cu12', '12.1.105'),
             ('nvidia-curand-cu12', '10.3.2.106'), ('nvidia-cufft-cu12', '11.0.2.54'), ('nvidia-cusolver-cu12', '11.4.5.107'),
             ('nvidia-nccl-cu12', '2.20.5'), ('nvidia-nvtx-cu12', '12.1.105'), ('nvidia-cuda-cupti-cu12', '12.1.105'), ('torch', '2.3.1')],
    'cu13': [('nvidia-cublas', '13.10.0.20'), ('nvidia-cudnn-cu13', '9.28.1.4'), ('nvidia-cuda-runtime', '13.0.96'), ('nvidia-cusparse', '12.6.3.3'),
             ('nvidia-nvjitlink', '13.0.88'), ('nvidia-cuda-nvrtc', '13.0.88'), ('nvidia-curand', '10.4.0.35')],
}
# Another release in LD_LIBRARY_PATH than the one that the environment has.
OTHER = {'cu11': [('nvidia-cublas-cu11', '11.10.3.66'), ('nvidia-cudnn-cu11', '8.5.0.96'), ('nvidia-cusparse-cu11', '11.7.4.91')],
         'cu12': [('nvidia-cublas-cu12', '12.9.3.13'), ('nvidia-cudnn-cu12', '8.9.7.29'), ('nvidia-nvjitlink-cu12', '12.4.127')],
         'cu13': [('nvidia-cublas', '13.0.0.19')]}


def binaries(with_all):
    found = []
    for number, line in enumerate((HERE / 'agreement.list').read_text().splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith('#') or (words[0] == '+' and not with_all):
            continue
        words = words[words[0] == '+':]
        if len(words) < 5 or words[0] not in ENVIRONMENTS:
            sys.exit(f'agreement.list:{number}: expected ENVIRONMENT PACKAGE VERSION PYTHON MEMBER…')
        found.append((words[0], elf.wheels.find(words[1], words[2], words[3]), words[4:]))
    return found


class Sites:
    """Directories that look like a site-packages, with libraries linked in, not copied."""

    def __init__(self, root):
        self.root, self.lock, self.made = root, threading.Lock(), {}

    def _link(self, wheel, into):
        # Links of the wheel's own to the same file, as far as it was packed with them, are copies; so they are here.
        shutil.copytree(sparse.tree(wheel), into, copy_function=os.link, dirs_exist_ok=True)

    def base(self, name, wheels):
        with self.lock:
            site = self.root / name
            if name not in self.made:
                for package, version in wheels:
                    self._link(elf.wheels.find(package, version), site)
                self.made[name] = site
            return site

    def of(self, environment, wheel, beside):
        """The wheel's own directory; BESIDE: with what it finds there of the environment."""
        with self.lock:
            site = self.root / f'{environment if beside else "bare"}-{wheel.name.split("-py3")[0].split("-cp")[0]}'
            if site in self.made:
                return site
            self._link(wheel, site)
            self.made[site] = site
        if beside:
            base = self.base(environment, ENVIRONMENTS[environment])
            package = wheel.name.split('-')[0]
            for entry in base.iterdir():
                # Of one package, an environment has one release.
                if not (site / entry.name).exists() and not entry.name.startswith(package + '-'):
                    (site / entry.name).symlink_to(entry)
            if (base / 'nvidia').is_dir() and not (site / 'nvidia').is_symlink():
                for entry in (base / 'nvidia').iterdir():
                    if not (site / 'nvidia' / entry.name).exists():
                        (site / 'nvidia' / entry.name).symlink_to(entry)
        return site


def directories(site):
    return [str(path) for path in (*sorted(site.glob('nvidia/*/lib')), site / 'torch' / 'lib') if path.is_dir()]


@functools.lru_cache(None)
def is_extension(path):
    return any(name.startswith('PyInit_') for name, _ in elf.symbols(path)[0])


class Loader:
    """The loader's word and the model's, of one binary in one environment."""

    def __init__(self, dump, path, library_path, bindings):
        extension = is_extension(path)
        self.main = PYTHON if extension else None
        self.real = traced.loader(self.main or str(path), library_path, str(path) if extension else None, bindings=bindings and not extension)
        self.mine = traced.model(dump, self.main or str(path), library_path, str(path) if extension else None, bindings=bindings and not extension)
        self.opened = traced.model(dump, str(path), library_path, main=self.main) if extension else self.mine

    def complains(self):
        real = self.real
        return bool(real.missing or real.versions or real.undefined or real.late or real.assertion or real.refused)


def scan(gangway, path, library_path, nothing):
    """Without facades and Python paths, which the loader knows nothing of."""
    env = dict(traced.CLEAN, PATH='/usr/bin:/bin')
    command = [gangway, 'scan', '--json', '--python', nothing, *(['--library-path', library_path] if library_path else []), str(path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f'{command}: {done.returncode} {done.stderr[:300]}')
    return done.returncode, json.loads(done.stdout)['files'][0]


def symbols_told(file):
    """How many missing symbols the findings count."""
    count = 0
    for finding in file['findings']:
        match = re.search(r' needs (.*?), which (?:nothing that is loaded|no library that it needs|\S+(?: \(release [^)]*\))? lacks)', finding['text'])
        if finding['code'] in ('GW-111', 'GW-112', 'GW-113', 'GW-118', 'GW-119') and match:
            names = re.fullmatch(r'(.*?)(?: and (\d+) more)?', match[1])
            count += len(names[1].split(', ')) + int(names[2] or 0)
    return count


def are_two(text):
    """Does GW-115 name two files of different releases, as their places in the sites tell; or GW-106 two of different directories?"""
    apart = re.match(r'(\S+) and (\S+), which it needs, come from two directories ', text)
    if apart:
        return not os.path.samefile(os.path.dirname(apart[1]), os.path.dirname(apart[2]))
    match = re.match(r'(\S+) is release (\S+), and (\S+), which it needs, is release (\S+) ', text)
    return match and match[2] != match[4] and not os.path.samefile(os.path.dirname(match[1]), os.path.dirname(match[3]))


# What a file opens by itself and contains happens after it was loaded: tests/real/opened.py tries that.
AFTERWARDS = ('GW-140', 'GW-141', 'GW-144', 'GW-147')


def disagreements(status, file, loader, path):
    real, lines = loader.real, []
    if any(finding['code'] in AFTERWARDS and finding['severity'] == 'error' for finding in file['findings']):
        status = 0
    file = {**file, 'needs': [need for need in file['needs'] if 'opened' not in need],
            'findings': [finding for finding in file['findings'] if finding['code'] not in AFTERWARDS]}
    mapped = {os.path.basename(one) for one in real.maps}
    files = {os.path.realpath(one) for one in real.maps}
    for need in file['needs']:
        if need['status'] == 'found' and 'by' not in need and not real.refused and not real.assertion and os.path.realpath(need['path']) not in files:
            lines.append(f'{need["soname"]}: scan has {need["path"]}, the loader does not')
        if need['status'] in ('missing', 'facade') and need['soname'] not in real.missing and not real.refused and not real.assertion:
            lines.append(f'{need["soname"]}: scan says {need["status"]}, the loader has it: {mapped}')
    told = {need['soname'] for need in file['needs'] if need['status'] in ('missing', 'facade')}
    if real.missing - told and not loader.main:
        lines.append(f'missing in the loader alone: {sorted(real.missing - told)}')
    severe = [finding for finding in file['findings'] if finding['severity'] != 'note']
    if not loader.complains():
        # Two libraries that must be of one release may be of two, and load well: that is no matter of the loader's.
        severe = [finding for finding in severe if finding['code'] not in ('GW-106', 'GW-115') or not are_two(finding['text'])]
        lines += [f'false alarm: {finding["code"]} {finding["text"]}' for finding in severe]
        if status and not any(finding['code'] == 'GW-115' for finding in file['findings']):
            lines.append(f'exit status {status} where nothing is wrong')
    elif not file['findings']:
        lines.append('the loader complains, scan says nothing')
    symbols = loader.opened.undefined | loader.opened.late
    if not loader.opened.refused and not loader.opened.assertion and symbols_told(file) != len(symbols):
        lines.append(f'{len(symbols)} symbols are missing, scan counts {symbols_told(file)}')
    wanted = {(name, node) for name, node, one in symbols if one == os.path.realpath(path)}
    named = {(one['name'], one['node']) for family in file['imports'].values() for one in family['missing']}
    if not {one for one in named if one not in wanted} <= {one for one in named if f'{one[0]} is imported from' in json.dumps(file['findings'])}:
        lines.append(f'imports.missing has {sorted(named - wanted)[:3]}, which the loader finds')
    return lines


class Report:
    def __init__(self, gangway, dump, root):
        self.gangway, self.dump, self.root, self.sites = gangway, dump, root, Sites(root)
        self.nothing, self.stub = root / 'nothing', root / 'stub'
        self.nothing.mkdir()
        self.stub.mkdir()
        subprocess.run(['cc', '-shared', '-fPIC', '-x', 'c', '/dev/null', '-Wl,-soname,libcuda.so.1', '-o', str(self.stub / 'libcuda.so.1')], check=True)

    def environments(self, environment, wheel):
        """(what it is, the site, LD_LIBRARY_PATH)"""
        site = self.sites.of(environment, wheel, True)
        base = self.sites.base(environment, ENVIRONMENTS[environment])
        other = self.sites.base('other-' + environment, OTHER[environment])
        yield 'with all it needs', site, ':'.join([*directories(site), *directories(base), str(self.stub)])
        yield 'as pip installs it', site, None
        yield 'with another release', site, ':'.join([*directories(other), *directories(base), str(self.stub)])
        yield 'alone', self.sites.of(environment, wheel, False), None

    def wheel(self, environment, wheel, members):
        """[(binary, environment, what is wrong, does it load well, how much was compared)]"""
        results = []
        for number, (what, site, library_path) in enumerate(self.environments(environment, wheel)):
            for member in members:
                path = site / member
                loader = Loader(self.dump, path, library_path, bindings=number == 0)
                lines = [line for line in [traced.difference(loader.real, loader.mine)] if line]
                status, file = scan(self.gangway, path, library_path, str(self.nothing))
                lines += disagreements(status, file, loader, path)
                amount = f'{len(loader.real.maps)} files, {len(loader.real.bindings)} bindings, {len(loader.real.missing)} libraries and ' \
                         f'{len(loader.real.undefined) + len(loader.real.late)} symbols missing'
                results.append((f'{wheel.name.split("-")[0]} {wheel.name.split("-")[1]} {os.path.basename(member)}', what, lines, not loader.complains(), amount))
        return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--all', action='store_true', help='the heavy ones, too')
    parser.add_argument('--only', default='', help='wheels with WORD in their names')
    parser.add_argument('gangway')
    parser.add_argument('dump', help='tests/run/loader_dump')
    options = parser.parse_args()
    root = pathlib.Path(tempfile.mkdtemp(prefix='agreement-', dir=elf.wheels.cache()))   # where links to the cache can be made
    bad, well, seen, count = 0, set(), set(), 0
    try:
        report = Report(options.gangway, options.dump, root)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in [pool.submit(report.wheel, *one) for one in binaries(options.all) if options.only in one[1].name]:
                for name, what, lines, good, amount in done.result():
                    seen.add(name)
                    count += 1
                    bad += bool(lines)
                    if good:
                        well.add(name)
                    print(f'{"not ok" if lines else "ok"} {name}, {what}: {amount}{", loads well" if good else ""}', *lines[:8], sep='\n    ', flush=True)
    finally:
        shutil.rmtree(root)
    print(f'{len(seen)} binaries, of which {len(well)} load well somewhere; {count - bad} of {count} comparisons agree')
    enough = options.only or (len(seen) >= (LEAST_IN_ALL if options.all else LEAST) and len(well) >= LEAST_WELL)
    return bad != 0 or not enough


sys.exit(main())
