/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gangway adds to the start of a program: runs it bare, with the preload, with preload and
 *auditor, and under `gangway run`, in turns, and prints medians side by side. A measurement, not a
 *test: it passes no judgement.
 *
 *	startup [-n ROUNDS] GANGWAY DIRECTORY [PROGRAM [ARGUMENT]...]
 *
 * DIRECTORY holds libgangway.so and libgangway-audit.so. PROGRAM (default: true, found in PATH)
 *should load no vendor library. Time is from before posix_spawn until the program was waited for;
 *the rest is the kernel's account of the process.
 */
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_ROUNDS 10000
#define MAX_ENVIRONMENT 4096

enum way { BARE, PRELOAD, AUDIT, RUN, WAYS };

static const char *const way_name[WAYS] = {"bare", "preload", "preload + auditor", "gangway run"};

struct sample {
	double ms, cpu_ms;
	long faults;
};

static struct sample samples[WAYS][MAX_ROUNDS];

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list arguments;

	fputs("startup: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(3);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double ms_of(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

/* The environment as it is but for what is measured, and with it. */
static char **environment(enum way way, const char *directory)
{
	static char *list[MAX_ENVIRONMENT];
	size_t count = 0;

	for (char **entry = environ; *entry; entry++) {
		if (!strncmp(*entry, "LD_", 3) || !strncmp(*entry, "GANGWAY_", 8))
			continue;
		if (count + 3 > MAX_ENVIRONMENT)
			die("the environment has more than %d entries", MAX_ENVIRONMENT);
		list[count++] = *entry;
	}
	if (way == PRELOAD || way == AUDIT)
		if (asprintf(&list[count++], "LD_PRELOAD=%s/libgangway.so", directory) < 0)
			die("out of memory");
	if (way == AUDIT)
		if (asprintf(&list[count++], "LD_AUDIT=%s/libgangway-audit.so", directory) < 0)
			die("out of memory");
	list[count] = NULL;
	return list;
}

static struct sample measure(char **words, char **variables)
{
	struct sample sample;
	struct rusage usage;
	double start = now_ms();
	int status, error;
	pid_t child;

	error = posix_spawnp(&child, words[0], NULL, NULL, words, variables);
	if (error)
		die("%s: %s", words[0], strerror(error));
	if (wait4(child, &status, 0, &usage) != child)
		die("wait4: %s", strerror(errno));
	sample.ms = now_ms() - start;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die("%s did not end with 0", words[0]);
	sample.cpu_ms = ms_of(usage.ru_utime) + ms_of(usage.ru_stime);
	sample.faults = usage.ru_minflt;
	return sample;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The FRACTION quantile of what GET takes out of a way's samples. */
static double quantile(const struct sample *of, size_t rounds, double (*get)(const struct sample *),
		       double fraction)
{
	static double value[MAX_ROUNDS];

	for (size_t i = 0; i < rounds; i++)
		value[i] = get(&of[i]);
	qsort(value, rounds, sizeof(*value), by_value);
	return value[(size_t)(fraction * (double)(rounds - 1) + 0.5)];
}

static double get_ms(const struct sample *sample)
{
	return sample->ms;
}
static double get_cpu(const struct sample *sample)
{
	return sample->cpu_ms;
}
static double get_faults(const struct sample *sample)
{
	return (double)sample->faults;
}

static void print(size_t rounds)
{
	double bare = quantile(samples[BARE], rounds, get_ms, 0.5);

	printf("%zu rounds, interleaved\n", rounds);
	puts("| how | median ms | quartiles ms | added ms | ratio | CPU ms | page faults |");
	puts("| --- | --- | --- | --- | --- | --- | --- |");
	for (int way = 0; way < WAYS; way++) {
		const struct sample *of = samples[way];
		double median = quantile(of, rounds, get_ms, 0.5);

		printf("| %s | %.3f | %.3f .. %.3f | %+.3f | %.2f | %.3f | %.0f |\n", way_name[way],
		       median, quantile(of, rounds, get_ms, 0.25),
		       quantile(of, rounds, get_ms, 0.75), median - bare, median / bare,
		       quantile(of, rounds, get_cpu, 0.5), quantile(of, rounds, get_faults, 0.5));
	}
}

int main(int argc, char **argv)
{
	static char *default_program[] = {(char *)"true", NULL};
	size_t rounds = 200, words = 0;
	char **program, **run;
	int option;

	while ((option = getopt(argc, argv, "+n:")) == 'n')
		rounds = strtoul(optarg, NULL, 10);
	if (option != -1 || optind + 2 > argc || !rounds || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: %s [-n ROUNDS] GANGWAY DIRECTORY [PROGRAM [ARGUMENT]...]\n",
			argv[0]);
		return 2;
	}
	program = argv[optind + 2] ? argv + optind + 2 : default_program;
	while (program[words])
		words++;
	run = calloc(words + 4, sizeof(*run));
	if (!run)
		die("out of memory");
	run[0] = argv[optind];
	run[1] = (char *)"run";
	run[2] = (char *)"--";
	memcpy(run + 3, program, (words + 1) * sizeof(*run));
	for (size_t i = 0; i < rounds; i++)
		for (enum way way = BARE; way < WAYS; way++)
			samples[way][i] = measure(way == RUN ? run : program,
						  environment(way, argv[optind + 1]));
	print(rounds);
	free(run);
	return 0;
}
