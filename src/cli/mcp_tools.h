/* The tools of the server: one for each report, made from the tables of commands and options, and
 * one that lists files. */
#ifndef MP_CLI_MCP_TOOLS_H
#define MP_CLI_MCP_TOOLS_H

#include "cli/mcp_folders.h"

/* Return a page of the descriptions of tools, {"tools": [...], "nextCursor": "..."}. `first`: index
 * of the first tool. NULL: there are not that many. */
json_t *mcp_tools_list(const cli_options *options, size_t first);
/* Return the text that explains the tools to a model, and the arguments that many of them have. */
json_t *mcp_instructions(void);
/* Return the command of this tool; NULL: it is none of the reports. */
const cli_command *mcp_tool_command(const cli_options *options, const char *name);

/* A call as a command line. Its texts are in `texts`; release with mcp_call_free. */
typedef struct mcp_call {
    const char **words; /* ends with NULL */
    size_t count, capacity;
    const char **paths; /* the recordings, last in `words` */
    size_t path_count;
    const char *reading; /* options of reading, as text */
    const char *cursor;  /* NULL: none was given */
    mp_arena texts;
} mcp_call;

/* Make the command line of a call. Return NULL, or the reason for which its arguments are wrong. */
const char *mcp_call_begin(mcp_call *call, const mcp_folders *folders, const cli_command *command,
                           const json_t *arguments);
void mcp_call_free(mcp_call *call);

#endif
