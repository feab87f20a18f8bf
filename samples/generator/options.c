#include "options.h"

#include "commands.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool options_number(const char *option, const char *text, uint64_t least, uint64_t most,
                    uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value < least || value > most) {
        fprintf(stderr,
                "memprof-generate: --%s wants a number from %" PRIu64 " to %" PRIu64 ", not '%s'\n",
                option, least, most, text);
        return false;
    }
    *number = value;
    return true;
}

enum {
    MOST_OPTIONS = 16,
    FIRST_VALUE = 256, // above all letters
};

static bool take(const Option *option, const char *text)
{
    uint64_t value = 0;
    if (option->flag) {
        return *option->flag = true;
    }
    if (option->text) {
        *option->text = text;
        return true;
    }
    if (option->parse) {
        return option->parse(text, option->target);
    }
    if (!options_number(option->name, text, option->least, option->most, &value)) {
        return false;
    }
    if (option->integer) {
        *option->integer = (int)value;
    } else {
        *option->number = value;
    }
    return true;
}

static const Option *find(const Option *options, size_t option_count, int value)
{
    for (size_t i = 0; i < option_count; i++) {
        if (value == FIRST_VALUE + (int)i || (value == 'o' && !strcmp(options[i].name, "output"))) {
            return &options[i];
        }
    }
    return NULL;
}

bool options_parse(const Option *options, size_t option_count, int count, char **arguments)
{
    struct option known[MOST_OPTIONS + 1] = {{0}};
    for (size_t i = 0; i < option_count && i < MOST_OPTIONS; i++) {
        known[i] = (struct option){options[i].name,
                                   options[i].flag ? no_argument : required_argument, NULL,
                                   FIRST_VALUE + (int)i};
    }
    int value;
    while ((value = getopt_long(count, arguments, "o:", known, NULL)) != -1) {
        const Option *option = find(options, option_count, value);
        if (!option || !take(option, optarg)) {
            return false; // getopt_long has complained of what is no option
        }
    }
    if (optind < count) {
        fprintf(stderr, "memprof-generate: unexpected argument '%s'\n", arguments[optind]);
        return false;
    }
    return true;
}

int options_cannot_write(const char *path)
{
    fprintf(stderr, "memprof-generate: cannot write %s: %s\n", path ? path : "standard output",
            strerror(errno));
    return EXIT_OUTPUT;
}
