/* Completion of names in statements. */
#pragma once

#include "session/terminal.h"

typedef struct cli_word {
    const char *name;
    /* table of the column; NULL = the name is not a column; "" = the name is valid only after a
     * dot */
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

/* Find the names that continue the end of a line. After "name.", only columns are found. They are
 * the columns of the table with that name; if there is none, the columns of all tables, because the
 * name may be an alias. Case is ignored. The names are sorted, without duplicates. Return their
 * number; release *names with free(). `begun` is set to the number of bytes of the name that were
 * typed. */
size_t cli_completion_find(const cli_completion *completion, const char *line, size_t length,
                           size_t *begun, const char ***names);
