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

/* Return true if an option means something to a client: it is about the question, or about how its
 * recordings are read. Folders of sources and listings are left out, because the recording says
 * which files in them to read; the statement has an argument of its own. */
bool mcp_is_offered(const cli_command *command, const cli_option *option);

#endif
