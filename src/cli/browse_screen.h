/* The terminal of the browser. It is accessed through ncurses: keys are read, and the state is
 * drawn. */
#pragma once

#include "cli/browse_state.h"

/* Load ncurses. Call this before any other function. Return NULL, or a static text with the reason
 * why ncurses cannot be loaded. */
const char *browse_screen_load(void);
/* Return true if the terminal type is known. */
bool browse_screen_is_known(const char *kind);
/* Take over the terminal. Return false if it cannot show the browser. */
bool browse_screen_begin(bool colour);
/* Restore the terminal. May be called in a handler that ends the program. */
void browse_screen_end(void);
/* Restore the terminal for a while, until the next drawing. */
void browse_screen_leave(void);
/* Get the current size of the terminal. */
void browse_screen_measure(unsigned *rows, unsigned *columns);

/* Draw the page, its prompt or menu, and the line at the foot. */
void browse_screen_draw(browse_state *state);
/* Get a key that was pressed. Return false if there is none. */
bool browse_screen_key(browse_key *key);
