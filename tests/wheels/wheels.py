# SPDX-License-Identifier: Apache-2.0
"""The cache of published wheels: finds, fetches and unpacks them. The only place that knows where they lie.

${GANGWAY_CACHE:-$HOME/.cache/gangway}/wheels/       the wheels as published; files found there are reused
                                     /unpacked/WHEEL-STEM/  what tests asked for, file by file, shared between runs
                                     /sites/NAME/    a directory for PYTHONPATH, one for each set `site-NAME`
                                     /symbols/       symbol lists that exports.py read out of the wheels
                                     /sparse/WHEEL-STEM/  libraries without their GPU code (sparse.py)
                                     /pairs/         programs of pairs.py, and what they print on their own libraries

A wheel that is neither there nor to be had is an error (MissingWheel), never a skip. Safe to run several times at once.
"""
import contextlib
import fcntl
import fnmatch
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PLATFORMS = ['manylinux_2_28_x86_64', 'manylinux_2_27_x86_64', 'manylinux_2_17_x86_64', 'manylinux2014_x86_64',
             'manylinux2010_x86_64', 'manylinux_2_5_x86_64', 'manylinux1_x86_64', 'any']


class MissingWheel(Exception):
    pass


class Entry:
    def __init__(self, package, version, python, sets):
        self.package, self.version, self.python, self.sets = package, version, python, sets

    def __str__(self):
        return f'{self.package} {self.version}' + ('' if self.python == '-' else f' for {self.python}')


def cache():
    root = os.environ.get('GANGWAY_CACHE') or os.path.expanduser('~/.cache/gangway')
    return pathlib.Path(root)


def entries(path=HERE / 'list'):
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split('#')[0].split()
        if not words:
            continue
        if len(words) < 4:
            raise SystemExit(f'{path}:{number}: expected PACKAGE VERSION PYTHON SET…')
        found.append(Entry(words[0], words[1], words[2], words[3:]))
    return found


def in_set(name):
    found = [entry for entry in entries() if name in entry.sets]
    if not found:
        known = sorted({known for entry in entries() for known in entry.sets})
        raise SystemExit(f'no set {name} in {HERE / "list"}; it has: {" ".join(known)}')
    return found


def _plain(name):
    return re.sub(r'[-_.]+', '_', name).lower()


def _fits(path, entry):
    part = path.name[:-len('.whl')].split('-')
    if len(part) < 5 or _plain(part[0]) != _plain(entry.package) or part[1] != entry.version:
        return False
    tags, abi = part[-3].split('.'), part[-2]
    return entry.python == '-' or entry.python in tags or abi == 'abi3' or any(t.startswith('py') for t in tags)


def present(entry):
    folder = cache() / 'wheels'
    found = sorted(path for path in folder.glob('*.whl') if _fits(path, entry)) if folder.is_dir() else []
    return found[0] if found else None


@contextlib.contextmanager
def locked(name):
    folder = cache() / 'locks'
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / re.sub(r'[^A-Za-z0-9_.-]', '_', name), 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _download(entry, into):
    command = [sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '--no-cache-dir', '--only-binary=:all:',
               '--disable-pip-version-check', '-d', str(into), f'{entry.package}=={entry.version}']
    if entry.python != '-':
        number = entry.python[2:]
        command += ['--implementation', 'cp', '--python-version', f'{number[0]}.{number[1:]}']
        command += [word for platform in PLATFORMS for word in ('--platform', platform)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise MissingWheel(f'cannot fetch {entry}:\n{done.stdout.strip()}\n'
                           f'Put the wheel into {cache() / "wheels"} by hand, or try again with a network.')


def wheel(entry):
    """Path of the entry's wheel in the cache; downloads it when it is not there."""
    with locked(f'{_plain(entry.package)}-{entry.version}-{entry.python}'):
        path = present(entry)
        if path:
            return path
        folder = cache() / 'wheels'
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache(), prefix='fetch-') as aside:
            _download(entry, aside)
            for got in pathlib.Path(aside).glob('*.whl'):
                os.replace(got, folder / got.name)
        path = present(entry)
        if not path:
            raise MissingWheel(f'cannot fetch {entry}: pip brought no wheel that fits')
        return path


def find(package, version=None, python='-'):
    """The entry of the list for PACKAGE (its only one, or the one of VERSION), fetched."""
    fitting = [entry for entry in entries() if _plain(entry.package) == _plain(package)
               and version in (None, entry.version) and python in ('-', entry.python)]
    if not fitting:
        raise SystemExit(f'{package} {version or ""} {python} is not in {HERE / "list"}')
    return wheel(fitting[-1])


def unpack(path, globs, into=None):
    """Takes the members that fit GLOBS out of a wheel, once; returns the directory that they lie under."""
    path = pathlib.Path(path)
    target = pathlib.Path(into) if into else cache() / 'unpacked' / path.name[:-len('.whl')]
    target.mkdir(parents=True, exist_ok=True)
    with locked('unpack-' + path.name), zipfile.ZipFile(path) as archive:
        members = [info for info in archive.infolist() if not info.is_dir()
                   and any(fnmatch.fnmatch(info.filename, glob) for glob in globs)]
        if not members:
            raise MissingWheel(f'{path} has no member like {" ".join(globs)}')
        for info in members:
            file = target / info.filename
            if target.resolve() not in file.resolve().parents:
                raise MissingWheel(f'{path}: member {info.filename} would leave {target}')
            if file.is_file() and file.stat().st_size == info.file_size:
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            aside = file.with_name(file.name + '.part')
            with archive.open(info) as source, open(aside, 'wb') as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
            os.replace(aside, file)
    return target


def site(name):
    """A directory for PYTHONPATH that holds the wheels of the set site-NAME; made once, remade when the list changes."""
    wanted = [wheel(entry) for entry in in_set('site-' + name)]
    mark = hashlib.sha256('\n'.join(sorted(path.name for path in wanted)).encode()).hexdigest()
    target = cache() / 'sites' / name
    with locked('site-' + name):
        done = target / '.complete'
        if done.is_file() and done.read_text() == mark:
            return target
        aside = target.with_name(name + '.part')
        for old in (aside, target):
            shutil.rmtree(old, ignore_errors=True)
        aside.mkdir(parents=True)
        for path in wanted:
            with zipfile.ZipFile(path) as archive:
                archive.extractall(aside)
            for data in aside.glob('*.data'):
                for kind in ('purelib', 'platlib'):
                    if (data / kind).is_dir():
                        shutil.copytree(data / kind, aside, dirs_exist_ok=True)
                shutil.rmtree(data)
        (aside / '.complete').write_text(mark)
        os.replace(aside, target)
    return target
