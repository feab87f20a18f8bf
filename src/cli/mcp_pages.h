/* Complete answers, handed out as pages of rows. */
#ifndef MP_CLI_MCP_PAGES_H
#define MP_CLI_MCP_PAGES_H

#include "session/terminal.h"

enum { MCP_LARGEST_ANSWER = 64 * 1024 * 1024 }; /* bytes of JSON */

/* Return true if a brief answer left out rows. */
bool mcp_pages_left(const char *brief, size_t length);

/* Return the page of an answer that begins at the cursor, and the cursor of the next page in `next`
 * ("" after the last). The first page, at "0:0", has all that is not in rows. NULL: there is no
 * such page. */
enum { MCP_CURSOR = 48 };
json_t *mcp_page(json_t *answer, const char *cursor, char next[MCP_CURSOR]);

#endif
