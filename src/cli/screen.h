/* A terminal as a screen that is redrawn. At the end the terminal is restored and the drawing
 * disappears, so print lasting text afterwards. Use it from one thread only. */
#pragma once

#include <stdbool.h>

/* Choose the characters of libraries that draw. Text is UTF-8 in any environment, as elsewhere; but
 * they ask the C library, which needs a UTF-8 locale of the system. Without one, ASCII is used. */
void cli_screen_characters(void);
/* Begin, unless begun already. False if standard output is not a suitable terminal, or if another
 * program uses it now. */
bool cli_screen_begin(void);
/* Return the number of lines. */
unsigned cli_screen_height(void);
/* Draw the text from its start, as much as fits. */
void cli_screen_draw(const char *text);
/* Register a function that restores the terminal while another part of the program (the browser)
 * uses it; NULL = none. */
void cli_screen_own(void (*leave)(void));
/* Restore the terminal, if it was begun. Safe to call when memory has run out. */
void cli_screen_end(void);
