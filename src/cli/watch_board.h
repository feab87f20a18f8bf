/* Display of watched recordings. Rows are printed as lines; on a terminal, a picture of the latest
 * rows is redrawn.
 *
 * For one file the picture has the latest rows, for several files the latest row of each. Threads
 * that share a board must hold its lock. */
#pragma once

#include "cli/options.h"

enum { CLI_BOARD_NOTES = 5 };

typedef struct cli_board {
    const cli_options *options;
    mp_style style;
    bool draws;
    /* `changed`: there is something new to draw; `failed`: standard output failed */
    mp_watching *watching;
    mp_arena arena;            /* memory of the paths */
    const char **paths;        /* paths by file; each is padded to the length of the longest */
    struct cli_kept_row *rows; /* rows that are drawn */
    size_t room;
    char *notes[CLI_BOARD_NOTES];
    size_t note_count;
} cli_board;

/* Begin the display. If rows are printed as lines, print the header. The options must outlive the
 * display. */
void cli_board_begin(cli_board *board, const cli_options *options, mp_watching *watching);
/* Show a snapshot of the file with this index. */
void cli_board_row(cli_board *board, size_t file, const mp_watch_row *row);
/* Show an event. Only formats for programs show events. */
void cli_board_event(cli_board *board, const mp_watch_event *event);
/* Show a line for people; snapshots are shown by cli_board_row. */
void cli_board_note(cli_board *board, const char *text);

/* Return the text to be drawn now, for a board that draws; release with free(). */
char *cli_board_picture(cli_board *board);
/* Leave the screen. The contents of the picture remain visible above. From now on, notes are
 * printed as lines. */
void cli_board_end(cli_board *board);
void cli_board_free(cli_board *board);
