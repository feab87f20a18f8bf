/* Reading the policy of the command "gate". */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run.h"

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
    size_t count = (*policy)->fault_count;
    for (size_t i = 0; i < count && i < MP_POLICY_FAULTS; i++)
        cli_put_error(&(*policy)->faults[i]);
    if (count > MP_POLICY_FAULTS) {
        cli_put_safe((*policy)->path);
        fprintf(stderr, ": error: and %zu more: is it a policy?\n", count - MP_POLICY_FAULTS);
    }
    return count ? CLI_USAGE : CLI_OK;
}
