#include "cli/ending.h"

#include <string.h>

#include "cli/fits.h"

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && mp_text_is(path + length - tail, ending);
}

/* Return the renderer for the file's ending, the longest one that matches: x.speedscope.json is
 * not .json. NULL: the name says nothing. */
static const mp_renderer *renderer_of(const cli_command *command, const char *path)
{
    size_t count, longest = 0;
    const mp_renderer *const *renderers = mp_renderers(&count), *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *ending = renderers[i]->ending;
        bool is = ending && ends_with(path, ending) && strlen(ending) > longest;
        if (is && (!command || cli_command_writes(command, renderers[i]))) {
            longest = strlen(ending);
            found = renderers[i];
        }
    }
    return found;
}

/* Return an ending that a text file should not have: that of a picture or document that memprof
 * does not write, or that another command writes. NULL: none. */
static const char *foreign_ending(const char *path)
{
    static const char *const others[] = {".png", ".jpg",  ".jpeg", ".gif", ".webp", ".bmp", ".tiff",
                                         ".eps", ".pdf",  ".ps",   ".doc", ".docx", ".odt", ".rtf",
                                         ".xls", ".xlsx", ".ods",  ".ppt", ".pptx", ".odp"};
    const mp_renderer *known = renderer_of(NULL, path);
    for (size_t i = 0; !known && i < sizeof others / sizeof *others; i++)
        if (ends_with(path, others[i]))
            return others[i];
    return known ? known->ending : NULL;
}

/* Return true if the command has a picture besides its answer, or stacks, which are one. */
static bool draws(const cli_command *command)
{
    return cli_option_of(command, "chart") ||
           cli_command_writes(command, mp_renderer_find("folded"));
}

static bool refuse(const cli_options *options, const char *path, const char *ending)
{
    const char *endings[MP_MOST_WORDS];
    char list[256];
    size_t all, count = 0;
    const mp_renderer *const *renderers = mp_renderers(&all);
    for (size_t i = 0; i < all; i++)
        if (renderers[i]->ending && cli_command_writes(&options->command, renderers[i]) &&
            (draws(&options->command) || !mp_text_is(renderers[i]->name, "svg")))
            endings[count++] = renderers[i]->ending;
    return cli_refuse(options, "%s: %s cannot write %s, only %s; other names mean text", path,
                      options->command.name, ending,
                      mp_text_list(endings, count, "and", list, sizeof list));
}

bool cli_ending_choose(cli_options *options)
{
    const char *output = options->output, *chart = options->chart;
    const char *ending = chart ? foreign_ending(chart) : NULL;
    if (ending && !mp_text_is(ending, ".svg"))
        return cli_refuse(options, "%s: --chart draws SVG (.svg), not %s", chart, ending);
    if (!output || options->format_named || cli_is_given(options, "format") ||
        cli_to_is_format(options))
        return true;
    const mp_renderer *meant = renderer_of(&options->command, output);
    ending = meant ? NULL : foreign_ending(output);
    if (meant)
        options->renderer = meant;
    return !ending || refuse(options, output, ending);
}
