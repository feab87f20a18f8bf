/* Calls of tools. The arguments of a call are converted to the words of a command line. */
#pragma once

#include "cli/mcp_folders.h"

/* A call as a command line. Its texts are in `texts`; release with mcp_call_free. */
typedef struct mcp_call {
    mp_argument_texts words;
    const char **paths; /* the recordings, which are the last of `words` */
    size_t path_count;
    const char *reading; /* reading options, as text */
    const char *cursor;  /* NULL: not given */
    mp_arena texts;
} mcp_call;

/* Make the command line of a call. Return NULL, or a text that says why its arguments are wrong. */
const char *mcp_call_begin(mcp_call *call, const mcp_folders *folders, const cli_command *command,
                           const json_t *arguments);
void mcp_call_free(mcp_call *call);
