/* Tools of the server. There is one for each report, generated from the tables of commands and
 * options, and one that lists files. */
#pragma once

#include "cli/mcp_folders.h"

/* Return a page of the list of tools, {"tools": [...], "nextCursor": "..."}. `first`: index of the
 * first tool. NULL: there are fewer tools. */
json_t *mcp_tools_list(const cli_options *options, size_t first);
/* Return a text for a model. It explains the tools, and the arguments that many of them share. */
json_t *mcp_instructions(void);
/* Return the command of a tool; NULL if the tool is not a report. */
const cli_command *mcp_tool_command(const cli_options *options, const char *name);

/* Return true if clients may use an option. It must be about the question, or about how recordings
 * are read. Folders of sources and listings are excluded, because the recording would determine
 * which of their files are read. The statement is a separate argument. */
bool mcp_is_offered(const cli_command *command, const cli_option *option);
