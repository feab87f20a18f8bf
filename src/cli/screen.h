/* A terminal as a screen that is redrawn. At the end the terminal is restored and the drawing
 * disappears. Text that must stay has to be printed afterwards. Only one thread may use the
 * screen. */
#pragma once

#include <stdbool.h>

/* Choose the characters that libraries use to draw. memprof writes UTF-8 in any environment. The
 * libraries ask the C library, which needs a UTF-8 locale of the system. If there is none, they use
 * ASCII. */
void cli_screen_characters(void);
/* Begin to use the screen, unless that was done before. Return false if standard output is not a
 * suitable terminal, or if another program is using it. */
bool cli_screen_begin(void);
/* Return the number of lines. */
unsigned cli_screen_height(void);
/* Draw the text from its start, as much of it as fits. */
void cli_screen_draw(const char *text);
/* Register a function that restores the terminal while another part of the program (the browser)
 * uses it. NULL = none. */
void cli_screen_own(void (*leave)(void));
/* Restore the terminal, if the screen is in use. This is safe even when memory has run out. */
void cli_screen_end(void);
