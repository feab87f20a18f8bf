/* Recordings that stay in memory from one call of a client to the next. */
#pragma once

#include "cli/mcp_call.h"

enum { MCP_MOST_RECORDINGS = 4 };

/* Zero-initialise, and set `advance` and `opaque`. Release with mcp_recordings_free. */
typedef struct mcp_recordings {
    struct mcp_recording *items[MCP_MOST_RECORDINGS]; /* the most recently used one first */
    size_t count;
    /* Called while a recording is read; false cancels (mp_session_watch). */
    bool (*advance)(void *opaque, const char *path, uint64_t done, uint64_t total);
    void *opaque;
} mcp_recordings;
void mcp_recordings_free(mcp_recordings *recordings);

/* Answer a call like the command line: write the output to `answer` and messages to `messages`.
 * Return the exit status. The recordings take over the call and its texts; `call` is empty
 * afterwards. */
int mcp_recordings_ask(mcp_recordings *recordings, const cli_options *options, mcp_call *call,
                       FILE *answer, FILE *messages);
