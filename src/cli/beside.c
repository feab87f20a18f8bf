#include "cli/beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "cli/console.h"
#include "compare/baseline.h"

bool cli_read_file(const char *path, char **text, size_t *length)
{
    size_t capacity = 0, got = 1;
    FILE *file = fopen(path, "r");
    *text = NULL;
    *length = 0;
    while (file && got) {
        mp_grow(text, &capacity, *length + 4096, 1);
        got = fread(*text + *length, 1, capacity - *length, file);
        *length += got;
    }
    bool ok = file && !ferror(file);
    if (!ok)
        cli_put_fault(path, "cannot read: %s", strerror(errno));
    if (file)
        fclose(file);
    return ok;
}

bool cli_is_stream(const char *path)
{
    struct stat status;
    return strcmp(path, "-") == 0 ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

bool cli_is_baseline(const char *path)
{
    char head[32];
    FILE *file = cli_is_stream(path) ? NULL : fopen(path, "r");
    bool is = file && mp_is_baseline(head, fread(head, 1, sizeof head, file));
    if (file)
        fclose(file);
    return is;
}

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

/* The day where the user is: a suppression ends with it. */
static int32_t today(void)
{
    time_t now = time(NULL);
    struct tm tm = {0};
    localtime_r(&now, &tm);
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}

static int read_suppressions(const cli_options *options, mp_suppressions *suppressions)
{
    suppressions->today = options->today ? options->today : today();
    for (size_t i = 0; i < options->suppressions.count; i++) {
        const char *path = options->suppressions.at[i];
        char *text;
        mp_error error = {0};
        size_t length;
        bool read = cli_read_file(path, &text, &length);
        bool ok =
            read && mp_suppressions_parse(suppressions, path, (mp_slice){text, length}, &error);
        free(text);
        if (!read)
            return CLI_UNREADABLE;
        if (!ok) {
            cli_put_error(&error);
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

static int read_policy(const cli_options *options, mp_policy **policy)
{
    char *text = NULL;
    size_t length;
    if (options->policy && !cli_read_file(options->policy, &text, &length)) {
        free(text);
        return CLI_UNREADABLE;
    }
    *policy = text ? mp_policy_parse(options->policy, text, length)
                   : mp_policy_parse("baseline check", options->rules, strlen(options->rules));
    free(text);
    size_t count = (*policy)->fault_count;
    for (size_t i = 0; i < count && i < MP_POLICY_FAULTS; i++)
        cli_put_error(&(*policy)->faults[i]);
    if (count > MP_POLICY_FAULTS)
        cli_put_fault((*policy)->path, "and %zu more: is it a policy?", count - MP_POLICY_FAULTS);
    return count ? CLI_USAGE : CLI_OK;
}

int cli_beside_read(const cli_options *options, cli_beside *beside)
{
    const mp_report *report = options->command.report;
    const char *const others[] = {options->base, options->policy};
    *beside = (cli_beside){.policy = NULL};
    if (!cli_output_spares(options->output, others, sizeof others / sizeof *others) ||
        !cli_output_spares(options->output, options->suppressions.at, options->suppressions.count))
        return CLI_USAGE;
    int status = read_suppressions(options, &beside->suppressions);
    if (status == CLI_OK && report && report->operand == MP_OPERAND_POLICY)
        status = read_policy(options, &beside->policy);
    return status;
}

void cli_beside_free(cli_beside *beside)
{
    mp_policy_free(beside->policy);
    mp_suppressions_free(&beside->suppressions);
}
