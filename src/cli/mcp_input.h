/* Messages that a client writes to standard input, one per line. The length of lines is limited; a
 * line that is longer is skipped and reported. */
#pragma once

#include "session/terminal.h"

enum { MCP_LONGEST_MESSAGE = 1024 * 1024 }; /* bytes */

/* Zero-initialise to start; release with free(input.bytes). */
typedef struct mcp_input {
    char *bytes;
    size_t start, end; /* bounds of the bytes that were read but not yet taken */
    size_t searched;   /* number of bytes from `start` on that contain no line end */
    size_t seen;       /* bytes from `start` on that mcp_input_peek has returned */
    bool skipping;     /* the line was too long; drop bytes up to its end */
    bool ended;        /* the client closed its side */
} mcp_input;

typedef enum mcp_line_kind { MCP_LINE, MCP_LINE_TOO_LONG, MCP_NO_LINE } mcp_line_kind;

/* Wait for the next line and take it. MCP_NO_LINE: the input has ended. `line` is valid until the
 * next call of a function of this file. */
mcp_line_kind mcp_input_take(mcp_input *input, mp_slice *line);
/* Read the bytes that have arrived since a line was taken. Do not wait. */
void mcp_input_poll(mcp_input *input);
/* Return the next complete line that was not returned yet. Do not take it. Return false if there is
 * none. */
bool mcp_input_peek(mcp_input *input, mp_slice *line);
