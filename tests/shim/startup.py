#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program that loads no vendor library notices of us: nothing. Usage: startup.py GANGWAY SHIM-DIRECTORY [TEST…]

What it costs is measured, not tested: tests/bench/startup.c."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GANGWAY = SHIM = ''
MISSING = 'a search that ends without a file'
PROGRAMS = {
    'true': ['true'],
    'a shell and its children': ['/bin/sh', '-c', 'echo one; ls -d /usr /etc; cat /proc/self/comm; exit 7'],
    'a program that writes to both': ['/bin/sh', '-c', 'echo out; echo error >&2; printenv HOME'],
    'Python, threads and modules with code': [
        sys.executable, '-I', '-c',
        'import ctypes, json, threading\n'
        't = threading.Thread(target=lambda: print(json.dumps([ctypes.sizeof(ctypes.c_void_p)])))\n'
        't.start(); t.join()\n'
        'print(ctypes.CDLL(None).strlen(b"four"))'],
    MISSING: [
        sys.executable, '-I', '-c',
        'import ctypes\n'
        'try: ctypes.CDLL("libnowhere-at-all.so.9")\n'
        'except OSError as e: print(e)'],
}


def needed(path):
    """What a file is linked to. glibc's own parts are the same files for everybody, but a small program may not have needed them."""
    text = subprocess.run(['readelf', '-dW', path], capture_output=True, text=True, check=True).stdout
    return re.findall(r'\(NEEDED\).*\[([^\]]+)\]', text)


class Startup(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix='gangway-startup-')
        self.addCleanup(shutil.rmtree, self.work)
        self.log = os.path.join(self.work, 'log')
        self.shim = [os.path.join(SHIM, name) for name in ('libgangway.so', 'libgangway-audit.so')]
        self.bare = {name: value for name, value in os.environ.items()
                     if not name.startswith(('LD_', 'GANGWAY_', 'ASAN_', 'UBSAN_'))}
        self.ours = dict(self.bare, LD_PRELOAD=self.shim[0], LD_AUDIT=self.shim[1], GANGWAY_LOG=self.log, GANGWAY_FACADES='auto',
                         GANGWAY_FACADE_DIR=os.path.join(SHIM, 'facades'))

    def opened(self, words, environment):
        """Status, standard output, standard error, and every path that was opened, of WORDS and what it starts."""
        trace = os.path.join(self.work, 'trace')
        settings = [word for name, value in environment.items() if name not in self.bare
                    for word in ('-E', f'{name}={value}')]
        done = subprocess.run(['strace', '-f', '-qq', '-e', 'signal=none', '-e', 'trace=open,openat,openat2,creat', '-s', '4096',
                               '-o', trace, *settings, '--', *words], capture_output=True, text=True, env=self.bare)
        with open(trace, encoding='utf-8', errors='replace') as lines:
            calls = [line for line in lines if re.search(r'open(at2?)?\(|creat\(', line)]
        self.assertTrue(calls, f'strace saw nothing: {done.stderr}')
        paths = {re.search(r'"((?:[^"\\]|\\.)*)"', line).group(1) for line in calls}
        return (done.returncode, done.stdout, done.stderr), {re.sub(r'^/proc/\d+/', '/proc/N/', path) for path in paths}

    def test_a_process_that_loads_no_vendor_library_opens_no_file_of_ours_and_prints_the_same(self):
        for name in [name for name in PROGRAMS if name != MISSING]:
            with self.subTest(name):
                said, paths = self.opened(PROGRAMS[name], self.bare)
                said_ours, paths_ours = self.opened(PROGRAMS[name], self.ours)
                self.assertEqual(said_ours, said)
                more = {path for path in paths_ours - paths if os.path.basename(path) not in needed(self.shim[0])}
                self.assertEqual(more, set(self.shim), 'opened besides what the program opens')
                self.assertEqual(paths - paths_ours, set(), 'not opened any more')
                self.assertFalse(os.path.exists(self.log))

    def test_a_failed_search_for_a_strange_name_says_the_same_and_opens_no_file_of_ours(self):
        words = PROGRAMS[MISSING]
        said, _ = self.opened(words, self.bare)
        said_ours, paths = self.opened(words, self.ours)
        self.assertEqual(said_ours, said)
        self.assertIn('libnowhere-at-all.so.9', said[1])
        self.assertEqual({path for path in paths if path.startswith(SHIM)}, set(self.shim))

    def test_gangway_run_hands_over_to_a_program_that_prints_and_exits_the_same(self):
        for name, words in PROGRAMS.items():
            with self.subTest(name):
                done = [subprocess.run(before + words, capture_output=True, text=True, env=self.bare)
                        for before in ([], [GANGWAY, 'run', '--'])]
                self.assertEqual(*[(one.returncode, one.stdout, one.stderr) for one in done])

    def test_the_auditor_is_linked_to_nothing_so_that_nothing_is_mapped_for_it(self):
        self.assertEqual(needed(self.shim[1]), [])

    def test_gangway_run_maps_nothing_but_the_c_library_before_the_program(self):
        self.assertEqual(needed(GANGWAY), ['libc.so.6'])


if __name__ == '__main__':
    GANGWAY, SHIM = sys.argv[1], os.path.realpath(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
