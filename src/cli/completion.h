/* Names that a person may type in a statement, and how a part of a name continues. */
#ifndef MP_CLI_COMPLETION_H
#define MP_CLI_COMPLETION_H

#include "session/terminal.h"

typedef struct cli_word {
    const char *name;
    /* Table whose column it is; NULL = it is no column; "" = it only fits behind a dot. */
    const char *table;
} cli_word;

/* Zero-initialise to start; release with cli_completion_free. */
typedef struct cli_completion {
    cli_word *words;
    size_t count, capacity;
    mp_arena texts;
} cli_completion;
/* Add a name; both texts are copied. */
void cli_completion_add(cli_completion *completion, const char *name, const char *table);
void cli_completion_free(cli_completion *completion);

/* Find the names that continue the end of a line. Behind "name.", only columns fit: those of the
 * table of that name if there is one, otherwise all, because the name may be an alias. Case does
 * not matter. Return their number, without duplicates and sorted; release *names with free().
 * `begun` is set to the number of bytes of the name that are there. */
size_t cli_completion_find(const cli_completion *completion, const char *line, size_t length,
                           size_t *begun, const char ***names);

#endif
