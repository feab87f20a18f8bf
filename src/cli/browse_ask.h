/* Questions of the browser: views, and lines of options as on the command line. Each runs a
 * command's report on the recording that was loaded once. */
#ifndef MP_CLI_BROWSE_ASK_H
#define MP_CLI_BROWSE_ASK_H

#include "cli/options.h"

/* The recording that is browsed. */
typedef struct browse_source {
    const cli_options *options; /* options of the browser itself */
    const mp_session *session;  /* which has read it */
} browse_source;

/* A way to look at a recording: a command with some words. */
typedef struct browse_view {
    const char *name;
    const char *command;
    const char *words;
} browse_view;

enum { BROWSE_MOST_VIEWS = 24 };
/* The views that recordings of this kind, a bit, have, the first of them first; `views` has room
 * for BROWSE_MOST_VIEWS. */
size_t browse_views(unsigned kind, const browse_view **views);
/* Return true if a view belongs to this command. */
bool browse_has_view(const char *command);

/* An answer, and what it borrows from. Zero-initialise to start. */
typedef struct browse_answer {
    mp_document *document; /* whoever shows it takes it over */
    cli_options options;
    mp_arena arena;
    bool parsed;
} browse_answer;
void browse_answer_free(browse_answer *answer);

/* Ask what the command line would be asked: `line` is what a user types behind the command, but for
 * the files. False where there is no answer; `why` says so. */
bool browse_ask(const browse_source *source, const char *command, const char *line,
                browse_answer *answer, char *why, size_t size);

/* The words of a line, as a shell takes it apart; what is made is in the arena. */
size_t browse_words(mp_arena *arena, const char *line, const char ***words);
/* Add a word to a line, in quotes where it needs them. */
void browse_put_word(mp_text_buffer *line, const char *word);

/* Return the command line that opens the browser on the question; NULL if nobody is at a
 * terminal or the browser does not have this answer. Release with free(). */
char *cli_browse_instead(const cli_options *options);

#endif
