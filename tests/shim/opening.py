#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the preload alone, without the auditor, does for names that are dlopened. Usage: opening.py SHIM-DIRECTORY [TEST…]"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'findings'))
import registry  # noqa: E402

SHIM = ''
OPENS = '#include <dlfcn.h>\nconst char *opens(const char *name) { return dlopen(name, RTLD_NOW) ? "yes" : dlerror(); }\n'
PROGRAM = r'''#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	void *handle = NULL;
	char line[8192];
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], ':');
		*value++ = 0;
		errno = 77;
		if (!strcmp(argv[i], "open")) handle = dlopen(value, RTLD_NOW), printf("%s\n", handle ? "yes" : dlerror());
		else if (!strcmp(argv[i], "quiet")) handle = dlopen(value, RTLD_NOW), printf("%s %d\n", handle ? "yes" : "no", handle ? errno : 0);
		else if (!strcmp(argv[i], "find")) printf("%s\n", dlsym(handle, value) ? "yes" : dlerror());
		else if (!strcmp(argv[i], "inside")) printf("%s\n", ((const char *(*)(const char *))dlsym(handle, "opens"))(value));
	}
	FILE *maps = fopen("/proc/self/maps", "r");
	char last[8192] = "";
	while (fgets(line, sizeof line, maps)) {
		char *path = strchr(line, '/');
		if (path && (strstr(path, "/libcu") || strstr(path, "/libnv")) && strcmp(path, last)) printf("mapped %s", strcpy(last, path));
	}
	return 0;
}
'''


class Opening(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix='gangway-opening-')
        self.addCleanup(shutil.rmtree, self.work)
        self.program = self.compile('program', PROGRAM, '-ldl')

    def path(self, *names):
        return os.path.join(self.work, *names)

    def compile(self, name, text, *flags):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(self.path('source.c'), 'w', encoding='utf-8') as file:
            file.write(text)
        subprocess.run(['cc', '-o', path, self.path('source.c'), *flags], check=True)
        return path

    def library(self, name, text, *flags):
        soname = os.path.basename(name)
        with open(self.path('map'), 'w', encoding='utf-8') as file:
            file.write(soname + ' { global: *; };\n')
        return self.compile(name, text, '-shared', '-fPIC', '-Wl,-soname,' + soname, '-Wl,--version-script=' + self.path('map'), *flags)

    def run_both(self, *words, env=None):
        """(lines bare, lines with the preload, findings by code)"""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(('LD_', 'GANGWAY_', 'PYTHON', 'VIRTUAL_ENV'))}
        clean.update(LC_ALL='C', **(env or {}))
        log = self.path('log')
        if os.path.exists(log):
            os.remove(log)
        said = []
        for more in ({}, {'LD_PRELOAD': os.path.join(SHIM, 'libgangway.so'), 'GANGWAY_LOG': log}):
            done = subprocess.run([self.program, *words], env={**clean, **more}, capture_output=True, text=True, check=True)
            registry.check(done.stderr)
            said.append(sorted(done.stdout.splitlines()))
        found, records = {}, []
        if os.path.exists(log):
            with open(log, encoding='utf-8') as file:
                records = [json.loads(line) for line in file]
        for record in records:
            if record['type'] == 'finding':
                found.setdefault(record['code'], []).append(record['text'])
        return said[0], said[1], found

    def test_a_part_that_a_front_library_opens_is_the_one_beside_it(self):
        front = self.library('own/libcudnn.so.97', OPENS, '-ldl')
        own = self.library('own/libcudnn_ops.so.97', 'int own;\n')
        other = self.library('other/libcudnn_ops.so.97', 'int other;\n')
        words, env = [f'open:{front}', 'inside:libcudnn_ops.so.97'], {'LD_LIBRARY_PATH': self.path('other')}
        bare, ours, found = self.run_both(*words, env=env)
        self.assertIn(f'mapped {other}', bare)
        self.assertIn(f'mapped {own}', ours)
        self.assertNotIn(f'mapped {other}', ours)
        self.assertEqual(list(found), ['GW-340'])
        self.assertTrue(found['GW-340'][0].startswith(f'{other} would have answered beside {front}, which belongs'), found)
        for more in ({'GANGWAY_PAIRING': 'off'}, {'GANGWAY_DISABLE': '1'}):
            bare, ours, found = self.run_both(*words, env={**env, **more})
            self.assertEqual((bare, {}), (ours, found))
        bare, ours, found = self.run_both(*words)
        self.assertIn(f'mapped {own}', ours)
        self.assertEqual(found, {})
        shutil.copy(own, other)
        bare, ours, found = self.run_both(*words, env=env)
        self.assertEqual((bare, {}), (ours, found))

    def test_a_vendors_library_is_found_on_the_python_paths_or_told_of(self):
        wheel = self.library('site/nvidia/cufft/lib/libcufft.so.97', 'int fft;\n')
        plugin = self.compile('plugin.so', OPENS, '-shared', '-fPIC', '-ldl')
        words = [f'open:{plugin}', 'inside:libcufft.so.97']
        bare, ours, found = self.run_both(*words, env={'GANGWAY_PYTHON_PATHS': self.path('site')})
        self.assertIn(f'mapped {wheel}', ours)
        self.assertNotIn(f'mapped {wheel}', bare)
        self.assertEqual(found, {})
        bare, ours, found = self.run_both(*words)
        self.assertEqual(bare, ours)
        self.assertEqual(found, {'GW-344': [f'libcufft.so.97, which {plugin} asked for, cannot be opened: no such file where its search goes, or on the Python paths']})
        bare, ours, found = self.run_both('open:libcufft.so.97.1.2', 'open:libneverwas.so.1', 'quiet:libm.so.6')
        self.assertEqual((bare, {}), (ours, found))

    def test_what_the_loader_says_of_a_vendors_library_is_noted(self):
        partner = self.library('new/libcublasLt.so.97', 'int lt(void) { return 1; }\n')
        blas = self.library('new/libcublas.so.97', 'int lt(void);\nint blas(void) { return lt(); }\n', partner, '-Wl,-rpath,' + self.path('old'))
        self.library('old/libcublasLt.so.97', 'int other;\n')
        bare, ours, found = self.run_both(f'open:{blas}')
        self.assertEqual(bare, ours)
        self.assertEqual(found, {'GW-346': [f'the loader said: {blas}: undefined symbol: lt, version libcublasLt.so.97']})
        with open(self.path('libcusparse.so.97'), 'w', encoding='utf-8') as file:
            file.write('text')
        bare, ours, found = self.run_both('open:' + self.path('libcusparse.so.97'))
        self.assertEqual((bare, ['GW-346']), (ours, list(found)))
        self.assertEqual(self.run_both('quiet:' + self.path('libcusparse.so.97'))[2], {})
        # Whoever asks for a symbol may do without it.
        bare, ours, found = self.run_both(f'open:{partner}', 'find:nothing_like_it', 'find:lt')
        self.assertEqual((bare, {}), (ours, found))
        bare, ours, found = self.run_both(f'open:{blas}', env={'GANGWAY_DISABLE': '1'})
        self.assertEqual((bare, {}), (ours, found))


if __name__ == '__main__':
    SHIM = os.path.realpath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
