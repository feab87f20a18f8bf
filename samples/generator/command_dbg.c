#include "commands.h"
#include "options.h"
#include "prf_plan.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

// A line is its number, right-aligned in six columns, a blank and the source.
int command_dbg(int count, char **arguments)
{
    const char *path = NULL;
    const Option options[] = {{"output", .text = &path}};
    if (!options_parse(options, sizeof options / sizeof options[0], count, arguments)) {
        return EXIT_USAGE;
    }
    Writer writer;
    if (!writer_open(&writer, path)) {
        return options_cannot_write(path);
    }
    const char *const *source = prf_source(prf_source_program);
    for (int line = 1; source[line - 1]; line++) {
        char number[24];
        snprintf(number, sizeof number, "%6d ", line);
        writer_text(&writer, number);
        writer_text(&writer, source[line - 1]);
        writer_end_line(&writer);
    }
    return writer_close(&writer) ? EXIT_SUCCESS : options_cannot_write(path);
}
