/* The command "baseline": keep the digest of a recording in a store, a folder of text files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/console.h"
#include "cli/run.h"
#include "compare/baseline.h"

/* "shop" of "folder/shop.oemp@last"; an @ may be part of the file's own name. */
static int name_length(const char *path, const char **name)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    const char *at = stat(path, &status) == 0 ? NULL : strrchr(*name, '@'), *dot;
    size_t length = at && at > *name ? (size_t)(at - *name) : strlen(*name);
    dot = memrchr(*name, '.', length);
    return dot && dot > *name ? (int)(dot - *name) : (int)length;
}

char *cli_baseline_path(const cli_options *options)
{
    const char *name = options->name;
    int length = name ? (int)strlen(name) : name_length(options->paths[0], &name);
    size_t size = strlen(options->store) + (size_t)length + sizeof "/.baseline";
    char *path = mp_alloc(size);
    snprintf(path, size, "%s/%.*s.baseline", options->store, length, name);
    return path;
}

static const mp_column columns[] = {
    {"path", "Baseline", MP_TEXT, 0, 0}, {"sites", "Sites", MP_COUNT, 0, 0},
    {"types", "Types", MP_COUNT, 0, 0},  {"lines", "Lines", MP_COUNT, 0, 0},
    {"bytes", "Size", MP_BYTES, 0, 0},
};

static int tell(const cli_options *options, const mp_digest *digest, const char *path,
                size_t length, const mp_diagnostics *diagnostics)
{
    mp_document *document = mp_document_new("baseline");
    mp_table *table = MP_TABLE(document, "baseline", "Saved", MP_RECORD, columns);
    document->exact_bytes = options->exact_bytes;
    table->main = true;
    mp_table_row(table);
    mp_set_text(document, table, "path", path);
    if (digest->kind == MP_KIND_PROFILE)
        mp_set_number(table, "lines", (int64_t)digest->lists[MP_LEVEL_LINE].count);
    else
        mp_set_number(table, "sites", (int64_t)digest->lists[MP_LEVEL_SITE].count);
    if (digest->kind != MP_KIND_PROFILE)
        mp_set_number(table, "types", (int64_t)digest->lists[MP_LEVEL_TYPE].count);
    mp_set_number(table, "bytes", (int64_t)length);
    int status = cli_put_document(options, document, diagnostics);
    mp_document_free(document);
    return status;
}

/* "shop.oemp" and "shop.prf" have one name: one must not take the other's place. What is no whole
 * baseline may be replaced: that is how a torn one is mended. */
static bool is_free(const char *path, const mp_digest *digest)
{
    struct stat status;
    char *text;
    mp_error error = {0};
    size_t length;
    if (stat(path, &status) != 0)
        return true;
    if (!cli_read_file(path, &text, &length)) {
        free(text);
        return false;
    }
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *there = mp_baseline_parse(path, text, length, dictionary, &error);
    bool is = !there || there->kind == digest->kind;
    free(text);
    if (!is) {
        cli_put_safe(path);
        fprintf(stderr, ": error: is a baseline of %s, expected another name by --as\n",
                mp_kind_name(there->kind));
    }
    mp_digest_free(there);
    mp_dictionary_free(dictionary);
    return is;
}

static int save(const cli_options *options, const mp_digest *digest,
                const mp_dictionary *dictionary, const mp_diagnostics *diagnostics)
{
    cli_output output;
    size_t length;
    int status = CLI_UNREADABLE;
    char *path = cli_baseline_path(options), *text = mp_baseline_text(digest, dictionary, &length);
    if (mkdir(options->store, 0777) != 0 && errno != EEXIST) {
        cli_put_safe(options->store);
        fprintf(stderr, ": error: cannot be made: %s\n", strerror(errno));
    } else if (is_free(path, digest) && cli_output_open(&output, path)) {
        fwrite(text, 1, length, output.file);
        if (cli_output_close(&output, true))
            status = tell(options, digest, path, length, diagnostics);
    }
    free(text);
    free(path);
    return status;
}

int cli_save_baseline(const cli_options *options, const cli_files *files)
{
    mp_diagnostics *diagnostics = mp_diagnostics_new(CLI_KEPT);
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_model *model = mp_model_new();
    mp_digest *digest = NULL;
    int status = CLI_UNREADABLE;
    bool ok = cli_load(options, model, diagnostics);
    cli_put_diagnostics(diagnostics, options->quiet, true);
    if (ok)
        status = cli_digest(options, model, diagnostics, files, dictionary, &digest);
    if (digest)
        status = save(options, digest, dictionary, diagnostics);
    mp_digest_free(digest);
    mp_model_free(model);
    mp_dictionary_free(dictionary);
    mp_diagnostics_free(diagnostics);
    return status;
}

/* What no change should make much worse, whatever the program is. */
static const char heap_policy[] = "leaked <= 1.1 x base + 64 KiB\n"
                                  "live <= 1.1 x base + 64 KiB\n"
                                  "no new leak site\n";
static const char dump_policy[] = "live <= 1.1 x base + 64 KiB\n"
                                  "no new type\n";
static const char profile_policy[] = "seconds <= 1.1 x base\n"
                                     "calls <= 1.1 x base\n";

mp_digest *cli_read_baseline(const char *path, mp_dictionary *dictionary)
{
    char *text;
    mp_error error = {0};
    size_t length;
    mp_digest *digest = NULL;
    if (cli_read_file(path, &text, &length)) {
        digest = mp_baseline_parse(path, text, length, dictionary, &error);
        if (!digest)
            cli_put_error(&error);
    }
    free(text);
    return digest;
}

mp_policy *cli_baseline_policy(const char *path)
{
    mp_policy *policy = NULL;
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *digest = cli_read_baseline(path, dictionary);
    if (digest) {
        const char *rules = digest->kind == MP_KIND_PROFILE ? profile_policy
                            : digest->has & MP_HAS_HISTORY  ? heap_policy
                                                            : dump_policy;
        policy = mp_policy_parse("baseline check", rules, strlen(rules));
    }
    mp_digest_free(digest);
    mp_dictionary_free(dictionary);
    return policy;
}
