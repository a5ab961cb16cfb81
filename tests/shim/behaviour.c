/* SPDX-License-Identifier: Apache-2.0 */
/* What behaviour.py looks at from inside a process: one case a run, named by the first argument. Links no vendor library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

static void *must_open(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(handle);
	return handle;
}

static void *must_find(void *handle, const char *name)
{
	void *found = dlsym(handle, name);

	if (!found)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(found);
	return found;
}

typedef size_t (*number)(void);
typedef int (*create)(void **desc, int compute, int scale);
typedef int (*set)(void *desc, int attribute, const void *value, size_t size);

/* FACADE FROM TO: the target is missing until directory FROM is called TO. */
static int missing(char **a)
{
	void *facade = must_open(a[0]), *desc = NULL;
	create make = (create)must_find(facade, "cublasLtMatmulDescCreate");
	number version = (number)must_find(facade, "cublasLtGetVersion");

	errno = 4711;
	printf("%d", make(&desc, 68, 0));
	printf(" %d", make(&desc, 68, 0));
	printf(" %zu", version());
	CHECK(errno == 4711);
	CHECK(!rename(a[1], a[2]));
	printf(" %d", make(&desc, 68, 0));
	printf(" %zu\n", version());
	CHECK(errno == 4711);
	return 0;
}

/* FACADE FUNCTION: answers of a status function and a plain one. */
static int refused(char **a)
{
	void *facade = must_open(a[0]), *desc = NULL;
	create function = (create)must_find(facade, a[1]);

	printf("%d\n", function(&desc, 68, 0));
	return 0;
}

/* FACADE FUNCTION: which files a first call maps. */
static int maps(char **a)
{
	char line[4096], *path;
	FILE *file;

	((number)must_find(must_open(a[0]), a[1]))();
	file = fopen("/proc/self/maps", "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if ((path = strchr(line, '/')))
			fputs(path, stdout);
	fclose(file);
	return 0;
}

/* FACADE TARGET STATUS…: what each status of the loaded release comes out as. */
static int statuses(char **a)
{
	void *facade = must_open(a[0]), *desc = NULL, *target;
	int (*make)(void **) = (int (*)(void **))must_find(facade, "cudnnCreateTensorDescriptor");
	number version = (number)must_find(facade, "cudnnGetVersion");
	int (*fail_next)(const char *, int);

	CHECK(!make(&desc));
	target = dlopen(a[1], RTLD_NOW | RTLD_NOLOAD);
	CHECK(target);
	fail_next = (int (*)(const char *, int))must_find(target, "gwfake_fail_next");
	printf("%zu", version());
	for (a += 2; *a; a++) {
		CHECK(!fail_next("cudnnCreateTensorDescriptor", atoi(*a)));
		printf(" %d", make(&desc));
	}
	printf("\n");
	return 0;
}

/* No vendor library is there: every probe fails, says so, and leaves errno alone. */
static int probes(char **a)
{
	static const char name[] = "cublasLtMatmul";
	void *program = dlopen(NULL, RTLD_NOW), *found[6];

	(void)a;
	CHECK(program);
	for (int i = 0; i < 6; i++) {
		const char *message;

		errno = 4711;
		found[i] = i == 0 ? dlsym(RTLD_DEFAULT, name) : i == 1 ? dlsym(RTLD_NEXT, name) : i == 2 ? dlsym(program, name) :
			   i == 3 ? dlvsym(RTLD_DEFAULT, name, "libcublasLt.so.12") : i == 4 ?
			   dlvsym(RTLD_NEXT, name, "libcublasLt.so.12") : dlvsym(program, name, "libcublasLt.so.12");
		message = dlerror();
		if (found[i] || errno != 4711 || !message || !strstr(message, name)) {
			fprintf(stderr, "probe %d: %p, errno %d, %s\n", i, found[i], errno, message ? message : "no message");
			return 1;
		}
		CHECK(!dlerror());
	}
	return 0;
}

/* LIBRARY VERSION WRONG: a global library with nodes; the right version is found, another is not. */
static int versions(char **a)
{
	void *handle = dlopen(a[0], RTLD_NOW | RTLD_GLOBAL);
	number right, plain;

	CHECK(handle);
	CHECK((right = (number)dlvsym(RTLD_DEFAULT, "cublasLtGetVersion", a[1])));
	CHECK((plain = (number)dlsym(RTLD_DEFAULT, "cublasLtGetVersion")));
	CHECK(right() == plain() && plain() == (size_t)atoi(a[3]));
	CHECK(!dlvsym(RTLD_DEFAULT, "cublasLtGetVersion", a[2]));
	CHECK((right = (number)dlsym(RTLD_NEXT, "cublasLtGetVersion")) && right() == plain());
	CHECK((right = (number)dlsym(handle, "cublasLtGetVersion")) && right() == plain());
	CHECK((right = (number)dlvsym(handle, "cublasLtGetVersion", a[1])) && right() == plain());
	CHECK(!dlvsym(handle, "cublasLtGetVersion", a[2]));
	return 0;
}

/* LIBRARY…: each library is opened, asked and closed in turn, alone. */
static int turns(char **a)
{
	for (; *a; a++) {
		void *handle = must_open(*a);

		CHECK(((number)must_find(handle, "cublasLtGetVersion"))());
		CHECK(!dlclose(handle));
	}
	return 0;
}

/* ANSWER LIBRARY…: likewise, all of them open at once, twice over. */
static int together(char **a)
{
	number version[256];
	int count = 0;

	for (; a[count + 1]; count++)
		version[count] = (number)must_find(must_open(a[count + 1]), "cublasLtGetVersion");
	for (int i = 0; i < 2 * count; i++)
		CHECK(version[i % count]() == (size_t)(atoi(a[0]) + 1 + i % count));
	return 0;
}

/* LIBRARY…: each may be opened and closed, whatever it looks like, and nothing else changes. */
static int thousands(char **a)
{
	number first = (number)must_find(must_open(a[0]), "cublasLtGetVersion");
	size_t answer = first();

	for (int i = 1; a[i]; i++) {
		void *handle = must_open(a[i]);

		CHECK(first() == answer);
		CHECK(!dlclose(handle));
	}
	return 0;
}

/* CALLER: a library's own imports. */
static int imports(char **a)
{
	void *caller = must_open(a[0]);

	printf("%zu", ((number)must_find(caller, "caller_version"))());
	printf(" %zu\n", ((number)must_find(caller, "caller_other"))());
	return 0;
}

static void print_file(void *handle)
{
	struct link_map *map;

	CHECK(!dlinfo(handle, RTLD_DI_LINKMAP, &map));
	printf("%s\n", map->l_name);
}

/* CALLER NAME [CALLER]: which file a caller's own search list leads to; CALLER - is code that no object holds. */
static int opens(char **a)
{
	static const unsigned char before[] = { 0x48, 0x83, 0xec, 0x08, 0x48, 0xb8 }, after[] = { 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3 };
	void *(*target)(const char *, int) = dlopen, *(*jit)(const char *, int), *handle;
	char *code;

	if (strcmp(a[0], "-")) {
		handle = ((void *(*)(const char *))must_find(must_open(a[0]), "caller_open"))(a[1]);
	} else {
		code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(code != MAP_FAILED);
		memcpy(code, before, sizeof(before));
		memcpy(code + sizeof(before), &target, sizeof(target));
		memcpy(code + sizeof(before) + sizeof(target), after, sizeof(after));
		jit = (void *(*)(const char *, int))(void *)code;
		handle = jit(a[1], RTLD_NOW);
	}
	if (!handle) {
		printf("none\n");
		return 0;
	}
	print_file(handle);
	if (a[2]) {	/* again, from another caller, with the first answer closed */
		CHECK(!dlclose(handle));
		print_file(((void *(*)(const char *))must_find(must_open(a[2]), "caller_open"))(a[1]));
	}
	return 0;
}

static void ask(const char *library, int times)
{
	number version = (number)must_find(must_open(library), "cublasLtGetVersion");

	for (int i = 0; i < times; i++)
		CHECK(version());
}

static int calls(char **a)
{
	errno = 4711;
	ask(a[0], atoi(a[1]));
	return 0;
}

/* LIBRARY DIRECTORY: the program goes elsewhere before its first call. */
static int elsewhere(char **a)
{
	void *handle = must_open(a[0]);

	CHECK(!chdir(a[1]));
	CHECK(((number)must_find(handle, "cublasLtGetVersion"))());
	return 0;
}

/* LIBRARY OWN: closes everything and opens its own file under every number that the log may have had. */
static int closes(char **a)
{
	number version = (number)must_find(must_open(a[0]), "cublasLtGetVersion");
	struct stat status;

	CHECK(version());
	for (int i = 3; i < 1024; i++)
		close(i);
	for (int i = 3; i < 300; i++)
		CHECK(open(a[1], O_RDWR | O_CREAT | O_APPEND, 0600) == i);
	CHECK(version());
	CHECK(!stat(a[1], &status) && status.st_size == 0);
	return 0;
}

/* LIBRARY BYTES: no file may grow beyond BYTES; the signal would end the process. */
static int limited(char **a)
{
	struct rlimit limit = { (rlim_t)atol(a[1]), (rlim_t)atol(a[1]) };

	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	ask(a[0], 200);
	return 0;
}

/* LIBRARY: fork and clone without the C library's knowledge; the children count anew. */
static int children(char **a)
{
	number version = (number)must_find(must_open(a[0]), "cublasLtGetVersion");
	pid_t child[2];
	int status;

	for (int i = 0; i < 10; i++)
		CHECK(version());
	for (int i = 0; i < 2; i++) {
		child[i] = i ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
		if (!child[i]) {
			CHECK(version());
			exit(0);
		}
		CHECK(waitpid(child[i], &status, 0) == child[i] && !status);
	}
	printf("%d %d %d\n", getpid(), child[0], child[1]);
	return 0;
}

static int hold(struct dl_phdr_info *info, size_t size, void *data)
{
	int *ends = data;
	char byte = 1;

	(void)info, (void)size;
	CHECK(write(ends[1], &byte, 1) == 1);
	pause();
	return 1;
}

static void *hold_the_list(void *ends)
{
	dl_iterate_phdr(hold, ends);
	return NULL;
}

/* CALLER: a thread holds the lock of the loader's list as the process forks; the child calls nevertheless, for the first time. */
static int held(char **a)
{
	number version = (number)must_find(must_open(a[0]), "caller_version");
	pthread_t thread;
	int ends[2], status;
	pid_t child;
	char byte;

	CHECK(!pipe(ends) && !pthread_create(&thread, NULL, hold_the_list, ends) && read(ends[0], &byte, 1) == 1);
	child = fork();
	if (!child) {
		alarm(20);
		CHECK(version());
		exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
	printf("%d\n", child);
	fflush(stdout);
	_exit(0);	/* whoever ends by exit would wait for the lock */
}

static jmp_buf jump;
static number inner;

static void leave(void)
{
	longjmp(jump, 1);
}

static void nest(void)
{
	CHECK(inner());
}

/* LIBRARY: calls are left by longjmp out of a callback, ten times; then ten plain ones; then one with one inside. */
static int jumps(char **a)
{
	void *handle = must_open(a[0]);
	void (*call_back)(void (*)(void)) = (void (*)(void (*)(void)))must_find(handle, "small_call_back");
	number version = (number)must_find(handle, "cublasLtGetVersion");
	volatile int i;

	call_back(leave);
	for (i = 0; i < 10; i++)
		if (!setjmp(jump))
			version();
	call_back(NULL);
	for (i = 0; i < 10; i++)
		CHECK(version());
	inner = (number)must_find(handle, "cublasLtGetCudartVersion");
	call_back(nest);
	CHECK(version());
	return 0;
}

static long allocations;
void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

/* LIBRARY ATTRIBUTE: a million calls under strict seccomp, where any system call but read, write and exit kills. */
static int fast(char **a)
{
	void *facade = must_open(a[0]), *desc = NULL;
	create make = (create)must_find(facade, "cublasLtMatmulDescCreate");
	set change = (set)must_find(facade, "cublasLtMatmulDescSetAttribute");
	int value = 1, attribute = atoi(a[1]), failed;
	long before;

	CHECK(!make(&desc, 68, 0) && !change(desc, attribute, &value, sizeof(value)));
	before = allocations;
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	failed = 0;
	for (int i = 0; i < 1000000; i++)
		failed |= change(desc, attribute, &value, sizeof(value));
	syscall(SYS_exit, failed || allocations != before);
	return 1;
}

/* LIBRARY: a message that waits for dlerror outlives calls. */
static int pending(char **a)
{
	number version = (number)must_find(must_open(a[0]), "cublasLtGetVersion");
	const char *message;

	CHECK(!dlopen("/nowhere/libnothing.so", RTLD_NOW));
	CHECK(version());
	message = dlerror();
	CHECK(message && strstr(message, "libnothing"));
	CHECK(!dlsym(RTLD_DEFAULT, "nobody_has_this") && (message = dlerror()) && strstr(message, "nobody_has_this"));
	CHECK(!dlclose(must_open(a[0])));
	return 0;
}

/* LIBRARY: opened with RTLD_DEEPBIND, its own imports. */
static int deep(char **a)
{
	void *caller = dlopen(a[0], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

	if (!caller)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(caller);
	CHECK(((number)must_find(caller, "caller_version"))());
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(char **arguments);
	} cases[] = {
		{ "missing", missing }, { "refused", refused }, { "maps", maps }, { "statuses", statuses }, { "probes", probes }, { "versions", versions },
		{ "turns", turns }, { "together", together }, { "thousands", thousands }, { "imports", imports }, { "opens", opens },
		{ "calls", calls }, { "elsewhere", elsewhere }, { "closes", closes }, { "limited", limited }, { "children", children }, { "held", held },
		{ "jumps", jumps }, { "fast", fast }, { "pending", pending }, { "deep", deep },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(cases[i].name, argv[1]))
			return cases[i].run(argv + 2);
	return 2;
}
