#include "cli/chart.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"

/* The name in its folder, which is there, without links and dots; NULL: of none. */
static char *place_of(const char *path)
{
    char *target = path ? mp_output_target(path) : NULL;
    const char *slash = target ? strrchr(target, '/') : NULL;
    char *folder =
        target ? mp_copy(slash ? target : ".", slash ? (size_t)(slash - target + 1) : 1) : NULL;
    char *real = folder ? realpath(folder, NULL) : NULL, *place = NULL;
    if (real) {
        const char *name = slash ? slash + 1 : target;
        place = mp_alloc(strlen(real) + strlen(name) + 2);
        sprintf(place, "%s/%s", real, name);
    }
    free(real);
    free(folder);
    free(target);
    return place;
}

static bool is_one_file(const char *one, const char *other)
{
    char *a = place_of(one), *b = place_of(other);
    bool is = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    return is;
}

bool cli_chart_fits(const cli_options *options)
{
    if (!options->chart)
        return true;
    if (strcmp(options->chart, "-") == 0)
        return cli_refuse(options, "--chart needs a file name; --format svg prints the picture");
    if (is_one_file(options->chart, options->output))
        return cli_refuse(options, "--chart and --output name the same file");
    return true;
}

int cli_put_chart(const cli_options *options, const mp_document *document,
                  const mp_diagnostics *diagnostics)
{
    mp_output output;
    mp_error error = {0};
    if (!options->chart)
        return CLI_OK;
    if (!cli_output_open(&output, options->chart))
        return CLI_UNREADABLE;
    mp_style style = cli_style(options->colour, options->width, true);
    bool drawn =
        mp_renderer_find("svg")->render(document, diagnostics, &style, output.file, &error);
    if (!drawn)
        cli_put_error(&error);
    if (!cli_output_close(&output, drawn))
        return CLI_UNREADABLE;
    return drawn ? CLI_OK : CLI_USAGE;
}
