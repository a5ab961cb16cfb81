/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abigen on the small database of tests/gen/small: what it writes, byte for byte, and what it says
 * of bad input. Arguments: the abigen to run, the folder `small`. GANGWAY_UPDATE_GOLDEN=1 writes
 * the expected files anew instead of comparing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *abigen, *small;
static char work[] = "/tmp/gangway-gen-XXXXXX";

static char *format(const char *form, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, form);
	assert_true(vasprintf(&text, form, arguments) >= 0);
	va_end(arguments);
	return text;
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		fail_msg("%s cannot be read", path);
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(file);
	return text;
}

static void write_all(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Runs abigen on work/in into work/out. Returns its exit status; *said is what it wrote on stderr.
 */
static int run_abigen(char **said)
{
	char *errors = format("%s/errors", work);
	char *command = format("cd %s/in && '%s' --facts . --treatment treatment "
			       "--changes changes --out ../out --version golden 2>%s",
			       work, abigen, errors);
	int status = system(command);

	*said = read_all(errors);
	free(command);
	free(errors);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Copies the small database, with the one place FROM of FILE replaced by TO. */
static void prepare(const char *file, const char *from, const char *to)
{
	static const char *const files[] = {"facts/alpha.abi", "facts/beta.abi", "treatment",
					    "changes"};
	int replaced = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *name = strrchr(files[i], '/') ? strrchr(files[i], '/') + 1 : files[i];
		char *source = format("%s/%s", small, files[i]),
		     *target = format("%s/in/%s", work, name);
		char *text = read_all(source),
		     *place = file && !strcmp(file, name) ? strstr(text, from) : NULL;

		if (place) {
			char *changed = format("%.*s%s%s", (int)(place - text), text, to,
					       place + strlen(from));

			free(text);
			text = changed;
			replaced++;
		}
		write_all(target, text);
		free(text);
		free(source);
		free(target);
	}
	if (file)
		assert_int_equal(replaced, 1);
}

static int make_work(void **state)
{
	char *folder;

	(void)state;
	strcpy(work, "/tmp/gangway-gen-XXXXXX");
	if (!mkdtemp(work))
		return -1;
	folder = format("%s/in", work);
	mkdir(folder, 0700);
	free(folder);
	folder = format("%s/out", work);
	mkdir(folder, 0700);
	free(folder);
	return 0;
}

static int remove_work(void **state)
{
	char *command = format("rm -rf %s", work);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

static size_t count_files(const char *folder)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	size_t count = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory)))
		count += *entry->d_name != '.';
	closedir(directory);
	return count;
}

static void every_file_is_written_as_expected_and_no_other(void **state)
{
	char *expected = format("%s/expected", small), *out = format("%s/out", work), *said;
	struct dirent *entry;
	DIR *directory;

	(void)state;
	prepare(NULL, NULL, NULL);
	assert_int_equal(run_abigen(&said), 0);
	assert_string_equal(said, "");
	free(said);
	directory = opendir(out);
	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		char *got_path = format("%s/%s", out, entry->d_name),
		     *want_path = format("%s/%s", expected, entry->d_name);

		if (*entry->d_name != '.') {
			char *got = read_all(got_path), *want;

			if (getenv("GANGWAY_UPDATE_GOLDEN"))
				write_all(want_path, got);
			want = read_all(want_path);
			if (strcmp(got, want))
				fail_msg("%s differs from what abigen writes", want_path);
			free(got);
			free(want);
		}
		free(got_path);
		free(want_path);
	}
	closedir(directory);
	assert_int_equal(count_files(out), count_files(expected));
	free(expected);
	free(out);
}

/* One bad place, and the one line that says where it is. */
static const struct bad {
	const char *name, *file, *from, *to, *said;
} bad[] = {
	{"an_unknown_method_is_refused", "treatment", "alphaOld gone", "alphaOld vanished",
	 "treatment:10:23: unknown method 'vanished': pass, table, via, gone or new\n"},
	{"via_without_a_name_is_refused", "treatment", "via gw_via_alpha_version", "via",
	 "treatment:9:30: `via` needs the name of the function that answers\n"},
	{"one_via_function_for_two_signatures_is_refused", "treatment", "alphaNew new",
	 "alphaNew via gw_via_alpha_version",
	 "treatment:11:27: 'gw_via_alpha_version' answers 'alphaVersion' already, whose signature "
	 "differs\n"},
	{"a_name_after_another_method_is_refused", "treatment", "alphaNew new", "alphaNew new x",
	 "treatment:11:27: 'x' follows `new`, which takes no name\n"},
	{"an_unknown_function_is_refused", "treatment", "alphaNorm pass", "alphaNrom pass",
	 "treatment:12:14: unknown function 'alphaNrom': family 'alpha' has no such public "
	 "function\n"},
	{"a_second_method_is_refused", "treatment", "alphaNorm pass", "alphaNew new",
	 "treatment:12:14: 'alphaNew' has a method already\n"},
	{"an_unknown_family_is_refused", "treatment", "method alpha alphaOld",
	 "method alhpa alphaOld",
	 "treatment:10:8: unknown family 'alhpa': no facts were read for it\n"},
	{"gone_that_is_not_gone_is_refused", "treatment", "alphaOld gone", "alphaDot gone",
	 "treatment:10:23: 'alphaDot' is not gone: the newest release (2.0) declares it\n"},
	{"new_that_is_not_new_is_refused", "treatment", "alphaOld gone", "alphaDot new",
	 "treatment:10:23: 'alphaDot' is not new: the oldest release (1.0) declares it\n"},
	{"a_default_of_gone_is_refused", "treatment", "alpha * table", "alpha * gone",
	 "treatment:8:16: a family's default is `pass` or `table`\n"},
	{"a_family_without_default_is_refused", "treatment", "method alpha * table", "",
	 "treatment:4:8: family 'alpha' has no `method alpha *` line\n"},
	{"an_unknown_line_is_refused", "treatment", "suite beta", "sweet beta",
	 "treatment:3:1: unknown line 'sweet': suite, bridge, generic, facade, method, fold, "
	 "private, carries, narrow, until or constant\n"},
	{"until_names_a_via_function", "treatment", "alphaOld gone", "alphaOld gone\nuntil alpha alphaOld 1.0",
	 "treatment:11:13: no function 'alphaOld' of family 'alpha' has a `via` line\n"},
	{"until_names_a_known_release", "treatment", "alphaOld gone", "alphaOld gone\nuntil alpha alphaVersion 0.9",
	 "treatment:11:26: family 'alpha' has no release '0.9'\n"},
	{"a_line_too_short_is_refused", "treatment", "suite beta beta", "suite beta",
	 "treatment:3:11: too few words: the form is `suite NAME FAMILY…`\n"},
	{"an_unknown_option_is_refused", "treatment", "version=ALPHA_VERSION",
	 "verison=ALPHA_VERSION",
	 "treatment:4:72: 'verison=ALPHA_VERSION' is no option of 'bridge': the form is "
	 "`bridge FAMILY status=ENUM refuse=CONSTANT symbols=PREFIX [version=MACRO]`\n"},
	{"an_unknown_status_enum_is_refused", "treatment", "status=alphaStatus_t",
	 "status=alphaState_t", "treatment:4:14: unknown enum 'alphaState_t'\n"},
	{"an_unknown_refusal_is_refused", "treatment", "refuse=ALPHA_STATUS_NO ",
	 "refuse=ALPHA_STATUS_NOPE ",
	 "treatment:4:35: 'ALPHA_STATUS_NOPE' is no status of release 1.1\n"},
	{"an_unknown_target_is_refused", "treatment", "onto libalpha.so.2", "onto libalpha.so.3",
	 "treatment:6:33: unknown target 'libalpha.so.3': no `soname` line of family 'alpha' has "
	 "it\n"},
	{"a_facade_onto_itself_is_refused", "treatment", "onto libalpha.so.2", "onto libalpha.so.1",
	 "treatment:6:33: 'libalpha.so.1' cannot stand in for itself\n"},
	{"a_facade_of_an_unknown_soname_is_refused", "treatment", "facade libbeta.so.1",
	 "facade libbeta.so.7",
	 "treatment:7:8: unknown soname 'libbeta.so.7': no `soname` line of family 'beta' has "
	 "it\n"},
	{"a_facade_of_an_undeclared_family_is_refused", "treatment",
	 "generic beta status=betaStatus_t refuse=BETA_STATUS_NO", "",
	 "treatment:7:21: unknown family 'beta': no `bridge` or `generic` line names it\n"},
	{"a_fold_onto_an_unknown_constant_is_refused", "treatment", "2999 ALPHA_STATUS_BAD",
	 "2999 ALPHA_STATUS_WORSE",
	 "treatment:13:22: unknown constant 'ALPHA_STATUS_WORSE': enum 'alphaStatus_t' has none of "
	 "that name\n"},
	{"a_fold_of_no_number_is_refused", "treatment", "fold alpha 2000", "fold alpha 2OOO",
	 "treatment:13:12: '2OOO' is no number\n"},
	{"a_status_without_a_fold_is_refused", "treatment", "fold alpha 2000", "fold alpha 2002",
	 "treatment:4:8: status 2001 of release 2.0 has no name in release 1.1: add `fold alpha "
	 "2001 2001 CONSTANT`\n"},
	{"spans_of_what_no_release_has_are_refused", "treatment", "spans alpha alphaDesc_t", "spans alpha alphaNone_t",
	 "treatment:21:13: family 'alpha' has no enum or struct 'alphaNone_t'\n"},
	{"a_list_without_its_end_is_refused", "treatment", "end=ALPHA_MODE_END", "end=ALPHA_MODE_STOP",
	 "treatment:19:25: enum 'alphaMode_t' has no constant 'end=ALPHA_MODE_STOP'\n"},
	{"two_constants_of_one_number_cannot_be_told_apart", "treatment", "spans alpha alphaMode_t end=ALPHA_MODE_END", "spans alpha alphaStatus_t",
	 "treatment:19:13: 'ALPHA_STATUS_NO' and 'ALPHA_STATUS_NO_SUCH_CHIP' have the same value in release 2.0\n"},
	{"a_type_that_is_not_one_number_is_refused", "treatment", "typed alpha ALPHA_MODE_FAST ALPHA_STATUS_OK", "typed alpha ALPHA_MODE_FAST ALPHA_STATUS_BAD",
	 "treatment:20:29: 'ALPHA_STATUS_BAD' is not the same in all releases\n"},
	{"a_type_for_a_constant_of_no_list_is_refused", "treatment", "typed alpha ALPHA_MODE_FAST", "typed alpha ALPHA_MODE_END",
	 "treatment:20:13: no `spans` line has a constant 'ALPHA_MODE_END'\n"},
	{"a_private_symbol_of_an_unknown_soname_is_refused", "treatment",
	 "same libalpha.so.1 libalpha.so.2", "same libalpha.so.1 libalpha.so.9",
	 "treatment:14:51: unknown soname 'libalpha.so.9'\n"},
	{"disagreeing_parameters_are_refused", "alpha.abi", "handle: alphaHandle_t\t1.0..1.1\t",
	 "handle: alphaHandle_t\t1.0\talpha.h:80\nfunction\talphaOld\talphaStatus_t\thandle: "
	 "int\t1.1\t",
	 "./alpha.abi:41:33: alphaOld: parameter 1 is 'alphaHandle_t' here and 'int' in 1.1 (line "
	 "42): "
	 "the calling convention differs\n"},
	{"a_disagreeing_result_is_refused", "alpha.abi", "function\talphaVersion\tsize_t\t-\t1.0..",
	 "function\talphaVersion\tint\t-\t1.0\talpha.h:19\nfunction\talphaVersion\tsize_t\t-\t1.1."
	 ".",
	 "./alpha.abi:43:23: alphaVersion: returns 'int' here and 'size_t' in 2.0 (line 44): the "
	 "calling convention differs\n"},
	{"a_disagreeing_parameter_count_is_refused", "alpha.abi",
	 "function\talphaVersion\tsize_t\t-\t1.0..",
	 "function\talphaVersion\tsize_t\t-\t1.0\talpha.h:19\nfunction\talphaVersion\tsize_t\tx: "
	 "int\t1.1..",
	 "./alpha.abi:43:30: alphaVersion: 0 parameters here and 1 in 2.0 (line 44): the calling "
	 "convention differs\n"},
	{"an_unknown_type_is_refused", "alpha.abi", "callback: alphaCallback_t",
	 "callback: alphaCallbakc_t",
	 "./alpha.abi:42:41: alphaSetCallback: no `typedef`, `enum` or `struct` line says what "
	 "'alphaCallbakc_t' is\n"},
	{"a_circle_of_typedefs_is_refused", "alpha.abi", "alphaHandle_t\tstruct alphaContext *",
	 "alphaHandle_t\tconst alphaHandle_t",
	 "./alpha.abi:33:24: alphaAsk: the typedefs of 'const alphaHandle_t' go round in a "
	 "circle\n"},
	{"an_array_of_results_with_statuses_needs_a_treatment", "treatment",
	 "carries alpha alphaFind results count=found most=asked", "",
	 "./alpha.abi:38:34: alphaFind: 'results' carries a status (alphaStatus_t): add `carries "
	 "alpha alphaFind results one`, `… count=PARAMETER` or `… via` to the treatment\n"},
	{"a_pointer_to_a_status_needs_a_treatment", "treatment", "carries alpha alphaAsk last one",
	 "",
	 "./alpha.abi:33:24: alphaAsk: 'last' carries a status (alphaStatus_t): add `carries "
	 "alpha alphaAsk last one`, `… count=PARAMETER` or `… via` to the treatment\n"},
	{"a_callback_that_is_told_a_status_needs_a_treatment", "treatment",
	 "carries alpha alphaSetCallback callback via", "",
	 "./alpha.abi:42:41: alphaSetCallback: 'callback' carries a status (alphaStatus_t): add "
	 "`carries alpha alphaSetCallback callback one`, `… count=PARAMETER` or `… via` to the "
	 "treatment\n"},
	{"a_returned_struct_with_a_status_needs_a_treatment", "alpha.abi", "alphaDot\talphaComplex\t",
	 "alphaDot\tconst alphaPerf_t *\t",
	 "./alpha.abi:36:19: alphaDot: 'return' carries a status (alphaStatus_t): add `carries "
	 "alpha alphaDot return one`, `… count=PARAMETER` or `… via` to the treatment\n"},
	{"a_status_in_one_old_release_alone_needs_a_treatment", "alpha.abi",
	 "function\talphaCount\tvoid\tcounts: int[2], n: int64_t, flag: char\t1.0..",
	 "function\talphaCount\tvoid\tcounts: alphaStatus_t *, n: int64_t, flag: "
	 "char\t1.0\talpha.h:39\nfunction\talphaCount\tvoid\tcounts: int[2], n: int64_t, flag: "
	 "char\t1.1..",
	 "./alpha.abi:35:26: alphaCount: 'counts' carries a status (alphaStatus_t): add `carries "
	 "alpha alphaCount counts one`, `… count=PARAMETER` or `… via` to the treatment\n"},
	{"a_callback_can_be_treated_by_hand_alone", "treatment", "callback via", "callback one",
	 "treatment:16:41: 'callback' of 'alphaSetCallback' is neither a pointer to statuses nor "
	 "one to structs whose statuses keep their places: only `via` can treat it\n"},
	{"a_status_that_moved_can_be_treated_by_hand_alone", "alpha.abi",
	 "second\t16\t4\talphaStatus_t\t1.0..",
	 "second\t16\t4\talphaStatus_t\t1.0..1.1\talpha.h:56\nfield\talphaPerf_t\tsecond\t20\t4\t"
	 "alphaStatus_t\t2.0..",
	 "treatment:18:33: 'results' of 'alphaFind' is neither a pointer to statuses nor one to "
	 "structs whose statuses keep their places: only `via` can treat it\n"},
	{"a_struct_that_grew_can_be_treated_by_hand_alone", "alpha.abi", "alphaPerf_t\t24\t1.0..",
	 "alphaPerf_t\t20\t1.0..1.1\talpha.h:52\nstruct\talphaPerf_t\t24\t2.0..",
	 "treatment:18:33: 'results' of 'alphaFind' is neither a pointer to statuses nor one to "
	 "structs whose statuses keep their places: only `via` can treat it\n"},
	{"what_is_only_read_can_be_treated_by_hand_alone", "alpha.abi", "last: alphaStatus_t *",
	 "last: const alphaStatus_t *",
	 "treatment:17:29: 'last' of 'alphaAsk' is neither a pointer to statuses nor one to "
	 "structs whose statuses keep their places: only `via` can treat it\n"},
	{"a_count_that_is_no_parameter_is_refused", "treatment", "count=found", "count=fuond",
	 "treatment:18:33: 'alphaFind' has no parameter 'fuond'\n"},
	{"a_count_that_is_no_pointer_is_refused", "treatment", "count=found", "count=asked",
	 "treatment:18:33: parameter 'asked' of 'alphaFind' is no pointer to an integer\n"},
	{"a_limit_that_is_a_pointer_is_refused", "treatment", "most=asked", "most=found",
	 "treatment:18:45: parameter 'found' of 'alphaFind' is no integer\n"},
	{"a_limit_without_a_count_is_refused", "treatment", "last one", "last one most=last",
	 "treatment:17:33: 'most=last' cannot follow `one`: the form is `carries FAMILY FUNCTION "
	 "PARAMETER one|via|count=PARAMETER [most=PARAMETER]`\n"},
	{"an_unknown_way_of_carrying_is_refused", "treatment", "last one", "last two",
	 "treatment:17:29: 'two' stands where `one`, `via` or `count=PARAMETER` belongs: the form "
	 "is `carries FAMILY FUNCTION PARAMETER one|via|count=PARAMETER [most=PARAMETER]`\n"},
	{"carried_by_hand_without_a_hand_is_refused", "treatment", "last one", "last via",
	 "treatment:17:29: 'alphaAsk' has no `method … via` line that could treat it\n"},
	{"a_parameter_without_a_status_is_refused", "treatment", "alphaAsk last", "alphaAsk handle",
	 "treatment:17:24: 'handle' of 'alphaAsk' carries no status\n"},
	{"a_carrier_that_is_no_parameter_is_refused", "treatment", "alphaAsk last", "alphaAsk lsat",
	 "treatment:17:24: 'alphaAsk' has no parameter 'lsat'\n"},
	{"a_carrier_of_an_unknown_function_is_refused", "treatment", "alphaAsk last",
	 "alphaAks last",
	 "treatment:17:15: unknown function 'alphaAks': family 'alpha' has no such public "
	 "function\n"},
	{"a_carrier_of_a_family_that_is_not_bridged_is_refused", "treatment", "carries alpha alphaAsk",
	 "carries beta alphaAsk", "treatment:17:9: family 'beta' has no `bridge` line\n"},
	{"a_carrier_that_is_treated_twice_is_refused", "treatment", "carries alpha alphaFind",
	 "carries alpha alphaAsk last one\ncarries alpha alphaFind",
	 "treatment:18:24: 'last' of 'alphaAsk' is treated already\n"},
	{"a_carrier_of_a_function_that_is_passed_is_refused", "treatment", "alphaNorm pass",
	 "alphaAsk pass",
	 "treatment:17:15: 'alphaAsk' has the method `pass`, which translates nothing\n"},
	{"a_new_constant_needs_a_treatment", "changes",
	 "change alpha enum alphaMode_t.* appears unchanged passed on\n", "",
	 "./alpha.abi:46:1: nothing treats that enum 'alphaMode_t.ALPHA_MODE_FAST' appears: 1: add "
	 "`change alpha enum alphaMode_t.ALPHA_MODE_FAST appears …`\n"
	 "changes: 1 difference between releases is untreated\n"},
	{"a_function_that_goes_needs_a_method", "treatment", "method alpha alphaOld gone", "",
	 "./alpha.abi:41:1: nothing treats that function 'alphaOld' vanishes: add `method alpha "
	 "alphaOld …` to the treatment, or `change alpha function alphaOld vanishes …`\n"
	 "changes: 1 difference between releases is untreated\n"},
	{"a_line_that_treats_nothing_is_stale", "changes", "alphaStatus_t.ALPHA_STATUS_NO",
	 "alphaStatus_t.ALPHA_STATUS_ON",
	 "./alpha.abi:52:1: nothing treats that enum 'alphaStatus_t.ALPHA_STATUS_NO' changes: 2 in "
	 "1.0 to 1.1; 3007 in 2.0: add `change alpha enum alphaStatus_t.ALPHA_STATUS_NO changes …`\n"
	 "changes: 1 difference between releases is untreated\n"},
	{"a_line_that_a_better_one_replaces_is_stale", "changes", "change alpha enum alphaMode_t.* ",
	 "change alpha enum alphaMode_t.ALPHA_MODE_FAST appears unchanged exactly\nchange alpha enum "
	 "alphaMode_t.* ",
	 "changes:5:19: no enum 'alphaMode_t.*' appears that no other line treats: the line is "
	 "stale\n"},
	{"two_lines_as_precise_are_refused", "changes", "change alpha struct",
	 "change alpha enum alphaMode_t.* appears refused again\nchange alpha struct",
	 "changes:8:19: 'alphaMode_t.ALPHA_MODE_FAST' is treated by line 4, too, which is as "
	 "precise\n"},
	{"a_pattern_for_any_enum_is_refused", "changes", "enum alphaMode_t.* appears",
	 "enum alpha* appears",
	 "changes:4:19: 'alpha*' names no enum, struct or library before its `*`\n"},
	{"a_pattern_for_any_macro_is_refused", "changes", "macro ALPHA_VERSION", "macro ALPH*",
	 "changes:9:20: 'ALPH*' would cover anything: name each\n"},
	{"a_pattern_for_any_struct_is_refused", "changes", "struct alphaDesc_t", "struct alphaDesc*",
	 "changes:8:21: 'alphaDesc*' would cover anything: name each\n"},
	{"a_pattern_for_a_changed_value_is_refused", "changes", "alphaStatus_t.ALPHA_STATUS_BAD changes",
	 "alphaStatus_t.*BAD changes",
	 "changes:5:19: 'alphaStatus_t.*BAD' would cover a change that nobody has seen: name each\n"},
	{"a_value_that_nobody_listed_is_refused", "changes", "values=1,2000", "values=1,2001",
	 "changes:5:69: 'alphaStatus_t.ALPHA_STATUS_BAD' has the values 1,2000: the line must list "
	 "them, as `values=1,2000`\n"},
	{"values_of_a_constant_that_changes_are_listed", "changes", "translated values=1,2000",
	 "translated",
	 "changes:5:50: 'alphaStatus_t.ALPHA_STATUS_BAD' has the values 1,2000: the line must list "
	 "them, as `values=1,2000`\n"},
	{"values_of_what_does_not_change_are_refused", "changes", "unchanged passed",
	 "unchanged values=1 passed",
	 "changes:4:51: `values=` belongs to an enum, struct or macro that changes\n"},
	{"a_value_that_changed_hands_needs_a_treatment", "alpha.abi",
	 "enum\talphaMode_t\tALPHA_MODE_PLAIN\t0\t1.0..",
	 "enum\talphaMode_t\tALPHA_MODE_NEW\t0\t2.0..\talpha.h:11\nenum\talphaMode_t\t"
	 "ALPHA_MODE_PLAIN\t0\t1.0..1.1",
	 "./alpha.abi:47:1: nothing treats that enum 'alphaMode_t.ALPHA_MODE_NEW' reuses: 0, which "
	 "is ALPHA_MODE_PLAIN in 1.0 to 1.1: add `change alpha enum alphaMode_t.ALPHA_MODE_NEW "
	 "reuses …`\n"
	 "./alpha.abi:48:1: nothing treats that enum 'alphaMode_t.ALPHA_MODE_PLAIN' vanishes: 0: add "
	 "`change alpha enum alphaMode_t.ALPHA_MODE_PLAIN vanishes …`\n"
	 "changes: 2 differences between releases are untreated\n"},
	{"an_unknown_kind_of_difference_is_refused", "changes", "alpha struct", "alpha union",
	 "changes:8:14: unknown kind 'union': soname, node, needed, export, others, function, enum, "
	 "struct, field, typedef or macro\n"},
	{"an_unknown_form_of_difference_is_refused", "changes", "alphaDesc_t appears",
	 "alphaDesc_t comes",
	 "changes:8:33: unknown form 'comes': appears, vanishes, changes or reuses\n"},
	{"an_unknown_way_of_treating_is_refused", "changes", "appears refused status=",
	 "appears ignored status=",
	 "changes:8:41: unknown treatment 'ignored': unchanged, translated, emulated or refused\n"},
	{"an_unknown_status_of_a_refusal_is_refused", "changes", "status=ALPHA_STATUS_NO",
	 "status=ALPHA_STATUS_ON",
	 "changes:8:49: 'ALPHA_STATUS_ON' is no constant of 'alphaStatus_t'\n"},
	{"what_is_no_finding_is_refused", "changes", "finding=GW-303", "finding=GW-3O3",
	 "changes:8:72: 'GW-3O3' is no finding, such as GW-303\n"},
	{"an_unknown_option_of_a_change_is_refused", "changes", "finding=GW-303", "found=GW-303",
	 "changes:8:72: 'found=GW-303' is no option of 'change': the form is `change FAMILY KIND "
	 "NAME FORM HOW [values=V,…] [status=CONSTANT] [finding=GW-NNN] TEXT…`\n"},
	{"a_change_without_a_word_is_refused", "changes", "values=* the end of the list", "values=*",
	 "changes:3:72: no text says what is done: the form is `change FAMILY KIND NAME FORM HOW "
	 "[values=V,…] [status=CONSTANT] [finding=GW-NNN] TEXT…`\n"},
	{"a_finding_within_the_text_is_refused", "changes", "unchanged passed on", "unchanged passed on, GW-303",
	 "changes:4:62: 'GW-303' has a place of its own: finding=\n"},
	{"a_change_of_a_family_that_is_not_bridged_is_refused", "changes", "alpha struct",
	 "beta struct", "changes:8:8: family 'beta' has no `bridge` line\n"},
	{"a_method_among_the_changes_is_refused", "changes", "change alpha struct",
	 "method alpha struct",
	 "changes:8:1: unknown line 'method': change alone stands here\n"},
	{"a_change_in_the_treatment_is_refused", "treatment", "method alpha alphaNorm pass",
	 "change alpha struct alphaDesc_t appears refused here",
	 "treatment:12:1: unknown line 'change': suite, bridge, generic, facade, method, fold, "
	 "private, carries, narrow, until or constant\n"},
	{"a_function_treated_otherwise_than_its_method_is_refused", "changes", "change alpha struct",
	 "change alpha function alphaOld vanishes emulated by hand\nchange alpha struct",
	 "changes:8:41: 'alphaOld' is emulated here, and its method in the treatment is `gone`\n"},
};

/* cmocka hands a case its input or lets it clean up, not both: the cases run in the table's order.
 */
static int make_case(void **state)
{
	static size_t next;

	*state = (void *)(uintptr_t)&bad[next++];
	return make_work(state);
}

static void bad_input_is_refused(void **state)
{
	const struct bad *input = *state;
	char *out = format("%s/out", work), *said;

	prepare(input->file, input->from, input->to);
	assert_int_equal(run_abigen(&said), 1);
	assert_string_equal(said, input->said);
	/* Nothing half-made is left for a build to pick up. */
	assert_int_equal(count_files(out), 0);
	free(said);
	free(out);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest golden[] = {
		cmocka_unit_test_setup_teardown(every_file_is_written_as_expected_and_no_other,
						make_work, remove_work),
	};
	struct CMUnitTest refusals[sizeof(bad) / sizeof(*bad)];

	if (argc != 3)
		return 2;
	/* It is run from another folder. */
	abigen = realpath(argv[1], NULL);
	small = realpath(argv[2], NULL);
	if (!abigen || !small)
		return 2;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refusals[i] = (struct CMUnitTest){bad[i].name, bad_input_is_refused, make_case,
						  remove_work, NULL};
	return cmocka_run_group_tests_name("abigen writes", golden, NULL, NULL) |
	       cmocka_run_group_tests_name("abigen refuses", refusals, NULL, NULL);
}
