/* The functions of libedit. Only the prompt of the command sql loads this library (base/late.h). */
#pragma once

#ifdef MEMPROF_EDIT
#include <histedit.h>

#include "session/terminal.h"

#define CLI_EDIT(SYMBOL)                                                                           \
    SYMBOL(el_end)                                                                                 \
    SYMBOL(el_get)                                                                                 \
    SYMBOL(el_gets)                                                                                \
    SYMBOL(el_init)                                                                                \
    SYMBOL(el_insertstr)                                                                           \
    SYMBOL(el_line)                                                                                \
    SYMBOL(el_resize)                                                                              \
    SYMBOL(el_set)                                                                                 \
    SYMBOL(el_source)                                                                              \
    SYMBOL(el_wset)                                                                                \
    SYMBOL(history)                                                                                \
    SYMBOL(history_end)                                                                            \
    SYMBOL(history_init)

typedef struct cli_edit {
    CLI_EDIT(MP_LATE_MEMBER)
} cli_edit;
#endif
