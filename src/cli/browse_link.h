/* Links from a row. They lead to other views of its subject, and to its line in a source file. */
#pragma once

#include "cli/browse_ask.h"
#include "cli/browse_page.h"

/* Another view of the subject: a command with options. */
typedef struct browse_link {
    const char *label; /* "leaks of this type" */
    const char *command;
    const char *line;
} browse_link;

enum { BROWSE_MOST_LINKS = 16 };
/* Find the links of the row or frame under the cursor. The most likely link comes first. Return
 * their number. Texts are in the arena; `links` has room for BROWSE_MOST_LINKS. `asked`: options of
 * the page. */
size_t browse_links(mp_arena *arena, const browse_source *source, const cli_options *asked,
                    const browse_page *page, browse_link *links);

/* Find the link that shows how the program gets to the row or frame under the cursor: its call
 * tree, its callers, or the path from a root. Return false if there is none. The texts are in the
 * arena. */
bool browse_way_to(mp_arena *arena, const browse_source *source, const cli_options *asked,
                   const browse_page *page, browse_link *link);

/* Find the source line of the row or frame in the folders of --sources. The path is in the arena.
 * Return false with a message in `why` if there is none. */
bool browse_source_line(mp_arena *arena, const browse_source *source, const browse_page *page,
                        const char **path, int64_t *line, char *why, size_t size);
