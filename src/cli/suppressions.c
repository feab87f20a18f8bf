/* Reading the files that --suppress names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "cli/console.h"
#include "cli/run.h"

/* The day where the user is: a suppression ends with it. */
static int32_t today_of(const cli_options *options)
{
    time_t now = time(NULL);
    struct tm tm = {0};
    if (options->today)
        return options->today;
    localtime_r(&now, &tm);
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}

int cli_read_suppressions(const cli_options *options, mp_suppressions *suppressions)
{
    *suppressions = (mp_suppressions){.today = today_of(options)};
    for (size_t i = 0; i < options->suppress_count; i++) {
        const char *path = options->suppress_paths[i];
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
