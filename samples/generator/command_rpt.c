#include "commands.h"
#include "options.h"
#include "prf_table.h"
#include "rpt.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPORTED_VERSION = 4, // of the execution profile that is reported
};

static bool parse_layout(const char *text, void *old)
{
    bool is_old = !strcmp(text, "old");
    if (!is_old && strcmp(text, "new")) {
        fprintf(stderr, "memprof-generate: --layout wants old or new, not '%s'\n", text);
        return false;
    }
    *(bool *)old = is_old;
    return true;
}

int command_rpt(int count, char **arguments)
{
    bool old_layout = false;
    bool decimal_comma = false;
    const char *output = NULL;
    const Option options[] = {
        {"layout", .parse = parse_layout, .target = &old_layout},
        {"decimal-comma", .flag = &decimal_comma},
        {"output", .text = &output},
    };
    if (!options_parse(options, sizeof options / sizeof options[0], count, arguments)) {
        return EXIT_USAGE;
    }
    Writer writer;
    if (!writer_open(&writer, output)) {
        return options_cannot_write(output);
    }
    PrfTable table;
    prf_table_init(&table, REPORTED_VERSION);
    rpt_write(&table, !old_layout, decimal_comma, &writer);
    return writer_close(&writer) ? EXIT_SUCCESS : options_cannot_write(output);
}
