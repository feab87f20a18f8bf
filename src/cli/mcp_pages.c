#include "cli/mcp_pages.h"

#include <string.h>

enum { PAGE_BYTES = 16 * 1024 };

bool mcp_pages_left(const char *brief, size_t length)
{
    json_t *answer = json_loadb(brief, length, 0, NULL);
    const bool left = json_object_get(answer, "rows_left_out") != NULL;
    json_decref(answer);
    return left;
}

static size_t size_of(const json_t *value)
{
    return json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
}

/* Parse "MEMBER:ROW": the index of a member of the answer, and the index of a row in it, both from
 * 0. */
static bool parse_cursor(const char *cursor, int64_t *member, int64_t *row)
{
    char text[MCP_CURSOR];
    snprintf(text, sizeof text, "%s", cursor);
    char *colon = strchr(text, ':');
    if (!colon)
        return false;
    *colon = '\0';
    return mp_parse_count(text, member) && mp_parse_count(colon + 1, row);
}

json_t *mcp_page(json_t *answer, const char *cursor, char next[MCP_CURSOR])
{
    int64_t from_member, from_row, member = 0;
    *next = '\0';
    if (!parse_cursor(cursor, &from_member, &from_row))
        return NULL;
    const bool first = !from_member && !from_row;
    const char *name;
    json_t *value, *page = json_object();
    size_t room = PAGE_BYTES;
    bool found = first;
    json_object_foreach(answer, name, value)
    {
        const bool rows = json_is_array(value);
        const bool begins = member++ >= from_member;
        if (!rows && (first || json_is_string(value))) /* "schema" and "command" are on each page */
            json_object_set(page, name, value);
        if (!rows || !begins || *next)
            continue;
        json_t *shown = json_array();
        size_t row = member - 1 == from_member ? (size_t)from_row : 0;
        found |= row < json_array_size(value);
        for (; row < json_array_size(value) && !*next; row++) {
            json_t *item = json_array_get(value, row);
            const size_t bytes = size_of(item);
            if (bytes > room && room < PAGE_BYTES) {
                snprintf(next, MCP_CURSOR, "%lld:%zu", (long long)member - 1, row);
            } else {
                json_array_append(shown, item);
                room -= bytes < room ? bytes : room;
            }
        }
        if (json_array_size(shown) || (first && !*next) || !json_array_size(value))
            json_object_set(page, name, shown);
        json_decref(shown);
    }
    if (found)
        return page;
    json_decref(page);
    return NULL;
}
