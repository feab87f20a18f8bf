/* Questions of the browser. A view, or a line of options that the user typed, runs a report on the
 * recording. The recording was loaded once. */
#pragma once

#include "cli/options.h"

/* The recording that is browsed. */
typedef struct browse_source {
    const cli_options *options; /* options of the browser itself */
    const mp_session *session;  /* session that has read the recording */
} browse_source;

/* A view of a recording: a command with some options. */
typedef struct browse_view {
    const char *name;
    const char *command;
    const char *words;
} browse_view;

enum { BROWSE_MOST_VIEWS = 24 };
/* Set `views` to the views for this kind of recordings (a bit), the default first. Return their
 * number. `views` must have room for BROWSE_MOST_VIEWS. */
size_t browse_views(unsigned kind, const browse_view **views);
/* Return true if a view belongs to this command. */
bool browse_has_view(const char *command);

/* An answer, and the data that it borrows. Zero-initialise it to start. */
typedef struct browse_answer {
    mp_document *document; /* owned by the first page that shows it */
    cli_options options;
    mp_arena arena;
    bool parsed;
} browse_answer;
void browse_answer_free(browse_answer *answer);

/* Answer a command with a line of options. The line is what the user would type after the command,
 * without files. Return false if there is no answer, with the reason in `why`. */
bool browse_ask(const browse_source *source, const char *command, const char *line,
                browse_answer *answer, char *why, size_t size);

/* Split a line into words, like a shell. Return their number; the words are in the arena. */
size_t browse_words(mp_arena *arena, const char *line, const char ***words);
/* Append a word to a line, quoted if necessary. */
void browse_put_word(mp_text_buffer *line, const char *word);

/* Return the command line that opens the browser with this question. Return NULL if standard output
 * is not a terminal or the browser does not offer the report. Release with free(). */
char *cli_browse_instead(const cli_options *options);
