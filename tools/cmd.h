/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What main.c and the sub-commands share. One sub-command is one tools/cmd_NAME.c with one function, declared here and named in
 * main.c's table; nothing else has to know it.
 */
#ifndef GW_CMD_H
#define GW_CMD_H

#include <stdbool.h>

/* What `gangway` exits with. `run` alone answers with the program's own status. */
enum gw_exit { GW_EXIT_FINE = 0, GW_EXIT_FINDINGS = 1, GW_EXIT_USAGE = 2, GW_EXIT_FAILED = 3 };

/* argv[0] is the sub-command's name. Returns an enum gw_exit. */
int gw_cmd_abi(int argc, char **argv);
int gw_cmd_doctor(int argc, char **argv);
int gw_cmd_explain(int argc, char **argv);
int gw_cmd_metrics(int argc, char **argv);
int gw_cmd_policy(int argc, char **argv);
int gw_cmd_report(int argc, char **argv);
int gw_cmd_run(int argc, char **argv);
int gw_cmd_scan(int argc, char **argv);
int gw_cmd_top(int argc, char **argv);
int gw_cmd_trace(int argc, char **argv);
int gw_cmd_verify(int argc, char **argv);

/* "gangway: …" and a newline on stderr. */
void gw_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Does TEXT look like a misspelt NAME: one letter more, less, other, or two exchanged? */
bool gw_is_near(const char *text, const char *name);

/*
 * Ends a command's standard output: flushes it. STATUS as it came, or GW_EXIT_FAILED with a complaint when not all could be
 * written (a full disk must not look like success).
 */
int gw_finish_output(int status) __attribute__((warn_unused_result));

/*
 * Where installed or built data lies: "facts", "families", "findings", "drivers", "frameworks", "include". A new string, or NULL when there is none. Looks beside the
 * program (PREFIX/share/gangway), then where the build found it.
 */
char *gw_data_path(const char *name);

/* Each program's own: where PREFIX/share/gangway lies, seen from the directory of its file. */
extern const char gw_data_place[];

#endif
