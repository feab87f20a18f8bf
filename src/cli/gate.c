/* Reading the policy of the command "gate". */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run.h"

enum { FAULTS_SHOWN = 50 };

static void put_fault(const mp_policy *policy, const mp_policy_fault *fault)
{
    cli_put_safe(policy->path);
    fprintf(stderr, ":%u:%u: error: ", (unsigned)fault->line, (unsigned)fault->column);
    cli_put_line(fault->message);
}

int cli_read_policy(const cli_options *options, mp_policy **policy)
{
    char *text;
    size_t length;
    *policy = NULL;
    if (options->command.report != mp_report_find("gate"))
        return CLI_OK;
    if (options->base_path && access(options->base_path, F_OK) != 0) {
        cli_put_safe(options->base_path);
        fputs(": error: no such baseline, expected one that \"baseline save\" has kept\n", stderr);
        return CLI_UNREADABLE;
    }
    if (!options->view.object) {
        *policy = cli_baseline_policy(options->base);
        return *policy ? CLI_OK : CLI_UNREADABLE;
    }
    bool ok = cli_read_file(options->view.object, &text, &length);
    if (ok)
        *policy = mp_policy_parse(options->view.object, text, length);
    free(text);
    if (!ok)
        return CLI_UNREADABLE;
    size_t count = (*policy)->fault_count, shown = count < FAULTS_SHOWN ? count : FAULTS_SHOWN;
    for (size_t i = 0; i < shown; i++)
        put_fault(*policy, &(*policy)->faults[i]);
    if (count > shown) {
        cli_put_safe((*policy)->path);
        fprintf(stderr, ": error: and %zu more: is it a policy?\n", count - shown);
    }
    return (*policy)->fault_count ? CLI_USAGE : CLI_OK;
}
