#include "cli/fits.h"

#include <stdlib.h>
#include <string.h>

bool cli_is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool cli_is_input(const char *operand)
{
    size_t length = strcspn(operand, "@:");
    char *path = mp_copy(operand, length);
    bool is = strcmp(operand, "-") == 0 || cli_is_there(operand) || cli_is_there(path);
    free(path);
    return is;
}

bool cli_given_once(const cli_options *options)
{
    for (size_t i = 0; i < options->pair_count; i++) {
        const cli_pair *pair = &options->pairs[i];
        const cli_option *option = cli_option_of(&options->command, pair->name);
        for (size_t j = 0; option && option->argument && !option->repeats && j < i; j++)
            if (options->pairs[j].name == pair->name && !options->pairs[j].origin && !pair->origin)
                return cli_refuse(options, "--%s is given twice, as %s and as %s", pair->name,
                                  options->pairs[j].text, pair->text);
    }
    return true;
}

static bool reads_stdin_twice(const cli_options *options)
{
    const char *base = options->question.base;
    const char *statement = options->question.statement_path;
    size_t count = base && strcmp(base, "-") == 0;
    count += statement && strcmp(statement, "-") == 0;
    for (size_t i = 0; i < options->path_count; i++)
        count += strcmp(options->paths[i], "-") == 0;
    return count > 1;
}

bool cli_is_given(const cli_options *options, const char *name)
{
    bool is = false;
    for (size_t i = 0; i < options->pair_count; i++)
        is |= !options->pairs[i].origin && strcmp(options->pairs[i].name, name) == 0;
    return is;
}

bool cli_to_is_format(const cli_options *options)
{
    const cli_option *option = cli_option_of(&options->command, "to");
    return option && option->kind == CLI_OWN_RENDERER && cli_is_given(options, "to");
}

static bool format_fits(const cli_options *options)
{
    const cli_command *command = &options->command;
    const mp_renderer *renderer = options->renderer;
    if (renderer->command && !cli_command_writes(command, renderer))
        return cli_refuse(options, "--format %s is for %s, not for %s", renderer->name,
                          renderer->command, command->name);
    if (command->scope & CLI_EXPORTS && !cli_command_writes(command, renderer))
        return cli_refuse(options, "the summary that %s prints cannot be --format %s",
                          command->name, renderer->name);
    if (command->scope & CLI_WATCHES && !cli_command_writes(command, renderer))
        return cli_refuse(options, "%s prints one line per snapshot, which %s does not support",
                          command->name, renderer->name);
    if (cli_to_is_format(options) && cli_is_given(options, "format"))
        return cli_refuse(options, "--to and --format both set the output format; use only one");
    for (const char *const *name = renderer->unused; name && *name; name++)
        if (cli_is_given(options, *name))
            return cli_refuse(options, "%s always contains everything; --%s has no effect on it",
                              renderer->name, *name);
    if (options->brief && !renderer->can_be_brief)
        return cli_refuse(options, "--brief supports --format text or json, not %s",
                          renderer->name);
    return true;
}

static bool needs_no_input(const cli_options *options)
{
    const mp_report *report = options->command.report;
    return report && report->without_input &&
           report->without_input(options->question.arguments, NULL);
}

/* Check the number of files, and the operand before them. */
static bool operands_fit(const cli_options *options)
{
    const cli_command *command = &options->command;
    const char *operand = command->operand ? command->operand : "";
    bool optional = *operand == '[';
    if (cli_compares(command) && options->path_count != 1)
        return cli_refuse(options, "%s compares two files: BASE FILE", command->name);
    if (optional && options->path_count > 1)
        return cli_refuse(options, "%s takes one name and one file; quote a name with blanks",
                          command->name);
    bool misses = *operand && !optional && !cli_is_given(options, "policy");
    if (command->scope & CLI_READS && options->path_count == 0 && !needs_no_input(options))
        return cli_refuse(options, "%s needs %s%sa file to read: memprof %s %s%sFILE%s",
                          command->name, misses ? operand : "", misses ? " and " : "",
                          command->name, misses ? operand : "", misses ? " " : "",
                          mp_argument_find(command->arguments, "object")
                              ? "; --type GLOB can replace OBJECT"
                              : "");
    if (options->prompts && options->output)
        return cli_refuse(options, "a file is for the answer to one statement: %s STATEMENT FILE",
                          command->name);
    if (reads_stdin_twice(options))
        return cli_refuse(options, "standard input (\"-\") can be read only once");
    if (command->scope & CLI_SERVES && options->path_count == 0)
        return cli_refuse(options, "%s needs a folder that may be read", command->name);
    if (!(command->scope & (CLI_READS | CLI_SERVES)) && options->path_count)
        return cli_refuse(options, "%s takes no file, but got %s", command->name,
                          options->paths[0]);
    return true;
}

/* Return the path with all links and dots of its folder resolved; the folder must exist. Return
 * NULL if that fails. Release with free(). */
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
    MP_FREE(real, folder, target);
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

static bool chart_fits(const cli_options *options)
{
    if (!options->chart)
        return true;
    if (strcmp(options->chart, "-") == 0)
        return cli_refuse(options, "--chart needs a file name; --format svg prints the picture");
    if (is_one_file(options->chart, options->output))
        return cli_refuse(options, "--chart and --output name the same file");
    return true;
}

bool cli_fits(const cli_options *options)
{
    return format_fits(options) && operands_fit(options) && chart_fits(options);
}

/* --- formats by file name extension --- */

/* Return the renderer for the file's extension; NULL if none matches. The longest match counts:
 * x.speedscope.json is not .json. */
static const mp_renderer *renderer_of(const cli_command *command, const char *path)
{
    size_t count, longest = 0;
    const mp_renderer *const *renderers = mp_renderers(&count), *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *ending = renderers[i]->ending;
        bool is =
            ending && mp_text_ending(path, strlen(path), ending) == 0 && strlen(ending) > longest;
        if (is && (!command || cli_command_writes(command, renderers[i]))) {
            longest = strlen(ending);
            found = renderers[i];
        }
    }
    return found;
}

/* Return the file's extension if text should not be written to the file: an extension of pictures
 * or documents that memprof cannot write, or of the output of another command. Otherwise return
 * NULL. */
static const char *foreign_ending(const char *path)
{
    static const char *const others[] = {".png", ".jpg",  ".jpeg", ".gif", ".webp", ".bmp", ".tiff",
                                         ".eps", ".pdf",  ".ps",   ".doc", ".docx", ".odt", ".rtf",
                                         ".xls", ".xlsx", ".ods",  ".ppt", ".pptx", ".odp"};
    const mp_renderer *known = renderer_of(NULL, path);
    for (size_t i = 0; !known && i < sizeof others / sizeof *others; i++)
        if (mp_text_ending(path, strlen(path), others[i]) == 0)
            return others[i];
    return known ? known->ending : NULL;
}

static bool refuse(const cli_options *options, const char *path, const char *ending)
{
    const char *endings[MP_MOST_WORDS];
    char list[256];
    size_t total, count = 0;
    const mp_renderer *const *renderers = mp_renderers(&total);
    for (size_t i = 0; i < total; i++)
        if (renderers[i]->ending && cli_command_writes(&options->command, renderers[i]))
            endings[count++] = renderers[i]->ending;
    return cli_refuse(options, "%s: %s cannot write %s, only %s; other names mean text", path,
                      options->command.name, ending,
                      mp_text_list(endings, count, "and", list, sizeof list));
}

/* Refuse a file whose extension only exports have. Return false after a message. */
static bool check_exports(const cli_options *options, const char *path)
{
    enum { MOST = 8 };
    const char *names[MOST];
    char list[128];
    size_t total, count = 0;
    const mp_exporter *const *exporters = mp_exporters(&total);
    for (size_t i = 0; i < total && count < MOST; i++)
        if (exporters[i]->binary && mp_text_ending(path, strlen(path), exporters[i]->endings) >= 0)
            names[count++] = exporters[i]->name;
    return !count ||
           cli_refuse(options, "%s: %s cannot write such a file; use memprof export --to %s", path,
                      options->command.name, mp_text_list(names, count, "or", list, sizeof list));
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
    return ending ? refuse(options, output, ending) : meant || check_exports(options, output);
}
