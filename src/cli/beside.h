/* What is read beside the recordings: suppressions, policies, baselines. */
#ifndef MP_CLI_BESIDE_H
#define MP_CLI_BESIDE_H

#include "cli/options.h"
#include "compare/digest.h"
#include "compare/policy.h"
#include "query/suppression.h"

typedef struct cli_beside {
    mp_suppressions suppressions;
    mp_policy *policy; /* NULL: none was asked for */
} cli_beside;

/* Read what the options name, before any recording: a mistake in it shows before a long one is
 * read. Gives the exit status, after messages where it is not CLI_OK. Release with cli_beside_free
 * in each case. */
int cli_beside_read(const cli_options *options, cli_beside *beside);
void cli_beside_free(cli_beside *beside);

/* A whole file in memory, to be released with free(). False after a message. */
bool cli_read_file(const char *path, char **text, size_t *length);
/* Whether it can be read once alone: a pipe, or standard input. */
bool cli_is_stream(const char *path);
/* Whether it is a baseline. A stream is not looked into: what is read of it is gone for whoever
 * reads a recording from it. */
bool cli_is_baseline(const char *path);
/* A baseline in words of the dictionary; release with mp_digest_free. NULL after a message. */
mp_digest *cli_read_baseline(const char *path, mp_dictionary *dictionary);

#endif
