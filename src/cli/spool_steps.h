/* The steps that move a recording from a spool folder to the database and the archive. */
#pragma once

#include "cli/options.h"

typedef enum cli_spool_outcome {
    CLI_SPOOL_DONE,  /* the recording is in the archive, and no longer in the folder */
    CLI_SPOOL_LATER, /* the database, the archive or the folder for rows failed: try again later */
    CLI_SPOOL_BAD,   /* the file is not a recording, or cannot be read: it stays where it is */
} cli_spool_outcome;

/* Write the rows, the baseline and the compressed file of a recording, and then remove the
 * recording. Each step may be repeated, even if later steps were done. Messages go to standard
 * error. `work` is a folder for temporary files of rows. */
cli_spool_outcome cli_spool_recording(const cli_options *options, const char *path,
                                      const char *archive, const char *work);
