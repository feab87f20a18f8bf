/* The table of options: what each is called, who honours it, and how it is set. */
#ifndef MP_CLI_OPTION_TABLE_H
#define MP_CLI_OPTION_TABLE_H

#include "cli/options.h"

/* Options that all who read take; that all commands take; that print only; that export only; of
 * baselines only. The lower bits are those of mp_honours. */
enum {
    EVERY = 1u << 30,
    EVERY_COMMAND = 1u << 29,
    PRINTS = 1u << 28,
    EXPORTS = 1u << 27,
    STORES = 1u << 26,
};

typedef struct cli_option {
    const char *name;
    const char *argument; /* NULL: none */
    const char *help;
    const char *takes;      /* what the argument may be, for a refusal; NULL: a renderer's name */
    unsigned honoured_with; /* any of these bits of the command */
    bool (*set)(cli_options *options, const char *argument);
} cli_option;

/* The argument of a report that an option of these bits belongs to: its own name, if it is not one
 * of several that are one argument. */
const char *cli_option_argument(const cli_option *option);

enum { CLI_OPTIONS_MOST = 128 };
extern const cli_option cli_option_table[];
extern const size_t cli_option_count; /* at most CLI_OPTIONS_MOST */

#endif
