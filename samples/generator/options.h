// What the commands share in parsing options and reporting failures.
#ifndef GENERATOR_OPTIONS_H
#define GENERATOR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

// Each complains on standard error where it returns false.
bool options_number(const char *option, const char *text, uint64_t least, uint64_t most,
                    uint64_t *number);
bool options_int(const char *option, const char *text, int least, int most, int *number);
bool options_no_more(int count, char **arguments);

// Complains that `path` (NULL: standard output) cannot be written; the exit status for that.
int options_cannot_write(const char *path);

#endif
