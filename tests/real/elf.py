# SPDX-License-Identifier: Apache-2.0
"""What the tests of real libraries read out of ELF files and wheels, with readelf alone: not one line is shared with the product."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'wheels'))
import wheels  # noqa: E402

FORMAT = 2  # of the cached symbol lists


def readelf(*arguments):
    done = subprocess.run(['readelf', '-W', *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f'readelf {" ".join(map(str, arguments))}: {done.stderr.strip()}')
    return done.stdout


def dynamic(path):
    """{'SONAME': […], 'NEEDED': […], 'RUNPATH': […]}"""
    found = {}
    for kind, value in re.findall(r'\((\w+)\)[^\[\n]*\[([^\]]*)\]', readelf('-d', path)):
        found.setdefault(kind, []).append(value)
    return found


def symbols(path):
    """(functions exported as (name, node), names imported as (name, node)); node '' where there is none."""
    exported, imported = set(), set()
    for line in readelf('--dyn-syms', path).splitlines():
        word = line.split()
        if len(word) < 8 or not word[0][:-1].isdigit():
            continue
        kind, bind, visibility, index = word[3:7]
        name, _, node = word[7].partition('@')
        node = node.lstrip('@')
        if index == 'UND':
            imported.add((name, node))
        elif kind in ('FUNC', 'IFUNC') and bind in ('GLOBAL', 'WEAK', 'UNIQUE') and visibility in ('DEFAULT', 'PROTECTED'):
            exported.add((name, node))
    return exported, imported


def glibc_versions(path):
    """Every GLIBC_… version that the file asks for."""
    return sorted(set(re.findall(r'Name: (GLIBC_\S+)', readelf('-V', path))))


def _declared(archive):
    """Names that look like a function's in any header of the wheel, comments taken out."""
    names = set()
    for member in archive.namelist():
        if member.endswith('.h'):
            text = archive.read(member).decode('utf-8', 'replace')
            text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
            text = re.sub(r'//[^\n]*', ' ', text)
            names.update(re.findall(r'\b([A-Za-z_]\w*)\s*\(', text))
    return names


def _read(path):
    """What `wheel_exports` caches: {soname: {file, exported of the kinds named}}."""
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory(dir=wheels.cache()) as folder:
        declared = _declared(archive)
        files = {}
        for member in archive.namelist():
            if not re.search(r'/lib/[^/]+\.so(\.\d+)*$', member):
                continue
            file = archive.extract(member, folder)
            soname = dynamic(file).get('SONAME', [os.path.basename(member)])[0]
            files[soname] = (member, *symbols(file))
            os.unlink(file)
    result = {}
    for soname, (member, exported, _) in files.items():
        wanted = set()
        for other, (_, _, imported) in files.items():
            if other != soname:
                wanted |= imported
        prefix = re.match(r'lib(cublas|cudnn|cusparse)', soname)
        prefix = (prefix.group(1),) if prefix else ()
        kept = sorted((name, node) for name, node in exported
                      if name.startswith(('cublas', 'cudnn') + prefix) or name in declared
                      or (name, node) in wanted or (name, '') in wanted)
        result[soname] = {'file': member, 'exports': kept, 'others': len(exported) - len(kept)}
    return result


def wheel_exports(path):
    """{soname: {(name, node)…}} of a wheel: each function symbol that a header declares, that begins with cublas or cudnn (or
    the library's own prefix), or that a sibling file imports. Kept beside the wheels, since it takes a minute a wheel."""
    path = pathlib.Path(path)
    kept = wheels.cache() / 'symbols' / (path.name + '.json')
    stamp = [FORMAT, path.stat().st_size]
    with wheels.locked('symbols-' + path.name):
        if kept.is_file():
            found = json.loads(kept.read_text())
            if found['stamp'] == stamp:
                return {soname: {tuple(pair) for pair in facts['exports']} for soname, facts in found['libraries'].items()}
        libraries = _read(path)
        kept.parent.mkdir(parents=True, exist_ok=True)
        aside = kept.with_suffix('.part')
        aside.write_text(json.dumps({'stamp': stamp, 'libraries': libraries}))
        os.replace(aside, kept)
    return {soname: {tuple(pair) for pair in facts['exports']} for soname, facts in libraries.items()}
