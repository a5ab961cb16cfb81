/* SPDX-License-Identifier: Apache-2.0 */
/* See finding.h. */
#include "finding.h"

#include <stdatomic.h>
#include <string.h>

#include "log.h"
#include "output.h"
#include "settings.h"

#define REMEMBERED 512u

static const struct {
	const char *code, *severity, *remedy;
} infos[GW_FINDING_COUNT] = {
	[GW_FINDING_NO_TARGET] = { "GW-301", "error",
		"install a release of it (pip install the nvidia wheel), or name its directory in GANGWAY_LIBRARY_PATH" },
	[GW_FINDING_OPEN_FAILED] = { "GW-302", "error",
		"make the file above loadable, or name another directory in GANGWAY_LIBRARY_PATH" },
	[GW_FINDING_ABSENT] = { "GW-303", "warning",
		"install a release that has the function" },
	[GW_FINDING_PRIVATE] = { "GW-304", "warning",
		"private functions of the vendor's libraries cannot be translated; install the release the caller belongs to" },
	[GW_FINDING_ALGORITHM] = { "GW-313", "warning",
		"let the program choose its algorithms anew: remove what it has kept of its tuning" },
	[GW_FINDING_CONFIG] = { "GW-315", "warning", "install a release that has it; the program was told 'invalid value'" },
	[GW_FINDING_UNKNOWN_RELEASE] = { "GW-305", "note",
		"it is treated as the nearest release that is known; `gangway abi import` teaches a new one" },
	[GW_FINDING_OTHER_BUILD] = { "GW-306", "error", "use libgangway.so and facades of one build" },
	[GW_FINDING_NO_PROVIDER] = { "GW-307", "error",
		"load the vendor's library before the call" },
	[GW_FINDING_LOG_FAILED] = { "GW-308", "warning", "the program goes on without that log; free space or name another file" },
	[GW_FINDING_DEEPBIND] = { "GW-309", "note",
		"RTLD_DEEPBIND was left out for this library, so that its calls are seen; GANGWAY_KEEP_DEEPBIND=1 keeps it" },
	[GW_FINDING_ATTRIBUTE] = { "GW-311", "warning", "install that release, or let the program do without it" },
	[GW_FINDING_BLOCK_DROPPED] = { "GW-312", "warning",
		"too many different descriptors are in use at once; initialise this one anew before it is used" },
	[GW_FINDING_ATOMIC_SYNC] = { "GW-314", "error",
		"install a release that has the attribute, or turn the program's overlap of communication and products off" },
	[GW_FINDING_BUILT_FOR] = { "GW-320", "error", "write it as in \"libfoo.so:cublas=12.1.3.1,cudnn=8.9.7;*:cudnn=9.4\"" },
	[GW_FINDING_KNOB] = { "GW-321", "note", "its number is passed on; a program that does not know it leaves it as it is" },
	[GW_FINDING_LACKING] = { "GW-322", "warning", "install that release or a newer one" },
	[GW_FINDING_TOO_WIDE] = { "GW-318", "warning", "install a release that has the function" },
	[GW_FINDING_NOT_CARRIED] = { "GW-319", "warning", "install a release that has the function" },
	[GW_FINDING_RNN] = { "GW-316", "warning", "change the program, or run it on cuDNN 8" },
};

static _Atomic uint64_t told[REMEMBERED];
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

void gw_finding_tell(enum gw_finding which, const char *subject, const char *text, const char *remedy)
{
	char buffer[2048];
	struct gw_line line;
	const char *file = gw_setting(GW_SETTING_FINDINGS);

	if (!first_time(hash_of(which, subject)))
		return;
	if (!remedy)
		remedy = infos[which].remedy;
	gw_log_finding(infos[which].code, infos[which].severity, text, remedy);
	gw_line_start(&line, buffer, sizeof(buffer));
	gw_line_text(&line, "gangway: ");
	gw_line_text(&line, infos[which].severity);
	gw_line_char(&line, ' ');
	gw_line_text(&line, infos[which].code);
	gw_line_text(&line, ": ");
	gw_line_text(&line, text);
	gw_line_text(&line, "; ");
	gw_line_text(&line, remedy);
	line.text[line.length++] = '\n';
	if (!gw_setting_on(GW_SETTING_QUIET))
		gw_output_stderr(line.text, line.length);
	if (file) {
		__atomic_store_n(&findings_file.path, file, __ATOMIC_RELAXED);
		gw_output_write(&findings_file, line.text, line.length);
	}
}

void gw_finding_tell_absent(const char *family, const char *function, const char *text)
{
	char remedy[512];
	struct gw_line line;

	gw_line_start(&line, remedy, sizeof(remedy) - 1);
	gw_line_text(&line, infos[GW_FINDING_ABSENT].remedy);
	gw_line_text(&line, ": `gangway abi list` names the releases, `gangway abi show ");
	gw_line_text(&line, family);
	gw_line_text(&line, " RELEASE ");
	gw_line_text(&line, function);
	gw_line_text(&line, "` tells whether one does");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_ABSENT, function, text, remedy);
}
