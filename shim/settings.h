/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every environment variable that the shim obeys, read once and copied, since programs overwrite their environment. The table in
 * settings.c is the only place that names them; docs/environment.md is checked against it.
 */
#ifndef GW_SETTINGS_H
#define GW_SETTINGS_H

#include <stdbool.h>

enum gw_setting {
	GW_SETTING_DISABLE,
	GW_SETTING_LOG,
	GW_SETTING_LOG_LEVEL,
	GW_SETTING_FINDINGS,
	GW_SETTING_QUIET,
	GW_SETTING_LIBRARY_PATH,
	GW_SETTING_CUBLAS,
	GW_SETTING_CUDNN,
	GW_SETTING_CUSPARSE,
	GW_SETTING_PYTHON_PATHS,
	GW_SETTING_FACADES,
	GW_SETTING_FACADE_DIR,
	GW_SETTING_BUILT_FOR,
	GW_SETTING_EXPLAIN,	/* the auditor's alone */
	GW_SETTING_KEEP_DEEPBIND,
	GW_SETTING_PAIRING,
	GW_SETTING_CRASH,
	GW_SETTING_TRACE,
	GW_SETTING_TRACE_LEVEL,
	GW_SETTING_TRACE_SIZE,
	GW_SETTING_TRACE_FULL,
	GW_SETTING_CONTROL,
	GW_SETTING_POLICY,
	GW_SETTING_RESCUE,
	GW_SETTING_AUDITED,
	GW_SETTING_LOADER_PATH,
	GW_SETTING_PYTHONPATH,
	GW_SETTING_VIRTUAL_ENV,
	GW_SETTING_CUDA_HOME,
	GW_SETTING_CUDA_PATH,
	GW_SETTING_COUNT
};

struct gw_setting_info {
	const char *variable, *meaning;
};

extern const struct gw_setting_info gw_settings_table[GW_SETTING_COUNT];

/* The value when the process started, NULL when unset or empty. Static memory, any thread, never fails. */
const char *gw_setting(enum gw_setting setting);

/* Is a yes-or-no setting on? Unset, empty and "0" are no. */
bool gw_setting_on(enum gw_setting setting);

/* The directory setting of a suite or generic family ("cublas" -> GANGWAY_CUBLAS), NULL when unset. */
const char *gw_setting_of_suite(const char *suite) __attribute__((nonnull));

/* Called by the constructor; a vendor call that comes before it does the same. */
void gw_settings_read(void);

#endif
