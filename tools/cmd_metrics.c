/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `gangway metrics`: what traces count, as OpenMetrics text: to a file for a node exporter's directory, or to whoever asks on a loopback port.
 * docs/report.md has the names.
 */
#include "cmd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "option.h"
#include "out.h"
#include "report.h"

#define PATIENCE 5000		/* ms that a client has for its request, and for its answer */

enum { OPTION_LISTEN = 256 };

static const struct option options[] = {
	{"output", required_argument, NULL, 'o'}, {"listen", required_argument, NULL, OPTION_LISTEN}, {"help", no_argument, NULL, 'h'}, {0},
};

static const char help[] =
	"Usage: gangway metrics [-o FILE.prom | --listen 127.0.0.1:PORT] TRACE|DIRECTORY…\n"
	"Prints what traces count as OpenMetrics text: calls, failures and time by function, shapes, findings, what was not recorded.\n\n"
	"  -o, --output FILE           write there, whole or not at all: for a node exporter's directory of text files\n"
	"  --listen 127.0.0.1:PORT     answer HTTP requests for /metrics, reading anew each time; loopback addresses alone; [::1]:PORT, too\n\n"
	"Exit status: 0 fine, 2 wrong usage, 3 could not do it.\n";

static void labels(FILE *out, const json_t *row, const char *const *names)
{
	const char *before = "{";

	for (; *names; names++) {
		const json_t *value = json_object_get(row, *names);
		const char *text = json_string_value(value);

		fprintf(out, "%s%s=\"", before, *names);
		for (; text && *text; text++)
			if (*text == '\\' || *text == '"')
				fprintf(out, "\\%c", *text);
			else
				fputs(*text == '\n' ? "\\n" : (char[]){*text, '\0'}, out);
		if (json_is_integer(value))
			fprintf(out, "%lld", (long long)json_integer_value(value));
		fputc('"', out);
		before = ",";
	}
	fputs("} ", out);
}

/* One metric: a row of TABLE a sample. SECONDS: its member is ns. */
struct metric {
	const char *name, *help, *table, *member;
	bool seconds, gauge;
	const char *labels[6];
};

static const struct metric metrics[] = {
	{"gangway_calls", "Calls of library functions.", "functions", "calls", false, false, {"family", "function"}},
	{"gangway_failures", "Calls whose caller got a status other than success.", "functions", "failures", false, false, {"family", "function"}},
	{"gangway_call_seconds", "Time in calls, by the host's clock.", "functions", "ns", true, false, {"family", "function"}},
	{"gangway_device_seconds", "Time on the device, of calls for which it was recorded.", "functions", "gpu_ns", true, false, {"family", "function"}},
	{"gangway_shape_calls", "Calls by what they computed.", "shapes", "calls", false, false, {"function", "text", "workspace"}},
	{"gangway_shape_call_seconds", "Time in calls by what they computed, by the host's clock.", "shapes", "ns", true, false, {"function", "text", "workspace"}},
	{"gangway_status", "Failed calls by the status that their caller got.", "failures", "calls", false, false, {"function", "status"}},
	{"gangway_findings", "Findings, by code.", "finding_codes", "times", false, false, {"code", "severity"}},
	{"gangway_process_calls", "Calls of library functions by process.", "processes", "calls", false, false, {"host", "rank", "pid", "program"}},
	{"gangway_process_failures", "Failed calls by process.", "processes", "failures", false, false, {"host", "rank", "pid", "program"}},
	{"gangway_process_dropped", "Calls that were to be recorded and were not.", "processes", "dropped", false, false, {"host", "rank", "pid", "program"}},
	{"gangway_process_overwritten", "Records that newer ones took the place of.", "processes", "overwritten", false, false, {"host", "rank", "pid", "program"}},
	{"gangway_process_start_time_seconds", "When the trace began.", "processes", "start_ns", true, true, {"host", "rank", "pid", "program"}},
};

/* Findings summed by code: their texts are no labels. Rows that would have the same labels are one. */
static void merge_rows(json_t *report)
{
	json_t *codes = json_array(), *by_code = json_object(), *one;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, one)
	{
		const char *code = gw_trace_text(one, "code", "?");
		json_t *row = json_object_get(by_code, code);
		json_int_t times = json_integer_value(json_object_get(one, "times"));

		if (!row) {
			row = json_pack("{s:s,s:s,s:I}", "code", code, "severity", gw_trace_text(one, "severity", ""), "times", (json_int_t)0);
			json_object_set(by_code, code, row);
			json_array_append_new(codes, row);
		}
		json_object_set_new(row, "times", json_integer(json_integer_value(json_object_get(row, "times")) + times));
	}
	json_object_set_new(report, "finding_codes", codes);
	json_decref(by_code);
}

/* A process that executes another program keeps its pid, and begins another trace: one sample has to do for both. */
static void merge_processes(json_t *report)
{
	static const char *const sums[] = {"calls", "failures", "dropped", "overwritten"};
	json_t *merged = json_array(), *by_key = json_object(), *one;
	char key[1024];
	size_t i;

	json_array_foreach(json_object_get(report, "processes"), i, one)
	{
		json_t *row;

		snprintf(key, sizeof(key), "%s %lld %lld %s", gw_trace_text(one, "host", ""), (long long)json_integer_value(json_object_get(one, "rank")),
			 (long long)json_integer_value(json_object_get(one, "pid")), gw_trace_text(one, "program", ""));
		row = json_object_get(by_key, key);
		if (!row) {
			row = json_copy(one);
			json_object_set(by_key, key, row);
			json_array_append_new(merged, row);
			continue;
		}
		for (size_t m = 0; m < sizeof(sums) / sizeof(*sums); m++)
			json_object_set_new(row, sums[m], json_integer(json_integer_value(json_object_get(row, sums[m])) + json_integer_value(json_object_get(one, sums[m]))));
	}
	json_object_set_new(report, "processes", merged);
	json_decref(by_key);
}

static void print_metrics(FILE *out, json_t *report)
{
	const json_t *totals = json_object_get(report, "totals");

	merge_rows(report);
	merge_processes(report);
	for (size_t m = 0; m < sizeof(metrics) / sizeof(*metrics); m++) {
		const struct metric *metric = &metrics[m];
		json_t *row;
		size_t i;
		bool any = false;

		json_array_foreach(json_object_get(report, metric->table), i, row)
		{
			double value = json_number_value(json_object_get(row, metric->member));

			if (!json_object_get(row, metric->member))
				continue;
			if (!any)
				fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s%s%s", metric->name, metric->help, metric->name, metric->gauge ? "gauge" : "counter",
					metric->seconds ? "# UNIT " : "", metric->seconds ? metric->name : "", metric->seconds ? " seconds\n" : "");
			any = true;
			fprintf(out, "%s%s", metric->name, metric->gauge ? "" : "_total");
			labels(out, row, metric->labels);
			fprintf(out, metric->seconds ? "%.9f\n" : "%.0f\n", metric->seconds ? value / 1e9 : value);
		}
	}
	fprintf(out, "# HELP gangway_traces Traces that were read.\n# TYPE gangway_traces gauge\ngangway_traces %lld\n",
		(long long)json_integer_value(json_object_get(totals, "processes")));
	fprintf(out, "# HELP gangway_damaged_places Places of traces that could not be read.\n# TYPE gangway_damaged_places gauge\n"
		"gangway_damaged_places %lld\n# EOF\n",
		(long long)json_integer_value(json_object_get(totals, "damaged_places")));
}

/* Reads the traces and prints their metrics. An enum gw_exit. */
static int print_now(FILE *out, char **arguments, size_t count)
{
	struct gw_report_choice choice = {.from = INT64_MIN, .to = INT64_MAX, .quiet = true};
	struct gw_trace_paths paths = {0};
	struct gw_model model;
	json_t *report = NULL;
	int result = GW_EXIT_FAILED;

	if (gw_trace_paths_find(&paths, arguments, count) == 0) {
		if (gw_model_init(&model) == 0 && gw_report_scan(&model, &paths, &choice) == 0 && (report = gw_report_json(&model, NULL))) {
			print_metrics(out, report);
			result = GW_EXIT_FINE;
		}
		json_decref(report);
		gw_model_finish(&model);
	}
	gw_trace_paths_finish(&paths);
	return result;
}

/* Sends all, or gives up after PATIENCE. */
static void send_all(int client, const char *bytes, size_t size)
{
	while (size) {
		struct pollfd ready = {.fd = client, .events = POLLOUT};
		ssize_t sent;

		if (poll(&ready, 1, PATIENCE) <= 0)
			return;
		sent = send(client, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (sent <= 0)
			return;
		bytes += sent;
		size -= (size_t)sent;
	}
}

/* One request: its first line counts, and that its head is whole. */
static void answer(int client, char **arguments, size_t count)
{
	char request[4096], head[256], *body = NULL;
	size_t got = 0, size = 0;
	const char *status = "404 Not Found";
	FILE *memory;
	int length;

	for (;;) {
		struct pollfd ready = {.fd = client, .events = POLLIN};
		ssize_t more;

		if (got == sizeof(request) - 1 || poll(&ready, 1, PATIENCE) <= 0)
			return;
		more = recv(client, request + got, sizeof(request) - 1 - got, 0);
		if (more <= 0)
			return;
		got += (size_t)more;
		request[got] = '\0';
		if (strstr(request, "\r\n\r\n") || strstr(request, "\n\n"))
			break;
	}
	memory = open_memstream(&body, &size);
	if (!memory)
		return;
	if (!strncmp(request, "GET /metrics ", 13) || !strncmp(request, "GET / ", 6))
		status = print_now(memory, arguments, count) == GW_EXIT_FINE ? "200 OK" : "503 Service Unavailable";
	fclose(memory);
	length = snprintf(head, sizeof(head), "HTTP/1.1 %s\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"
			  "Content-Length: %zu\r\nConnection: close\r\n\r\n",
			  status, size);
	send_all(client, head, (size_t)length);
	send_all(client, body, size);
	free(body);
}

/* "127.0.0.1:9100", "[::1]:9100" as an address. 0, or -1 after a complaint. */
static int read_address(const char *text, struct sockaddr_storage *address, socklen_t *size)
{
	struct sockaddr_in *four = (void *)address;
	struct sockaddr_in6 *six = (void *)address;
	const char *colon = strrchr(text, ':');
	char host[64], *end;
	unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;

	memset(address, 0, sizeof(*address));
	if (colon && colon[1] && !*end && port <= 65535 && (size_t)(colon - text) < sizeof(host)) {
		snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
		if (inet_pton(AF_INET, host, &four->sin_addr) == 1 && (ntohl(four->sin_addr.s_addr) >> 24) == IN_LOOPBACKNET) {
			four->sin_family = AF_INET;
			four->sin_port = htons((uint16_t)port);
			*size = sizeof(*four);
			return 0;
		}
		if (!strcmp(host, "[::1]")) {
			six->sin6_family = AF_INET6;
			six->sin6_addr = in6addr_loopback;
			six->sin6_port = htons((uint16_t)port);
			*size = sizeof(*six);
			return 0;
		}
	}
	gw_complain("metrics: --listen %s: expected a loopback address and a port, 127.0.0.1:9400 or [::1]:9400; nothing else is listened on", text);
	return -1;
}

static int serve(const char *text, char **arguments, size_t count)
{
	struct sockaddr_storage address;
	socklen_t size;
	int server, yes = 1;

	if (read_address(text, &address, &size))
		return GW_EXIT_USAGE;
	server = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (server < 0 || setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) || bind(server, (struct sockaddr *)&address, size) || listen(server, 16) ||
	    getsockname(server, (struct sockaddr *)&address, &size)) {
		gw_complain("--listen %s: %s", text, strerror(errno));
		if (server >= 0)
			close(server);
		return GW_EXIT_FAILED;
	}
	fprintf(stderr, "gangway: metrics are at http://%.*s:%u/metrics\n", (int)(strrchr(text, ':') - text), text,
		ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port : ((struct sockaddr_in6 *)&address)->sin6_port));
	for (;;) {
		int client = accept4(server, NULL, NULL, SOCK_CLOEXEC);

		if (client >= 0) {
			answer(client, arguments, count);
			close(client);
		} else if (errno != EINTR && errno != ECONNABORTED) {
			gw_complain("--listen %s: %s", text, strerror(errno));
			close(server);
			return GW_EXIT_FAILED;
		}
	}
}

int gw_cmd_metrics(int argc, char **argv)
{
	const char *output = NULL, *address = NULL;
	struct gw_out out;
	int option, result;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1) {
		if (option == 'h')
			return gw_option_help(help);
		if (option == 'o')
			output = optarg;
		else if (option == OPTION_LISTEN)
			address = optarg;
		else
			return gw_option_wrong("metrics", option, argv);
	}
	if (optind == argc || (output && address)) {
		gw_complain(optind == argc ? "metrics: which traces? `gangway metrics --help` says how to name them" : "metrics: either --output or --listen");
		return GW_EXIT_USAGE;
	}
	if (address)
		return serve(address, argv + optind, (size_t)(argc - optind));
	if (gw_out_open(&out, output))
		return GW_EXIT_FAILED;
	result = print_now(out.file, argv + optind, (size_t)(argc - optind));
	return gw_out_close(&out, result, result == GW_EXIT_FINE);
}
