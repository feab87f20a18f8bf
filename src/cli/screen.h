/* A person's terminal as a screen that is drawn again and again, and left as it was found.
 *
 * What is drawn is gone when it ends; what is to stay is printed behind that. For one thread. */
#ifndef MP_CLI_SCREEN_H
#define MP_CLI_SCREEN_H

#include <stdbool.h>

/* False where standard output is no such terminal, or somebody else has it now. Nothing happens
 * where it was begun. */
bool cli_screen_begin(void);
/* How many lines it has. */
unsigned cli_screen_height(void);
/* Show as much of the text, from its start, as fits. */
void cli_screen_draw(const char *text);
/* Somebody else has the terminal, and gives it back so; NULL: nobody has. */
void cli_screen_own(void (*leave)(void));
/* Nothing happens where it was not begun. Also for the end of a program that has no memory. */
void cli_screen_end(void);

#endif
