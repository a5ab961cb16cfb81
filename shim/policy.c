/* SPDX-License-Identifier: Apache-2.0 */
/* See policy.h. */
#include "policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "finding.h"
#include "line.h"
#include "settings.h"

static struct gw_policy policy;
static _Atomic int state;	/* 0: not read, 1: being read, 2: read */
static char text[GW_POLICY_TEXT + 1];

static void tell(const char *what, const char *name, const struct gw_policy_error *error, const char *why)
{
	char message[1024];
	struct gw_line line;

	gw_line_start(&line, message, sizeof(message) - 1);
	gw_line_text(&line, what);
	gw_line_text(&line, " is not obeyed: \"");
	gw_line_text(&line, name);
	if (error) {
		gw_line_text(&line, "\" line ");
		gw_line_unsigned(&line, error->line);
		gw_line_text(&line, ", column ");
		gw_line_unsigned(&line, error->column);
	} else {
		gw_line_text(&line, "\"");
	}
	gw_line_text(&line, ": ");
	gw_line_text(&line, why);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_POLICY, what, message, NULL);
}

static void read_file(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct gw_policy_error error;
	size_t length = 0;
	ssize_t got = -1;

	while (file >= 0 && length < sizeof(text) && (got = read(file, text + length, sizeof(text) - length)) > 0)
		length += (size_t)got;
	if (file >= 0)
		close(file);
	if (file < 0 || got < 0)
		tell("GANGWAY_POLICY", path, NULL, "it cannot be read");
	else if (length > GW_POLICY_TEXT)
		tell("GANGWAY_POLICY", path, NULL, "it has more than 65536 bytes");
	else if (!gw_policy_parse(&policy, text, length, &error))
		tell("GANGWAY_POLICY", path, &error, error.why);
}

static void read_all(void)
{
	const char *file = gw_setting(GW_SETTING_POLICY), *rescue = gw_setting(GW_SETTING_RESCUE);
	struct gw_policy_error error;

	if (file)
		read_file(file);
	if (rescue && !gw_policy_parse_rescue(&policy, rescue, &error))
		tell("GANGWAY_RESCUE", rescue, &error, error.why);
}

const struct gw_policy *gw_policy(void)
{
	int expected = 0, before = errno;

	if (atomic_load_explicit(&state, memory_order_acquire) == 2)
		return &policy;
	if (atomic_compare_exchange_strong(&state, &expected, 1)) {
		read_all();
		atomic_store_explicit(&state, 2, memory_order_release);
	}
	/* Another thread reads a small file right now, and waits for nothing of ours meanwhile. */
	while (atomic_load_explicit(&state, memory_order_acquire) != 2)
		__builtin_ia32_pause();
	errno = before;
	return &policy;
}
