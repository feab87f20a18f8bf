/* Display of watched recordings: lines as they come, or, on a terminal, a picture of the latest
 * ones that is redrawn.
 *
 * For one file the latest rows are shown first, for several files the latest row of each.
 * Threads that share a board have a lock for it. */
#ifndef MP_CLI_WATCH_BOARD_H
#define MP_CLI_WATCH_BOARD_H

#include "cli/options.h"

enum { CLI_BOARD_NOTES = 5 };

typedef struct cli_board {
    const cli_options *options;
    mp_style style;
    bool draws;
    mp_watching *watching;     /* its `changed`: what is drawn; `failed`: no more can be printed */
    mp_arena arena;            /* arena of the paths */
    const char **paths;        /* by file: as long as the longest */
    struct cli_kept_row *rows; /* rows that are drawn */
    size_t room;
    char *notes[CLI_BOARD_NOTES];
    size_t note_count;
} cli_board;

/* Begin, where rows are lines with what stands above them. The options must outlive it. */
void cli_board_begin(cli_board *board, const cli_options *options, mp_watching *watching);
/* A snapshot of the file at this place among the paths. */
void cli_board_row(cli_board *board, size_t file, const mp_watch_row *row);
/* For programs alone. */
void cli_board_event(cli_board *board, const mp_watch_event *event);
/* A line for people, about anything but a snapshot. */
void cli_board_note(cli_board *board, const char *text);

/* Return the text to be drawn now, for a board that draws; release with free(). */
char *cli_board_picture(cli_board *board);
/* Leave the screen; what was on it stays behind it. From here on, notes are lines. */
void cli_board_end(cli_board *board);
void cli_board_free(cli_board *board);

#endif
