# SPDX-License-Identifier: Apache-2.0
"""Sparse copies of the libraries in a wheel: what the loader and the code for the host need, with the code for GPUs as holes.

A cuBLAS or cuDNN is 0.4 to 1.3 GB, nearly all of it kernels that nothing reads on a machine without a GPU. A sparse copy takes 30
to 250 MB of disk, is as long as the file, and maps like it. It is made once, in ${GANGWAY_CACHE:-~/.cache/gangway}/sparse/WHEEL-STEM
(tree(): trees/WHEEL-STEM), aside, and takes its name when it is whole: a directory of that name is complete.
"""
import os
import pathlib
import re
import shutil
import struct
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import wheels  # noqa: E402

# Sections that hold kernels, which the driver alone reads, and the weights of heuristics, which need a handle.
HOLES = ('.nv_fatbin', '__nv_relfatbin', '.cask_resource', '.ldata', '.lrodata')
PAGE = 4096


def _holes(data):
    """(begin, end) of each section for the GPU, whole pages of the file."""
    if data[:6] != b'\x7fELF\x02\x01':
        return []
    offset, = struct.unpack_from('<Q', data, 40)
    entry, count, names_at = struct.unpack_from('<HHH', data, 58)
    sections = [struct.unpack_from('<IIQQQQ', data, offset + i * entry) for i in range(count)]
    names = sections[names_at][4]
    found = []
    for name, kind, _, _, begin, size in sections:
        word = data[names + name:data.index(b'\0', names + name)].decode()
        if kind != 8 and word in HOLES:     # 8: SHT_NOBITS
            found.append(((begin + PAGE - 1) // PAGE * PAGE, (begin + size) // PAGE * PAGE))
    return sorted(found)


def _member(archive, info, target):
    data = bytearray(info.file_size)
    view, at = memoryview(data), 0
    with archive.open(info) as source:      # checks the sum at the end
        while at < len(data):
            got = source.readinto(view[at:at + (1 << 20)])
            if not got:
                raise zipfile.BadZipFile(f'{info.filename} ends early')
            at += got
        if source.read(1):
            raise zipfile.BadZipFile(f'{info.filename} is longer than it says')
    with open(target, 'wb') as out:
        at = 0
        for begin, end in [*_holes(data), (len(data), len(data))]:
            if begin > at:
                out.seek(at)
                out.write(view[at:begin])
            at = max(at, end)
        out.truncate(len(data))
    view.release()


def _made(path, kind, wanted, place):
    """The directory KIND/WHEEL-STEM of the cache, with a copy at PLACE(name) of each member whose name fits WANTED; made when it is not there."""
    path = pathlib.Path(path)
    target = wheels.cache() / kind / path.name[:-len('.whl')]
    if target.is_dir():
        return target
    with wheels.locked(f'{kind}-{path.name}'):
        if target.is_dir():
            return target
        aside = target.with_name(target.name + '.part')
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if re.search(wanted, info.filename)]
            if not members:
                raise wheels.MissingWheel(f'{path} has no library')
            for info in members:
                file = aside / place(info.filename)
                if target.resolve() not in (target / place(info.filename)).resolve().parents:
                    raise wheels.MissingWheel(f'{path}: member {info.filename} would leave {target}')
                file.parent.mkdir(parents=True, exist_ok=True)
                _member(archive, info, file)
        os.replace(aside, target)
    return target


def libraries(path):
    """The directory of sparse copies of every library in the wheel PATH, side by side; made when it is not there."""
    return _made(path, 'sparse', r'/lib/lib[^/]+\.so[.\d]*$', os.path.basename)


def tree(path):
    """The same for every shared object of the wheel, where it lies in a site-packages, and with what is installed beside them (METADATA, RECORD)."""
    return _made(path, 'trees', r'\.so(\.\d+)*$|\.dist-info/(METADATA|RECORD)$', lambda name: name)
