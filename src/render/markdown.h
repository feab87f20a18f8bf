/* Markdown as GitHub and GitLab show it: the parts that its formats are put together from.
 *
 * An answer is written in pieces that are there whole or not at all: a heading, a row. Where there
 * is a limit, rows that do not fit are left out and counted. It is one of bytes, so it holds for
 * characters too. */
#ifndef MP_RENDER_MARKDOWN_H
#define MP_RENDER_MARKDOWN_H

#include "base/text.h"
#include "document/checks.h"
#include "render/renderer.h"

typedef struct mp_markdown {
    FILE *file;
    const mp_style *style;
    bool exact_bytes;
    bool folds;           /* each table below its title, which opens it */
    bool parts;           /* what comes next stands behind an empty line */
    size_t room;          /* bytes that are left; SIZE_MAX: as many as there are */
    size_t rows_left_out; /* as there was no room */
    const char *command;  /* that ends it; NULL: none */
    bool command_left_out;
    mp_text_buffer piece; /* at hand */
    mp_arena arena;       /* its texts */
} mp_markdown;

/* `is_comment`: it has the limit of one. `with_command`: it ends with the command that gives the
 * same answer, for which room is kept. Release with mp_markdown_end. */
mp_markdown mp_markdown_begin(FILE *file, const mp_document *document, const mp_style *style,
                              bool is_comment, bool with_command);
/* What the checks came to, and their table. `failed`: of those alone that do not hold. */
void mp_markdown_put_checks(mp_markdown *to, const mp_document *document, const mp_checks *checks,
                            bool failed);
void mp_markdown_put_title(mp_markdown *to, const char *title);
/* What the report says first, and the tables that people read, without those that say what the
 * checks do. */
void mp_markdown_put_tables(mp_markdown *to, const mp_document *document);
/* How much was left out, and the command. */
void mp_markdown_end(mp_markdown *to);

#endif
