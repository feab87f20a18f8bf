/* The functions and variables of ncurses. Only the command browse loads this library
 * (base/late.h). */
#pragma once

#ifdef MEMPROF_BROWSE
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <termcap.h>

#include "session/terminal.h"

#define CLI_CURSES(SYMBOL)                                                                         \
    SYMBOL(cbreak)                                                                                 \
    SYMBOL(clrtoeol)                                                                               \
    SYMBOL(COLS)                                                                                   \
    SYMBOL(curs_set)                                                                               \
    SYMBOL(endwin)                                                                                 \
    SYMBOL(erase)                                                                                  \
    SYMBOL(get_wch)                                                                                \
    SYMBOL(getmouse)                                                                               \
    SYMBOL(has_colors)                                                                             \
    SYMBOL(init_pair)                                                                              \
    SYMBOL(keypad)                                                                                 \
    SYMBOL(LINES)                                                                                  \
    SYMBOL(mouseinterval)                                                                          \
    SYMBOL(mousemask)                                                                              \
    SYMBOL(move)                                                                                   \
    SYMBOL(mvadd_wchnstr)                                                                          \
    SYMBOL(newterm)                                                                                \
    SYMBOL(nodelay)                                                                                \
    SYMBOL(noecho)                                                                                 \
    SYMBOL(nonl)                                                                                   \
    SYMBOL(refresh)                                                                                \
    SYMBOL(resizeterm)                                                                             \
    SYMBOL(set_escdelay)                                                                           \
    SYMBOL(setcchar)                                                                               \
    SYMBOL(start_color)                                                                            \
    SYMBOL(stdscr)                                                                                 \
    SYMBOL(tgetent)                                                                                \
    SYMBOL(use_default_colors)

typedef struct cli_curses {
    CLI_CURSES(MP_LATE_MEMBER)
} cli_curses;
#endif
