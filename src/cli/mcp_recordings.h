/* Recordings that stay in memory from one call of a client to the next. */
#pragma once

#include "cli/mcp_call.h"

enum { MCP_MOST_RECORDINGS = 4 };

/* Zero-initialise, and set `advance` and `opaque`. Release with mcp_recordings_free. */
typedef struct mcp_recordings {
    struct mcp_recording
        *items[MCP_MOST_RECORDINGS]; /* recordings; the most recently used one is the first */
    size_t count;
    /* Called while a recording is read. If it returns false, reading is cancelled
     * (mp_session_watch). */
    bool (*advance)(void *opaque, const char *path, uint64_t done, uint64_t total);
    void *opaque;
} mcp_recordings;
void mcp_recordings_free(mcp_recordings *recordings);

/* Answer a call as the command line would: write the output to `answer` and messages to `messages`.
 * Return the exit status. Afterwards the recordings own the call and its texts, and `call` is
 * empty. */
int mcp_recordings_ask(mcp_recordings *recordings, const cli_options *options, mcp_call *call,
                       FILE *answer, FILE *messages);
