/* Divides complete answers into pages of rows. */
#pragma once

#include "session/terminal.h"

enum { MCP_LARGEST_ANSWER = 64 * 1024 * 1024 }; /* bytes of JSON */

/* Return true if a brief answer omits rows. */
bool mcp_pages_left(const char *brief, size_t length);

/* Return the page of an answer that begins at the cursor. Write the cursor of the next page to
 * `next` ("" after the last). The first page, at "0:0", also has all members that are not lists of
 * rows. NULL: the page does not exist. */
enum { MCP_CURSOR = 48 };
json_t *mcp_page(json_t *answer, const char *cursor, char next[MCP_CURSOR]);
