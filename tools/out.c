/* SPDX-License-Identifier: Apache-2.0 */
/* See out.h. */
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd.h"

int gw_out_open(struct gw_out *out, const char *path)
{
	struct stat info;
	mode_t mask = umask(022);
	int fd;

	umask(mask);
	*out = (struct gw_out){.file = stdout};
	if (!path || !strcmp(path, "-"))
		return 0;
	out->path = strdup(path);
	/* what is no regular file (a pipe, /dev/null) cannot be replaced */
	if (out->path && stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
		out->file = S_ISDIR(info.st_mode) ? (errno = EISDIR, NULL) : fopen(path, "we");
	} else if (out->path && asprintf(&out->aside, "%s.XXXXXX", path) > 0) {
		fd = mkostemp(out->aside, 0x80000 /* O_CLOEXEC */);
		out->file = fd < 0 ? NULL : fdopen(fd, "w");
		if (fd >= 0)
			fchmod(fd, 0666 & ~mask);
	} else {
		out->file = NULL;
	}
	if (out->file)
		return 0;
	gw_complain("%s: %s", path, strerror(errno));
	free(out->aside);
	free(out->path);
	return -1;
}

int gw_out_close(struct gw_out *out, int status, bool keep)
{
	bool failed = false;

	if (!out->path)
		return gw_finish_output(status);
	if (keep && (fflush(out->file) || ferror(out->file))) {
		gw_complain("%s: %s: nothing was written there", out->path, strerror(errno));
		failed = true;
	}
	if (fclose(out->file) && keep && !failed) {
		gw_complain("%s: %s: nothing was written there", out->path, strerror(errno));
		failed = true;
	}
	if (out->aside && keep && !failed && rename(out->aside, out->path)) {
		gw_complain("%s: %s", out->path, strerror(errno));
		failed = true;
	}
	if (out->aside && (failed || !keep))
		unlink(out->aside);
	free(out->aside);
	free(out->path);
	return failed ? GW_EXIT_FAILED : status;
}

/* Bytes of the UTF-8 character at TEXT; 0: none is there. */
static unsigned character(const unsigned char *text)
{
	unsigned length = *text < 0x80 ? 1 : *text >= 0xc2 && *text < 0xe0 ? 2 : *text >= 0xe0 && *text < 0xf0 ? 3 : *text >= 0xf0 && *text < 0xf5 ? 4 : 0;

	for (unsigned i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f) || (*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

void gw_out_json(FILE *file, const char *text)
{
	while (*text) {
		unsigned length = character((const unsigned char *)text);

		if (!length)
			fputs("\\ufffd", file);
		else if (length == 1 && (*text == '"' || *text == '\\'))
			fprintf(file, "\\%c", *text);
		else if (length == 1 && (unsigned char)*text < 0x20)
			fprintf(file, "\\u%04x", (unsigned char)*text);
		else
			fwrite(text, 1, length, file);
		text += length ? length : 1;
	}
}

void gw_out_html(FILE *file, const char *text)
{
	while (*text) {
		unsigned length = character((const unsigned char *)text);

		switch (length == 1 ? *text : length ? 'a' : 0) {
		case '&': fputs("&amp;", file); break;
		case '<': fputs("&lt;", file); break;
		case '>': fputs("&gt;", file); break;
		case '"': fputs("&quot;", file); break;
		case 0: fputs("\xef\xbf\xbd", file); break;
		default: fwrite(text, 1, length, file);
		}
		text += length ? length : 1;
	}
}

void gw_out_csv(FILE *file, const char *text)
{
	if (!text[strcspn(text, "\",\r\n")]) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}
