/* Check that the options of a command line go together, as far as possible before anything is
 * read. False after a message. */
#ifndef MP_CLI_FITS_H
#define MP_CLI_FITS_H

#include "cli/options.h"

/* No option that is meant once was given twice; a default may be given anew. */
bool cli_given_once(const cli_options *options);
/* The number of inputs is right, and the format can show the answer. */
bool cli_fits(const cli_options *options);

/* Choose the format by the ending of --output, where nothing else says it; an ending that says none
 * leaves it. False after a message: such a file is not written, here or as a --chart. */
bool cli_ending_choose(cli_options *options);

/* The option is on the command line, not as a default. */
bool cli_is_given(const cli_options *options, const char *name);
/* --to is, and names a format: elsewhere it is a snapshot. */
bool cli_to_is_format(const cli_options *options);
/* There is a file of this name. */
bool cli_is_there(const char *path);
/* Return true if the operand names standard input, a file that exists, a snapshot of it
 * (FILE@SNAPSHOT) or a member of it (ARCHIVE:MEMBER). */
bool cli_is_input(const char *operand);

#endif
