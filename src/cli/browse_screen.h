/* The browser's terminal: keys come from it, and the state is drawn on it. By ncurses. */
#ifndef MP_CLI_BROWSE_SCREEN_H
#define MP_CLI_BROWSE_SCREEN_H

#include "cli/browse_state.h"

/* Return true if the terminal type is known. */
bool browse_screen_is_known(const char *kind);
/* Take the terminal. False where it can show nothing. */
bool browse_screen_begin(bool colour);
/* Give it back as it was found; also from where the program ends. */
void browse_screen_end(void);
/* Give it back for a while; it is taken again when something is drawn. */
void browse_screen_leave(void);
/* Ask how large it is now. */
void browse_screen_measure(unsigned *rows, unsigned *columns);

void browse_screen_draw(browse_state *state);
/* A key that was pressed; false: there is none for now. */
bool browse_screen_key(browse_key *key);

#endif
