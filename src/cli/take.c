#include "cli/take.h"

#include <string.h>

static bool add_text(mp_argument_texts *texts, const char *text)
{
    mp_argument_texts_add(texts, text);
    return *text != '\0';
}

/* Parse a waiting time. A unit is required, because a number without a unit would mean
 * microseconds, which nobody intends. */
static bool take_wait(const char *text, int64_t *us)
{
    bool bare = !text[strspn(text, "0123456789.")];
    return !bare && mp_parse_time(text, us) && *us > 0;
}

/* Store the value of an option at `place`. The kind determines the type of the variable there.
 * Return false if the text is not valid. */
static bool take_value(cli_kind kind, const char *text, void *place)
{
    int64_t *number = place;
    switch (kind) {
    case CLI_FLAG:
        return *(bool *)place = true;
    case CLI_NAME:
        *(const char **)place = text;
        return *text != '\0';
    case CLI_FILE_NAME:
        *(const char **)place = text;
        return *text && !strchr(text, '/');
    case CLI_TEXTS:
        return add_text(place, text);
    case CLI_FOLDERS:
        return mp_is_folder(text) && add_text(place, text);
    case CLI_TIME:
    case CLI_SPAN:
        return take_wait(text, number);
    case CLI_SIZE:
        return mp_parse_bytes(text, number) && *number > 0;
    case CLI_CEILING:
        return mp_argument_parse(MP_ARGUMENT_CEILING, text, place);
    case CLI_GROWTH:
        return mp_argument_parse(MP_ARGUMENT_GROWTH, text, place);
    default:
        return false;
    }
}

/* --- options with a representation of their own --- */

static bool take_own_renderer(cli_options *options, const char *text)
{
    options->renderer = mp_renderer_find(text);
    return options->renderer && options->renderer->command &&
           mp_text_is(options->renderer->command, options->command.name);
}

static bool take_width(int64_t *width, const char *text)
{
    return mp_parse_count(text, width) && *width <= CLI_WIDEST &&
           (*width == 0 || *width >= CLI_NARROWEST);
}

/* Find the index of a word in the list of words that the option accepts. Return false if it is not
 * in the list. */
static bool find_word(const cli_options *options, const cli_option *option, const char *word,
                      unsigned *place)
{
    const char *words[MP_MOST_WORDS];
    size_t count = cli_option_words(&options->command, option, words);
    *place = 0;
    while (*place < count && strcmp(words[*place], word) != 0)
        ++*place;
    return *place < count;
}

/* Store the option's value. Return false if the text is not accepted. */
static bool take(cli_options *options, const cli_option *option, const char *text)
{
    mp_error unheard = {0};
    unsigned word;
    switch (option->kind) {
    case CLI_ASKS:
        return mp_question_set(&options->question, option->name, text, &unheard);
    case CLI_READS_AS:
        return mp_reading_set(&options->reading, mp_reading_option_find(option->name), text);
    case CLI_RENDERER:
        return (options->renderer = mp_renderer_find(text)) != NULL;
    case CLI_OWN_RENDERER:
        return take_own_renderer(options, text);
    case CLI_EXPORTER:
        return options->exporter != NULL; /* set by cli_export_choose */
    case CLI_COLOURING:
        if (!find_word(options, option, text, &word))
            return false;
        options->colour = CLI_COLOUR_AUTO + word;
        return true;
    case CLI_WIDTH:
        return take_width(&options->width, text);
    default:
        return take_value(option->kind, text, (char *)options + option->offset);
    }
}

bool cli_refuse_argument(const cli_options *options, const cli_option *option, const cli_pair *pair)
{
    const char *text = pair->text;
    const char *words[MP_MOST_WORDS];
    char list[512];
    size_t count = cli_option_words(&options->command, option, words);
    const char *nearest = mp_text_nearest(text, words, count);
    const char *takes = count ? mp_text_list(words, count, "or", list, sizeof list)
                              : mp_spell(list, sizeof list, option->takes, "--");
    if (pair->origin) {
        cli_put_fault(pair->origin, "invalid value \"%s\" for %s, expected %s", text, option->name,
                      takes);
        return false;
    }
    if (strcmp(option->name, "encoding") == 0) {
        const char *why = "";
        mp_encoding_close(mp_encoding_open(text, &why));
        return cli_refuse(options, "invalid value \"%s\" for --%s, expected %s: %s", text,
                          option->name, takes, why);
    }
    if (nearest)
        return cli_refuse(options, "invalid value \"%s\" for --%s; did you mean '%s'? Expected %s",
                          text, option->name, nearest, takes);
    return cli_refuse(options, "invalid value \"%s\" for --%s, expected %s", text, option->name,
                      takes);
}

bool cli_take(cli_options *options, const cli_option *option, const cli_pair *pair)
{
    return take(options, option, pair->text) || cli_refuse_argument(options, option, pair);
}
