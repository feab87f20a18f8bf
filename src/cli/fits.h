/* Check that the options of a command line are consistent, before anything is read. Functions
 * return false after a message. */
#pragma once

#include "cli/options.h"

/* Check that no option that allows only one value was given twice; defaults do not count. */
bool cli_given_once(const cli_options *options);
/* Check the number of inputs, and check that the format can show the answer. */
bool cli_fits(const cli_options *options);

/* Choose the format by the extension of --output if no other option sets it. Unknown extensions
 * have no effect. Return false, after a message, if --output or --chart has the extension of a file
 * that memprof cannot write. */
bool cli_ending_choose(cli_options *options);

/* Return true if the option is on the command line; defaults do not count. */
bool cli_is_given(const cli_options *options, const char *name);
/* Return true if --to was given and is a format; for most commands it is a snapshot. */
bool cli_to_is_format(const cli_options *options);
/* Return true if a file of this name exists. */
bool cli_is_there(const char *path);
/* Return true if the operand is standard input, a file that exists, a snapshot of such a file
 * (FILE@SNAPSHOT), or a member of it (ARCHIVE:MEMBER). */
bool cli_is_input(const char *operand);
