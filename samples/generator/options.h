// What the commands share in parsing options and reporting failures.
#ifndef GENERATOR_OPTIONS_H
#define GENERATOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An option, and where its argument goes: one of the targets is set. A flag has no argument.
typedef struct Option {
    const char *name;
    bool *flag;
    const char **text;
    int *integer;     // from least to most, as `number`
    uint64_t *number;
    uint64_t least, most;
    bool (*parse)(const char *text, void *target); // complains where it returns false
    void *target;
} Option;

// All of the command's arguments; "-o" is "--output". Complains on standard error where it returns
// false.
bool options_parse(const Option *options, size_t option_count, int count, char **arguments);

// Complains where it returns false.
bool options_number(const char *option, const char *text, uint64_t least, uint64_t most,
                    uint64_t *number);

// Complains that `path` (NULL: standard output) cannot be written; the exit status for that.
int options_cannot_write(const char *path);

#endif
