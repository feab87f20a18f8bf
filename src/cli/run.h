/* What commands that read have in common. */
#ifndef MP_CLI_RUN_H
#define MP_CLI_RUN_H

#include "cli/files.h"
#include "cli/options.h"
#include "compare/digest.h"
#include "compare/policy.h"
#include "query/suppression.h"

/* Diagnostics of each code that are kept. */
enum { CLI_KEPT = 5, CLI_KEPT_VERBOSE = 100, CLI_KEPT_BY_CHECK = 10000 };

/* Read all files, with a progress bar unless options->load has a progress of its own. False if any
 * of them could not be read. */
bool cli_load(const cli_options *options, mp_model *model, mp_diagnostics *diagnostics);
/* Nothing was torn, skipped or in doubt. */
bool cli_is_whole(const mp_model *model, const mp_diagnostics *diagnostics);
/* Something that was read can be told. */
bool cli_has_anything(const mp_model *model);

/* What is read before any recording. */
typedef struct cli_files {
    mp_suppressions suppressions;
    mp_policy *policy; /* NULL: none was asked for */
} cli_files;

/* What the command line asks of the model; the dictionary of request.dictionary are not set. */
mp_request cli_request(const cli_options *options, const mp_model *model,
                       const mp_diagnostics *diagnostics, const cli_files *files);
/* The model's digest in words of `keys`; *digest is released with mp_digest_free. Gives
 * CLI_UNREADABLE where the model has nothing or should be whole, CLI_USAGE after a message. */
int cli_digest(const cli_options *options, const mp_model *model, const mp_diagnostics *diagnostics,
               const cli_files *files, mp_dictionary *dictionary, mp_digest **digest);
/* Read options->base, if there is any, into words of `keys`. A status other than CLI_OK after a
 * message. *base is released with mp_digest_free. */
int cli_load_base(const cli_options *options, mp_diagnostics *diagnostics, const cli_files *files,
                  mp_dictionary *dictionary, mp_digest **base);
/* Whether it can be read once alone: a pipe, or standard input. */
bool cli_is_stream(const char *path);
/* A whole file in memory, to be released with free(). False after a message. */
bool cli_read_file(const char *path, char **text, size_t *length);
/* Print the document where it belongs; gives the exit status. */
int cli_put_document(const cli_options *options, const mp_document *document,
                     const mp_diagnostics *diagnostics);
/* The same for a report's answer, with what it complains of and the status that it asks for. */
int cli_put_answer(const cli_options *options, const mp_document *document,
                   const mp_diagnostics *diagnostics);

/* Read the policy of the command gate; of others it is NULL. To be freed in each case. Gives the
 * exit status where it is not CLI_OK, after messages. */
int cli_read_policy(const cli_options *options, mp_policy **policy);
/* Read the files that --suppress names; the list is to be freed in each case. Gives the exit status
 * where it is not CLI_OK, after a message. */
int cli_read_suppressions(const cli_options *options, mp_suppressions *suppressions);

/* The command "baseline save"; gives the exit status. */
int cli_save_baseline(const cli_options *options, const cli_files *files);
/* A baseline in words of `keys`; release with mp_digest_free. NULL after a message. */
mp_digest *cli_read_baseline(const char *path, mp_dictionary *dictionary);
/* What `baseline check` demands where no policy is named: no more than a tenth more than the
 * baseline of this path. NULL after a message where it cannot be read. */
mp_policy *cli_baseline_policy(const char *path);
/* Where the store has the baseline of the recording: a text to be released with free(). */
char *cli_baseline_path(const cli_options *options);
/* What a report says of all groups of files, each read on its own: the answers are one document.
 * What finding the groups said is in `diagnostics`. Gives the exit status. */
int cli_run_many(const cli_options *options, const cli_files *files, const cli_groups *groups,
                 mp_diagnostics *diagnostics);
/* Say that the command takes one group; gives the exit status. */
int cli_refuse_many(const cli_options *options, const cli_groups *groups);
/* Diagnostics of each code that are kept for this command. */
size_t cli_kept(const cli_options *options);
/* The command is check, which prints violations itself. */
bool cli_checks(const cli_options *options);

/* The command "export"; gives the exit status. */
int cli_export(const cli_options *options);

#endif
