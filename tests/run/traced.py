# SPDX-License-Identifier: Apache-2.0
"""What the real loader says of a file, and what the model says, in one form.

The loader traces (LD_TRACE_LOADED_OBJECTS): it maps and binds, and runs nothing of the file. It is called by its own name, so that a
library is traced as if it were the program.
"""
import glob
import os
import re
import subprocess
import tempfile

LOADER = '/lib64/ld-linux-x86-64.so.2'
CLEAN = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C'}


class Trace:
    """maps: paths in order; missing: names; versions: (node, file, object); undefined: (symbol, node, object); late: the same, found
    at the first call alone; assertion: did the loader end with one; refused: its message; bindings: (object, symbol, node) -> provider, for
    the loader a set: a call and an address may be answered by two, and the model says who answers the address."""

    def __init__(self):
        self.maps, self.missing, self.versions, self.undefined, self.late = [], set(), set(), set(), set()
        self.assertion, self.refused, self.bindings = False, None, {}

    def plain(self):
        """What two traces are compared by. After an assertion or a refusal the loader says no more."""
        if self.refused:
            return {'refused': True}
        if self.assertion:
            return {'assertion': True}
        return {'maps': self.maps, 'missing': self.missing, 'versions': self.versions, 'undefined': self.undefined, 'late': self.late}


def _real(path):
    return os.path.realpath(path)


def _loader(path, env, extra=None):
    full = dict(CLEAN, LD_TRACE_LOADED_OBJECTS='1', **env)
    full.update(extra or {})
    return subprocess.run([LOADER, path], env=full, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace',
                          timeout=300)


def _undefined(text):
    return {(m[1], m[2] or '-', _real(m[3])) for m in re.finditer(r'^undefined symbol: (\S+?)(?:, version (\S+))?\t\((.*)\)$', text, re.M)}


def loader(path, library_path=None, preload=None, bindings=False):
    env = {}
    if library_path:
        env['LD_LIBRARY_PATH'] = library_path
    if preload:
        env['LD_PRELOAD'] = preload
    trace = Trace()
    whole = _loader(path, env, {'LD_WARN': '1', 'LD_BIND_NOW': '1'})
    text = whole.stdout + whole.stderr
    trace.assertion = 'Inconsistency detected by ld.so' in text
    for line in whole.stdout.splitlines():
        found = re.match(r'\t(\S+)(?: => (.*?))?(?: \(0x[0-9a-f]+\))?$', line)
        if not found or found[1].startswith('linux-vdso'):
            continue
        if found[2] == 'not found':
            trace.missing.add(found[1])
        else:
            trace.maps.append(_real(found[2] or found[1]))
    if whole.returncode and not trace.assertion and not trace.maps:
        trace.refused = text.strip()
    trace.maps.insert(0, _real(path))
    for m in re.finditer(r"^.*?: (\S+): version `(\S+)' not found \(required by (.*)\)$", text, re.M):
        trace.versions.add((m[2], _real(m[1]), _real(m[3])))
    trace.undefined = _undefined(text)
    if trace.undefined:
        lazy = _loader(path, env, {'LD_WARN': '1'})
        now = _undefined(lazy.stdout + lazy.stderr)
        trace.late, trace.undefined = trace.undefined - now, now
    if bindings:
        trace.bindings = _bindings(path, env)
    return trace


def _bindings(path, env):
    found = {}
    with tempfile.TemporaryDirectory(prefix='gw-bind-') as folder:
        _loader(path, env, {'LD_WARN': '1', 'LD_BIND_NOW': '1', 'LD_DEBUG': 'bindings', 'LD_DEBUG_OUTPUT': folder + '/b'})
        for name in glob.glob(folder + '/b*'):
            with open(name, encoding='utf-8', errors='replace') as file:
                for line in file:
                    m = re.search(r"binding file (.*) \[0\] to (.*) \[0\]: \w+ symbol `(\S+)'(?: \[(\S+)\])?", line)
                    if m and 'linux-vdso' not in m[1] and not m[1].endswith('ld-linux-x86-64.so.2'):
                        found.setdefault((_real(m[1]), m[3], m[4] or '-'), set()).add(_real(m[2]))
    return found


def model(dump, path, library_path=None, preload=None, bindings=False, main=None, root=None):
    env = dict(CLEAN)
    for name, value in (('GW_LIBRARY_PATH', library_path), ('GW_PRELOAD', preload), ('GW_ROOT', root)):
        if value:
            env[name] = value
    command = [dump, *([main] if main else []), path]
    trace = Trace()
    done = subprocess.run(command, env=env, capture_output=True, text=True, errors='replace', timeout=300)
    if done.returncode < 0 or 'Sanitizer' in done.stderr:
        raise RuntimeError(f'{command}: {done.returncode} {done.stderr}')
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(' ')
        words = rest.split(' ')
        if word == 'map':
            trace.maps.append(_real(rest))
        elif word == 'missing':
            trace.missing.add(rest)
        elif word == 'version':
            trace.versions.add((words[0], _real(words[1]), _real(words[2])))
        elif word in ('undefined', 'late'):
            (trace.undefined if word == 'undefined' else trace.late).add((words[0], words[1], _real(words[2])))
        elif word == 'assertion':
            trace.assertion = True
        elif word in ('refused', 'error'):
            trace.refused = trace.refused or rest
    if bindings:
        done = subprocess.run([command[0], '--bindings', *command[1:]], env=env, capture_output=True, text=True, errors='replace',
                              timeout=300)
        for line in done.stdout.splitlines():
            words = line.split(' ')
            if words[0] == 'bind':
                trace.bindings[_real(words[1]), words[3], words[4]] = '-' if words[2] == '-' else _real(words[2])
    return trace


def difference(real, mine):
    """Empty where both say the same."""
    a, b, lines = real.plain(), mine.plain(), []
    if real.missing and 'undefined' in a and 'undefined' in b:
        # The model leaves out what a missing library explains.
        for key in ('undefined', 'late'):
            a[key] = a[key] & b[key]
    if real.versions:
        # And what a missing version explains.
        lost = {(node, path) for node, _, path in real.versions}
        for key in ('undefined', 'late'):
            a[key] = {one for one in a.get(key, set()) if one[1:] not in lost}
    for key in sorted(set(a) | set(b)):
        if a.get(key) != b.get(key):
            lines.append(f'  {key}: loader {_short(a.get(key), b.get(key))}, model {_short(b.get(key), a.get(key))}')
    for key, providers in real.bindings.items():
        if mine.bindings.get(key) not in {'-', *providers}:
            lines.append(f'  {key}: loader {providers}, model {mine.bindings.get(key)}')
    return '\n'.join(lines[:12])


def _short(value, other):
    if isinstance(value, set) and isinstance(other, set):
        return f'{len(value)}, alone: {sorted(value - other)[:4]}'
    return value
