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

bool options_int(const char *option, const char *text, int least, int most, int *number)
{
    uint64_t value = 0;
    if (!options_number(option, text, (uint64_t)least, (uint64_t)most, &value)) {
        return false;
    }
    *number = (int)value;
    return true;
}

bool options_no_more(int count, char **arguments)
{
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
