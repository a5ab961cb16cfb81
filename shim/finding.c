/* SPDX-License-Identifier: Apache-2.0 */
/* See finding.h. */
#include "finding.h"

#include <stdatomic.h>
#include <string.h>

#include "log.h"
#include "output.h"
#include "settings.h"
#include "trace.h"

#define REMEMBERED 512u

static _Atomic uint64_t told[REMEMBERED];
static _Atomic bool told_of[GW_FINDING_COUNT];
static struct gw_output findings_file;

static uint64_t hash_of(enum gw_finding which, const char *subject)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)which;

	while (*subject)
		hash = (hash ^ (unsigned char)*subject++) * UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

/* True for the first caller with this key. */
static bool first_time(uint64_t key)
{
	unsigned i, at = (unsigned)(key % REMEMBERED);

	for (i = 0; i < REMEMBERED; i++) {
		uint64_t empty = 0;

		if (atomic_load(&told[at]) == key)
			return false;
		if (atomic_compare_exchange_strong(&told[at], &empty, key))
			return true;
		if (empty == key)
			return false;
		at = (at + 1) % REMEMBERED;
	}
	return false;
}

bool gw_finding_was_told(enum gw_finding which)
{
	return atomic_load_explicit(&told_of[which], memory_order_relaxed);
}

void gw_finding_write(const char *text, size_t length)
{
	const char *file = gw_setting(GW_SETTING_FINDINGS);

	if (!gw_setting_on(GW_SETTING_QUIET))
		gw_output_stderr(text, length);
	if (file) {
		__atomic_store_n(&findings_file.path, file, __ATOMIC_RELAXED);
		gw_output_write(&findings_file, text, length);
	}
}

void gw_finding_tell(enum gw_finding which, const char *subject, const char *text, const char *remedy)
{
	char buffer[2048];
	struct gw_line line;

	if (!first_time(hash_of(which, subject)))
		return;
	atomic_store_explicit(&told_of[which], true, memory_order_relaxed);
	if (!remedy)
		remedy = gw_finding_remedy(which);
	gw_trace_finding(gw_finding_code(which), gw_finding_severity(which), text, remedy);
	gw_log_finding(gw_finding_code(which), gw_finding_severity(which), text, remedy);
	gw_line_start(&line, buffer, sizeof(buffer));
	gw_line_text(&line, "gangway: ");
	gw_line_text(&line, gw_finding_severity(which));
	gw_line_char(&line, ' ');
	gw_line_text(&line, gw_finding_code(which));
	gw_line_text(&line, ": ");
	gw_line_text(&line, text);
	gw_line_text(&line, "; ");
	gw_line_text(&line, remedy);
	line.text[line.length++] = '\n';
	gw_finding_write(line.text, line.length);
}

void gw_finding_tell_absent(const char *family, const char *function, const char *text)
{
	char remedy[512];
	struct gw_line line;

	gw_line_start(&line, remedy, sizeof(remedy) - 1);
	gw_line_text(&line, gw_finding_remedy(GW_FINDING_ABSENT));
	gw_line_text(&line, ": `gangway abi list` names the releases, `gangway abi show ");
	gw_line_text(&line, family);
	gw_line_text(&line, " RELEASE ");
	gw_line_text(&line, function);
	gw_line_text(&line, "` tells whether one does");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_ABSENT, function, text, remedy);
}
