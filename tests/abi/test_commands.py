#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gangway abi …` on small wheels made here. Usage: test_commands.py GANGWAY [TEST…]"""
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wheelmaker as make  # noqa: E402

GANGWAY = ''
FINE, FINDINGS, USAGE, FAILED = range(4)


class Commands(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix='gangway-abi-')
        self.addCleanup(shutil.rmtree, self.work)
        self.database = self.folder('database')

    def folder(self, name):
        path = os.path.join(self.work, name)
        os.makedirs(path, exist_ok=True)
        return path

    def abi(self, *words, status=FINE, database=None, **options):
        environment = dict(os.environ, ASAN_OPTIONS='exitcode=99:detect_leaks=0', UBSAN_OPTIONS='halt_on_error=1:exitcode=98')
        done = subprocess.run([GANGWAY, 'abi', '--database', database or self.database, *words], capture_output=True, text=True,
                              env=environment, **options)
        self.assertEqual(done.returncode, status, f'{words}\n{done.stdout}\n{done.stderr}')
        if status in (USAGE, FAILED):
            self.assertNotEqual(done.stderr, '')
        self.error = done.stderr
        return done.stdout

    def show(self, *words):
        return json.loads(self.abi('show', *words, '--json'))

    def cublas(self, version, **options):
        return make.write_wheel(self.work, 'nvidia-cublas-cu12', version, make.cublas_files(self.work, version, **options))

    def content(self, database=None):
        database = database or self.database
        out = {}
        for name in sorted(os.listdir(database)):
            with open(os.path.join(database, name), 'rb') as data:
                out[name] = data.read()
        return out

    def test_importing_a_wheel_again_changes_no_byte(self):
        wheel = self.cublas('12.1.3.1')
        self.abi('import', wheel)
        before = self.content()
        self.assertEqual(sorted(before), ['cublas.abi', 'cublasLt.abi'])
        self.abi('import', wheel)
        self.assertEqual(self.content(), before)

    def test_a_whole_copy_of_the_database_may_be_named_by_the_directory_around_its_facts(self):
        around = self.folder('copy')
        facts = self.folder('copy/facts')
        self.abi('import', self.cublas('12.1.3.1'), database=around)
        self.assertEqual(sorted(os.listdir(around)), ['facts'])
        self.assertEqual(sorted(self.content(facts)), ['cublas.abi', 'cublasLt.abi'])
        self.assertEqual(self.abi('list', database=around), self.abi('list', database=facts))

    def test_an_import_without_its_program_says_what_is_missing(self):
        alone = shutil.copy(GANGWAY, self.folder('alone'))
        done = subprocess.run([alone, 'abi', '--database', self.database, 'import', self.cublas('12.1.3.1')], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertEqual(done.stderr.count('\n'), 1)
        self.assertIn('gangway-import is neither', done.stderr)
        self.assertEqual(self.content(), {})

    def test_every_order_of_imports_gives_the_same_bytes(self):
        wheels = [self.cublas('12.1.3.1'),
                  self.cublas('12.9.0.7', more='cublasStatus_t cublasNew(long long n);', words=32),
                  self.cublas('12.10.0.1', more='#define CUBLAS_EXTRA 7'),
                  make.write_wheel(self.work, 'nvidia-cublas', '12.9.0.7', make.cublas_files(
                      self.work, '12.9.0.7', more='\n\n\ncublasStatus_t cublasNew(long n);', words=23))]
        contents = []
        for number, order in enumerate(itertools.permutations(wheels)):
            database = self.folder(f'order{number}')
            self.abi('import', *order, database=database)
            contents.append(self.content(database))
        for content in contents[1:]:
            self.assertEqual(content, contents[0])
        text = contents[0]['cublas.abi'].decode()
        # both wheels of 12.9.0.7 are named, and both of their facts are kept
        self.assertIn('release\t12.9.0.7\tnvidia_cublas-12.9.0.7-py3', text)
        self.assertIn('.whl,nvidia_cublas_cu12-12.9.0.7-py3', text)
        self.assertIn('function\tcublasNew\tcublasStatus_t\tn: long\t12.9.0.7\tcublas_api.h:', text)
        self.assertIn('function\tcublasNew\tcublasStatus_t\tn: long long\t12.9.0.7\tcublas_api.h:', text)
        self.assertIn('struct\tcublasLtOpaque_t\t96\t12.1.3.1,12.10.0.1..\t', contents[0]['cublasLt.abi'].decode())

    def test_a_release_in_the_middle_splits_ranges_and_one_that_agrees_joins_them(self):
        for version, words in (('12.1.3.1', 12), ('12.9.0.7', 12), ('12.4.0.1', 16)):
            self.abi('import', self.cublas(version, words=words))
        text = self.content()['cublasLt.abi'].decode()
        self.assertIn('struct\tcublasLtOpaque_t\t96\t12.1.3.1,12.9.0.7..\tcublasLt.h:3\n', text)
        self.assertIn('struct\tcublasLtOpaque_t\t128\t12.4.0.1\tcublasLt.h:3\n', text)
        self.assertIn('function\tcublasLtMatmul\tcublasStatus_t\topaque: cublasLtOpaque_t *, type: cudaDataType_t\t12.1.3.1..\t', text)

    def test_an_unpacked_wheel_and_a_site_packages_directory_give_what_the_wheel_gives(self):
        files = make.cublas_files(self.work, '12.1.3.1')
        self.abi('import', make.write_wheel(self.work, 'nvidia-cublas-cu12', '12.1.3.1', files))
        one = make.write_directory(self.folder('unpacked'), 'nvidia-cublas-cu12', '12.1.3.1', files)
        self.abi('import', one, database=self.folder('second'))
        self.assertEqual(self.content(self.folder('second')), self.content())
        make.write_directory(one, 'nvidia-cudnn-cu12', '9.1.0.70', make.cudnn_files(self.work, '9.1.0.70'))
        make.write_directory(one, 'numpy', '1.0', {'numpy/core.py': b''})
        self.abi('import', one, database=self.folder('third'))
        both = self.content(self.folder('third'))
        self.assertEqual(both['cublas.abi'], self.content()['cublas.abi'])
        self.assertIn(b'release\t9.1.0.70\tnvidia_cudnn_cu12-9.1.0.70-py3', both['cudnn.abi'])

    def test_a_toolkit_is_read_through_its_links_and_its_macros_name_the_release(self):
        files = make.cublas_files(self.work, '12.1.3.1')
        toolkit = make.write_toolkit(self.folder('toolkit'), {**files, **make.cudnn_files(self.work, '9.1.0.70')})
        self.abi('import', toolkit)
        self.abi('import', make.write_wheel(self.work, 'nvidia-cublas-cu12', '12.1.3.1', files), database=self.folder('wheel'))
        self.assertEqual(self.content()['cublas.abi'].replace(b'release\t12.1.3.1\t-', b'release\t12.1.3.1\tnvidia_cublas_cu12-'
                         b'12.1.3.1-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl'), self.content(self.folder('wheel'))['cublas.abi'])
        self.assertEqual(self.show('cudnn', '9.1')['release'], '9.1.0')

    def test_headers_are_read_with_all_that_c_allows_in_them(self):
        self.abi('import', self.cublas('12.1.3.1'))
        shown = self.show('cublas', '12.1.3.1')
        self.assertEqual(shown['enums'], {'cublasStatus_t': {'CUBLAS_STATUS_SUCCESS': 0, 'CUBLAS_STATUS_LOW': -3},
                                          'cublasOperation_t': {'CUBLAS_OP_N': 0, 'CUBLAS_OP_C': 2, 'CUBLAS_OP_HERMITAN': 2},
                                          '-': {'CUBLAS_LOOSE': 4294967295}})
        functions = {f['name']: (f['returns'], [(p['name'], p['type']) for p in f['parameters']]) for f in shown['functions']}
        self.assertEqual(functions, {
            'cublasCreate_v2': ('cublasStatus_t', [('handle', 'cublasHandle_t *')]),
            'cublasPlain': ('cublasStatus_t', []),
            'cublasHalf': ('cublasStatus_t', [('x', 'const __half *'), ('y', '__half *')]),
            'cublasArrays': ('cublasStatus_t', [('A', 'const cuComplex *const[]'), ('shape', 'int[4]'),
                                                ('_', 'void (*)(int, float)'), ('named', 'cublasNamed_t')])})
        self.assertEqual(shown['structs'], {'cublasNamed_t': {'size': 32, 'fields': [
            {'name': 'low', 'type': 'unsigned int : 3 at bit 0', 'offset': 0, 'size': 4},
            {'name': 'high', 'type': 'unsigned int : 5 at bit 3', 'offset': 0, 'size': 4},
            {'name': 'f', 'type': 'float', 'offset': 4, 'size': 4},
            {'name': 'i', 'type': 'int', 'offset': 4, 'size': 4},
            {'name': 'inner', 'type': 'struct {…}', 'offset': 8, 'size': 24},
            {'name': 'inner.c', 'type': 'char', 'offset': 8, 'size': 1},
            {'name': 'inner.n', 'type': 'int64_t[2]', 'offset': 16, 'size': 16}]}})
        self.assertEqual(shown['macros'], {'CUBLAS_VER_MAJOR': 12, 'CUBLAS_VER_MINOR': 1, 'CUBLAS_VER_PATCH': 3,
                                           'CUBLAS_VER_BUILD': 1, 'CUBLAS_VERSION': 120103})
        self.assertEqual(shown['foreign']['structs']['float2']['size'], 8)
        lt = self.show('cublasLt', '12.1')
        self.assertEqual(lt['soname'], 'libcublasLt.so.12')
        self.assertEqual(lt['enums'], {})
        self.assertEqual(lt['foreign']['enums']['cublasStatus_t']['CUBLAS_STATUS_LOW'], -3)
        self.assertEqual(lt['foreign']['enums']['cudaDataType_t']['CUDA_R_32F'], 0)

    def test_exports_are_the_declared_the_named_and_those_that_a_sibling_imports(self):
        self.abi('import', self.cublas('12.1.3.1'))
        self.assertEqual(self.show('cublas', '12.1')['exports'],
                         {'libcublas.so.12': ['cublasArrays', 'cublasCreate_v2', 'cublasPlain', 'cublasSecret']})
        shown = self.show('cublasLt', '12.1')
        self.assertEqual(shown['exports'], {'libcublasLt.so.12': ['_Z6sharedv', 'cublasLtMatmul']})
        self.assertEqual(shown['nodes'], {'libcublasLt.so.12': 'libcublasLt.so.12'})
        self.assertEqual(shown['others']['libcublasLt.so.12']['count'], 1)
        self.assertEqual(self.show('cublas', '12.1')['needed'], {'libcublas.so.12': ['libcublasLt.so.12']})

    def test_versioned_copies_of_headers_add_nothing_and_are_not_named(self):
        self.abi('import', make.write_wheel(self.work, 'nvidia-cudnn-cu12', '9.1.0.70', make.cudnn_files(self.work, '9.1.0.70')))
        text = self.content()['cudnn.abi'].decode()
        self.assertNotIn('_v9.h', text)
        self.assertIn('function\tcudnnCreate\tcudnnStatus_t\thandle: void **\t9.1.0.70..\tcudnn_ops.h:5\n', text)

    def refused(self, wheel, *expected, **options):
        """The import fails with one line that says why, and changes nothing."""
        before = self.content()
        self.abi('import', wheel, status=FAILED, **options)
        self.assertEqual(self.error.count('\n'), 1, self.error)
        for part in expected:
            self.assertIn(part, self.error)
        self.assertEqual(self.content(), before)

    def test_a_wheel_that_is_cut_off_anywhere_is_refused_and_nothing_changes(self):
        self.abi('import', self.cublas('12.1.3.1'))
        wheel = self.cublas('12.2.0.1')
        size = os.path.getsize(wheel)
        with open(wheel, 'rb') as data:
            whole = data.read()
        for length in (0, 1, 100, size // 2, size - 1000, size - 30):
            with open(wheel, 'wb') as out:
                out.write(whole[:length])
            self.refused(wheel, wheel)

    def test_a_wheel_with_damaged_content_is_refused_and_nothing_changes(self):
        self.abi('import', self.cublas('12.1.3.1'))
        wheel = self.cublas('12.2.0.1')
        with open(wheel, 'rb') as data:
            whole = bytearray(data.read())
        at = whole.index(b'nvidia/cublas/lib/libcublasLt.so.12') + 400
        whole[at:at + 8] = bytes(b ^ 255 for b in whole[at:at + 8])
        with open(wheel, 'wb') as out:
            out.write(whole)
        self.refused(wheel, 'libcublasLt.so.12', 'damaged')

    def test_a_header_that_does_not_compile_is_refused_with_its_place(self):
        self.abi('import', self.cublas('12.1.3.1'))
        self.refused(self.cublas('12.2.0.1', more='cublasStatus_t cublasBad(unknown_t x);'), 'cublas_api.h:', 'unknown_t')

    def test_half_a_family_is_refused(self):
        files = make.cublas_files(self.work, '12.1.3.1')
        files = {p: d for p, d in files.items() if not p.endswith('.h')}
        self.refused(make.write_wheel(self.work, 'nvidia-cublas-cu12', '12.1.3.1', files), 'libraries of family cublas', 'no header')

    def test_a_wheel_of_something_else_is_refused(self):
        self.refused(make.write_wheel(self.work, 'numpy', '1.0', {'numpy/core.py': b''}), 'no header or library of a known family')

    def test_a_full_disk_leaves_the_database_and_no_other_file(self):
        # a database larger than the libraries, and a limit between them
        many = ''.join(f'cublasStatus_t cublasFunctionNumber{n}(cublasHandle_t handle);\n' for n in range(900))
        self.abi('import', self.cublas('12.1.3.1', more=many))
        self.assertGreater(len(self.content()['cublas.abi']), 70000)
        self.refused(self.cublas('12.2.0.1', more=many), 'left as it was',
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000)))

    def test_a_damaged_database_is_refused_with_its_place_and_kept(self):
        self.abi('import', self.cublas('12.1.3.1'))
        path = os.path.join(self.database, 'cublas.abi')
        with open(path, 'a', encoding='utf-8') as out:
            out.write('enum\tlate\n')
        lines = self.content()['cublas.abi'].count(b'\n')
        self.refused(self.cublas('12.2.0.1'), f'{path}:{lines}:1: `enum` needs 5 columns')
        self.abi('list', status=FAILED)
        self.assertIn(f'{path}:{lines}:1:', self.error)

    def test_hostile_libraries_are_refused_or_read_but_never_crash(self):
        files = make.cublas_files(self.work, '12.1.3.1')
        folder = make.write_directory(self.folder('hostile'), 'nvidia-cublas-cu12', '12.1.3.1', files)
        self.abi('import', folder)
        path = os.path.join(folder, 'nvidia/cublas/lib/libcublasLt.so.12')
        with open(path, 'rb') as data:
            whole = data.read()
        numbers = random.Random(7)
        for case in range(80):
            damaged = bytearray(whole)
            for _ in range(numbers.choice((1, 4, 30))):
                # the headers, the dynamic tables, or the section headers at the end
                at = numbers.choice((numbers.randrange(64), numbers.randrange(0x400), len(whole) - 1 - numbers.randrange(1600)))
                damaged[at] = numbers.choice((0, 1, 0x7f, 0x80, 0xff, numbers.randrange(256)))
            with open(path, 'wb') as out:
                out.write(damaged[:len(damaged) if case % 5 else numbers.randrange(len(damaged))])
            done = subprocess.run([GANGWAY, 'abi', '--database', self.database, 'check', path], capture_output=True, text=True,
                                  env=dict(os.environ, ASAN_OPTIONS='exitcode=99:detect_leaks=0', UBSAN_OPTIONS='halt_on_error=1:exitcode=98'))
            self.assertIn(done.returncode, (FINE, FINDINGS, FAILED), f'case {case}: {done.stderr}')

    def test_hostile_libraries_in_wheels_are_refused_or_read_but_never_crash(self):
        files = make.cublas_files(self.work, '12.1.3.1')
        name = 'nvidia/cublas/lib/libcublasLt.so.12'
        whole = files[name]
        numbers = random.Random(11)
        for case in range(25):
            damaged = bytearray(whole)
            for _ in range(6):
                at = numbers.choice((numbers.randrange(64), len(whole) - 1 - numbers.randrange(1600)))
                damaged[at] = numbers.choice((0, 1, 0x80, 0xff, numbers.randrange(256)))
            wheel = make.write_wheel(self.work, 'nvidia-cublas-cu12', '12.1.3.1', {**files, name: bytes(damaged)})
            done = subprocess.run([GANGWAY, 'abi', '--database', self.folder('other'), 'import', wheel], capture_output=True, text=True,
                                  env=dict(os.environ, ASAN_OPTIONS='exitcode=99:detect_leaks=0', UBSAN_OPTIONS='halt_on_error=1:exitcode=98'))
            self.assertIn(done.returncode, (FINE, FAILED), f'case {case}: {done.stderr}')

    def test_a_release_in_short_is_its_newest_build_and_an_unknown_one_lists_the_near(self):
        self.abi('import', self.cublas('12.1.0.26'), self.cublas('12.1.3.1'), self.cublas('12.2.5.6'))
        self.assertEqual(self.show('cublas', '12.1')['release'], '12.1.3.1')
        self.abi('show', 'cublas', '12.1.9', status=FAILED)
        self.assertIn('12.1.3.1', self.error)
        self.assertIn('12.2.5.6', self.error)
        self.abi('show', 'cublaslt', '12.1', status=FAILED)
        self.assertIn('did you mean cublasLt?', self.error)
        self.abi('show', 'cublas', '12.1', 'cublasCreate_v3', status=FAILED)
        self.assertIn('did you mean cublasCreate_v2?', self.error)

    def test_one_name_comes_with_its_source_and_releases(self):
        self.abi('import', self.cublas('12.1.0.26'), self.cublas('12.2.5.6', more='cublasStatus_t cublasNew(void);'))
        text = self.abi('show', 'cublas', '12.2', 'cublasNew')
        self.assertIn('function  cublasStatus_t cublasNew(void)', text)
        self.assertIn('in 12.2.5.6..', text)
        self.assertRegex(text, r'from cublas_api\.h:\d+')
        self.assertEqual(list(self.show('cublas', '12.2', 'CUBLAS_OP_C')['enums']), ['cublasOperation_t'])
        self.abi('show', 'cublas', '12.1', 'cublasNew', status=FAILED)
        self.assertIn('it is in 12.2.5.6..', self.error)

    def test_a_diff_names_what_was_added_removed_and_changed(self):
        self.abi('import', self.cublas('12.1.0.26', more='#define CUBLAS_GONE 1'),
                 self.cublas('13.2.5.6', more='cublasStatus_t cublasNew(void);', library_more='int cublasNew(void) { return 0; }', words=16))
        text = self.abi('diff', 'cublas', '12.1', '13.2')
        self.assertIn('+ cublasNew  cublasStatus_t ()', text)
        self.assertIn('- CUBLAS_GONE  = 1', text)
        self.assertIn('~ CUBLAS_VER_MAJOR  = 13, before: = 12', text)
        changed = json.loads(self.abi('diff', 'cublasLt', '12.1', '13.2', '--json'))
        self.assertEqual(changed['structs']['changed'], [{'from': ['cublasLtOpaque_t', 96], 'to': ['cublasLtOpaque_t', 128]}])
        self.assertEqual(changed['exports'], {'added': [], 'removed': [], 'changed': []})
        self.assertEqual([s[0] for s in changed['sonames']['added']], ['libcublasLt.so.13'])

    def test_check_finds_a_symbol_too_few_and_one_too_many(self):
        files = make.cublas_files(self.work, '12.1.3.1')
        folder = make.write_directory(self.folder('one'), 'nvidia-cublas-cu12', '12.1.3.1', files)
        library = os.path.join(folder, 'nvidia/cublas/lib/libcublas.so.12')
        self.abi('import', folder)
        self.assertIn('as the database says', self.abi('check', library))
        with open(library, 'wb') as out:
            out.write(make.compile_library(self.work, 'libcublas.so.12', (make.LIBRARY % {'more': 'int cublasMore(void) { return 0; }'})
                                           .replace('cublasSecret', 'cublas_secret'), f'-L{self.work}', '-l:libcublasLt.so.12'))
        text = self.abi('check', library, status=FINDINGS)
        self.assertIn('error: lacks cublasSecret\n', text)
        self.assertIn('error: exports cublasMore,', text)
        findings = json.loads(self.abi('check', '--json', library, status=FINDINGS))['libraries'][0]['findings']
        self.assertEqual({f['severity'] for f in findings}, {'error'})

    def test_check_asks_a_library_in_a_process_of_its_own(self):
        more = 'cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);'
        body = 'int cublasGetProperty(int type, int *value) { *value = (int[]){12, 1, %s}[type]; return 0; }'
        for patch, status, expected in ((3, FINE, 'answers 12.1.3'), (4, FINDINGS, 'answers 12.1.4, not 12.1.3')):
            files = make.cublas_files(self.work, '12.1.3.1', more=more, library_more=body % patch)
            folder = make.write_directory(self.folder(f'ask{patch}'), 'nvidia-cublas-cu12', '12.1.3.1', files)
            self.abi('import', folder)
            library = os.path.join(folder, 'nvidia/cublas/lib/libcublas.so.12')
            self.assertIn(expected, self.abi('check', '--ask', library, status=status))
        crash = '__attribute__((constructor)) static void crash(void) { __builtin_trap(); }\n' + body % 3
        files = make.cublas_files(self.work, '12.1.3.1', more=more, library_more=crash)
        folder = make.write_directory(self.folder('crash'), 'nvidia-cublas-cu12', '12.1.3.1', files)
        self.assertIn('ended without an answer', self.abi('check', '--ask', os.path.join(folder, 'nvidia/cublas/lib/libcublas.so.12'),
                                                          status=FINDINGS))

    def test_wrong_usage_is_told_from_failure(self):
        self.abi('show', 'cublas', status=USAGE)
        self.abi('diff', 'cublas', '1', status=USAGE)
        self.abi('import', status=USAGE)
        self.abi('nonsense', status=USAGE)
        self.abi('import', '/nowhere.whl', status=FAILED)
        self.abi('list', status=FAILED)

    def test_a_full_standard_output_is_a_failure(self):
        self.abi('import', self.cublas('12.1.3.1'))
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([GANGWAY, 'abi', '--database', self.database, 'list'], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, FAILED)


if __name__ == '__main__':
    GANGWAY = os.path.abspath(sys.argv.pop(1))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main(verbosity=1)
