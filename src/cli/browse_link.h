/* Links from a row: other views of its subject, and its place in a source. */
#ifndef MP_CLI_BROWSE_LINK_H
#define MP_CLI_BROWSE_LINK_H

#include "cli/browse_ask.h"
#include "cli/browse_page.h"

/* Another view, and what is asked there. */
typedef struct browse_link {
    const char *label; /* "leaks of this type" */
    const char *command;
    const char *line;
} browse_link;

enum { BROWSE_MOST_LINKS = 16 };
/* Find the links of the row or frame under the cursor, the likeliest first; texts are in the
 * arena, and `links` has room for BROWSE_MOST_LINKS. `asked`: the options of the page's
 * question. */
size_t browse_links(mp_arena *arena, const browse_source *source, const cli_options *asked,
                    const browse_page *page, browse_link *links);

/* Find the source line that the row or frame is about, below the folders of --sources. The path is
 * in the arena. False with a message in `why`. */
bool browse_source_line(mp_arena *arena, const browse_source *source, const browse_page *page,
                        const char **path, int64_t *line, char *why, size_t size);

#endif
