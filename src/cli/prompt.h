/* The prompt. The user types statements on the terminal, one after another. They are about
 * recordings that are read once. */
#pragma once

#include "cli/options.h"

/* Run the prompt. Return the exit status of reading the recordings; statements do not change it. */
int cli_prompt(cli_options *options);

/* Return the length of the first statement, including its semicolon; 0 if it is not complete. A
 * semicolon in a text, name or comment does not end a statement. */
size_t cli_statement_length(const char *text);
