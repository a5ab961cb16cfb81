/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of devices and types of numbers: abi/peaks, or what the user says (report.h). */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"

static bool add(struct gw_peaks *peaks, const char *type, double tflops)
{
	if (peaks->count == sizeof(peaks->list) / sizeof(*peaks->list) || strlen(type) >= sizeof(peaks->list[0].type) || !(tflops > 0))
		return false;
	snprintf(peaks->list[peaks->count].type, sizeof(peaks->list[0].type), "%s", type);
	peaks->list[peaks->count++].tflops = tflops;
	return true;
}

/* "bf16=989,tf32=494.7" */
static int read_list(struct gw_peaks *peaks, const char *text)
{
	char *copy = strdup(text), *rest = copy, *item;
	int result = copy ? 0 : -1;

	snprintf(peaks->device, sizeof(peaks->device), "as given");
	snprintf(peaks->source, sizeof(peaks->source), "--peak %s", text);
	while (!result && (item = strsep(&rest, ","))) {
		char *equals = strchr(item, '='), *end = NULL;

		if (equals)
			*equals = '\0';
		if (!equals || !add(peaks, item, strtod(equals + 1, &end)) || *end) {
			gw_complain("--peak %s: expected TYPE=TFLOPS,…, such as bf16=989.4,tf32=494.7, or a device of abi/peaks, such as h200", text);
			result = -1;
		}
	}
	free(copy);
	return result;
}

int gw_peaks_read(struct gw_peaks *peaks, const char *text)
{
	char *path, line[512], known[256] = "";
	FILE *file;
	bool mine = false;

	memset(peaks, 0, sizeof(*peaks));
	if (strchr(text, '='))
		return read_list(peaks, text);
	path = gw_data_path("peaks");
	file = path ? fopen(path, "re") : NULL;
	if (!file) {
		gw_complain("%s: %s", path ? path : "share/gangway/peaks", strerror(path ? errno : ENOENT));
		free(path);
		return -1;
	}
	while (fgets(line, sizeof(line), file)) {
		char word[64];
		double tflops;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "device %63s", word) == 1) {
			const char *source = strstr(line, " source=");

			mine = !strcasecmp(word, text);
			snprintf(known + strlen(known), sizeof(known) - strlen(known), " %s", word);
			if (mine) {
				snprintf(peaks->device, sizeof(peaks->device), "%s", word);
				snprintf(peaks->source, sizeof(peaks->source), "%s", source ? source + 8 : "");
			}
		} else if (mine && sscanf(line, "peak %63s %lf", word, &tflops) == 2) {
			add(peaks, word, tflops);
		}
	}
	fclose(file);
	free(path);
	if (!peaks->count) {
		gw_complain("--peak %s: no such device; known are%s; or give TYPE=TFLOPS,…, such as bf16=989.4", text, known);
		return -1;
	}
	return 0;
}

double gw_peaks_of(const struct gw_peaks *peaks, const char *type)
{
	for (size_t i = 0; peaks && i < peaks->count; i++)
		if (!strcasecmp(peaks->list[i].type, type))
			return peaks->list[i].tflops;
	return 0;
}

/* Is the product of SHAPE one whose numbers may be rounded to tf32? */
static bool is_tf32(const json_t *shape)
{
	char *text = json_dumps(shape, JSON_COMPACT);
	bool found = text && strstr(text, "FAST_TF32");

	free(text);
	return found;
}

void gw_report_type(const json_t *shape, char type[16])
{
	static const char *const names[][2] = {{"f16", "fp16"}, {"f32", "fp32"}, {"f64", "fp64"}, {"i8", "int8"},
					       {"Sgemm", "fp32"}, {"Dgemm", "fp64"}, {"Hgemm", "fp16"},
					       {"f8_", "fp8"}};
	char word[64] = "";

	sscanf(gw_trace_text(shape, "type", gw_trace_text(shape, "text", "")), "%63s", word);
	snprintf(type, 16, "%.15s", word);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(word, names[i][0]) || ((i > 3) && !strncmp(word, names[i][0], strlen(names[i][0]))))
			snprintf(type, 16, "%s", names[i][1]);
	if (!strcmp(type, "fp32") && is_tf32(shape))
		snprintf(type, 16, "tf32");
}
