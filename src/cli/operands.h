/* Operands of a command line: the argument of the command (POLICY, OBJECT, ...) and the files. The
 * argument comes first. Any order works if the argument can be distinguished from the files. */
#pragma once

#include "cli/options.h"

/* Divide the operands into the command's argument and the files, without reading a file. */
void cli_operands_place(cli_options *options, const char *const *operands, size_t count);
/* If the argument is a file (a policy, a baseline) but was given after a recording, exchange the
 * two. The beginning of each file is read, so the sandbox must be entered before. Return false,
 * after a message, if there are two policies. */
bool cli_operands_order(cli_options *options);
