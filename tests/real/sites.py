# SPDX-License-Identifier: Apache-2.0
"""Directories that look like a site-packages, with the sparse copies of a wheel's libraries linked in, not copied."""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / 'wheels'))
import elf  # noqa: E402
import sparse  # noqa: E402


class Sites:
    def __init__(self, root):
        self.root = root

    def of(self, package, release, folder, root=None):
        """The directory of PACKAGE's libraries, in a site of its own, or in the site ROOT that others share."""
        wheel = elf.wheels.find(package, release)
        name = wheel.name.split('-')[0]
        site = self.root / (root or f'{name}-{release}')
        where = site / 'nvidia' / folder / 'lib'
        if not where.is_dir():
            where.mkdir(parents=True)
            (site / f'{name}-{release}.dist-info').mkdir()
            for library in sparse.libraries(wheel).iterdir():
                os.link(library, where / library.name)
        return where
