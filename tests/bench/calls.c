/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gangway adds to a call: each call of a plug-in is timed as it is bound and, in turns in the same process, straight into the
 * vendor library. calls.py builds the plug-ins, sets the environment and says what each table is. A measurement, not a test.
 *
 *	calls --offsets LIBRARY PLUGIN             prints where LIBRARY has what PLUGIN calls; to be run without gangway
 *	calls [-n ROUNDS] LIBRARY PLUGIN OFFSETS   prints a table: medians and quartiles of ROUNDS pairs of 100 calls, and of
 *	                                           the difference within a pair, as other work slows both down; the last
 *	                                           column is that of the tenth of the pairs that took least time
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

enum { MAX_ROUNDS = 1000000, BLOCK = 100 };

static struct pair {
	double raw, own;
} pairs[MAX_ROUNDS];

static double values[MAX_ROUNDS];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *must(void *pointer, const char *what)
{
	if (pointer)
		return pointer;
	fprintf(stderr, "calls: %s: %s\n", what, dlerror());
	exit(3);
}

static char *base_of(const char *library)
{
	void *handle = must(dlopen(library, RTLD_NOW | RTLD_LOCAL), library);
	struct link_map *map = NULL;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map))
		must(NULL, library);
	return (char *)map->l_addr;
}

static void print_offsets(const char *library, const char *plugin)
{
	char *base = base_of(library);
	void *handle = must(dlopen(library, RTLD_NOW | RTLD_LOCAL), library);
	struct bench_function *function = must(dlsym(must(dlopen(plugin, RTLD_LAZY), plugin), "bench_functions"), plugin);

	for (; function->name; function++)
		printf("%s %tx\n", function->name, (char *)must(dlsym(handle, function->name), function->name) - base);
}

static void read_offsets(const char *file, char *base, struct bench_function *functions)
{
	FILE *from = fopen(file, "r");
	char name[256];
	size_t offset;

	while (from && fscanf(from, "%255s %zx", name, &offset) == 2)
		for (struct bench_function *f = functions; f->name; f++)
			if (!strcmp(f->name, name))
				f->raw = base + offset;
	if (from)
		fclose(from);
	for (struct bench_function *f = functions; f->name; f++)
		must(f->raw, f->name);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int by_sum(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	return (p->raw + p->own > q->raw + q->own) - (p->raw + p->own < q->raw + q->own);
}

static double get_raw(const struct pair *pair)
{
	return pair->raw;
}

static double get_own(const struct pair *pair)
{
	return pair->own;
}

static double get_added(const struct pair *pair)
{
	return pair->own - pair->raw;
}

/* Quartiles of what GET takes out of the first COUNT pairs. */
static void quartiles(size_t count, double (*get)(const struct pair *), double quartile[3])
{
	for (size_t i = 0; i < count; i++)
		values[i] = get(&pairs[i]);
	qsort(values, count, sizeof(*values), by_value);
	for (int i = 0; i < 3; i++)
		quartile[i] = values[(size_t)((i + 1) / 4.0 * (double)(count - 1) + 0.5)];
}

static void time_row(const struct bench_row *row, size_t rounds)
{
	void (*base)(int, long) = row->base ? row->base : row->run;
	double r[3], o[3], a[3], quiet[3];

	base(1, BLOCK);
	row->run(0, BLOCK);
	for (size_t i = 0; i < rounds; i++) {
		double start = now_ns(), between;

		base(1, BLOCK);
		between = now_ns();
		row->run(0, BLOCK);
		pairs[i].raw = (between - start) / BLOCK;
		pairs[i].own = (now_ns() - between) / BLOCK;
	}
	quartiles(rounds, get_raw, r);
	quartiles(rounds, get_own, o);
	quartiles(rounds, get_added, a);
	qsort(pairs, rounds, sizeof(*pairs), by_sum);
	quartiles((rounds + 9) / 10, get_added, quiet);
	printf("| %s | %.1f [%.1f, %.1f] | %.1f [%.1f, %.1f] | %+.1f [%+.1f, %+.1f] | %.2f | %+.1f |\n", row->what, r[1], r[0], r[2], o[1], o[0],
	       o[2], a[1], a[0], a[2], 1 + a[1] / r[1], quiet[1]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	size_t rounds = 4000;
	int option;
	void *plugin;
	const char *(*prepare)(void), *failed;
	const struct bench_row *row;

	if (argc == 4 && !strcmp(argv[1], "--offsets")) {
		print_offsets(argv[2], argv[3]);
		return 0;
	}
	while ((option = getopt(argc, argv, "n:")) == 'n')
		rounds = strtoul(optarg, NULL, 10);
	if (option != -1 || optind + 3 != argc || !rounds || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: %s [-n ROUNDS] LIBRARY PLUGIN OFFSETS\n", argv[0]);
		return 2;
	}
	plugin = must(dlopen(argv[optind + 1], RTLD_NOW | RTLD_LOCAL), argv[optind + 1]);
	*(void **)&prepare = must(dlsym(plugin, "bench_prepare"), "bench_prepare");
	read_offsets(argv[optind + 2], base_of(argv[optind]), must(dlsym(plugin, "bench_functions"), "bench_functions"));
	failed = prepare();
	if (failed) {
		fprintf(stderr, "calls: %s failed\n", failed);
		return 1;
	}
	puts("| call | straight into the library, ns | with gangway, ns | added ns | ratio | undisturbed, added ns |\n| --- | --- | --- | --- | --- | --- |");
	for (row = must(dlsym(plugin, "bench_rows"), "bench_rows"); row->what; row++)
		time_row(row, rounds);
	return 0;
}
