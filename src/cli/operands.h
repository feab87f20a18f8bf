/* Operands of a command line: the argument of the command (POLICY, OBJECT, ...) and the files. The
 * argument comes first, but any order works if the words can be told apart. */
#pragma once

#include "cli/options.h"

/* Divide the operands into the command's argument and the files, without reading a file. */
void cli_operands_place(cli_options *options, const char *const *operands, size_t count);
/* If the argument is a file (a policy, a baseline) but was given after a recording, exchange the
 * two. Reads the beginning of each file, so the sandbox must be entered. False after a message if
 * there are two policies. */
bool cli_operands_order(cli_options *options);
