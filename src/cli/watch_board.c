#include "cli/watch_board.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/screen.h"

enum { ROWS_OF_ONE_FILE = 200 };

typedef struct cli_kept_row {
    mp_watch_row row; /* row.file is NULL until there is a row */
    mp_arena texts;
} kept_row;

/* --- lines --- */

/* Print the row at `place`. If there is no row yet, print the names of the columns. */
static void print_row(cli_board *board, const mp_document *document, size_t place)
{
    board->options->renderer->put_row(document, place, &board->style, stdout);
    if (fflush(stdout) != 0 && !board->watching->failed) {
        cli_put_fault("(standard output)", "cannot write: %s", strerror(errno));
        board->watching->failed = true;
    }
}

static mp_document *document_of(const cli_board *board)
{
    return mp_watch_rows_document(board->options->path_count > 1,
                                  board->options->reading.exact_bytes);
}

/* --- the screen --- */

static void keep_row(cli_board *board, size_t file, const mp_watch_row *row)
{
    kept_row *place = &board->rows[file];
    if (board->options->path_count == 1) {
        place = &board->rows[board->room - 1]; /* drop the oldest */
        mp_arena_free(&place->texts);
        memmove(board->rows + 1, board->rows, (board->room - 1) * sizeof *board->rows);
        place = board->rows;
        place->texts = (mp_arena){0};
    }
    mp_arena_free(&place->texts);
    place->row = mp_watch_row_keep(&place->texts, row);
    board->watching->changed = true;
}

char *cli_board_picture(cli_board *board)
{
    const cli_options *options = board->options;
    char *text = NULL;
    size_t length;
    FILE *file = mp_memory_open(&text, &length);
    mp_error unheard = {0};
    mp_diagnostics *none = mp_diagnostics_new(1);
    mp_document *document = document_of(board);
    mp_table *table = &document->tables[0];
    board->style.width = cli_style(options->colour, options->width, false).width;
    document->title =
        options->path_count == 1
            ? mp_document_text(document, "%s: watching", options->paths[0])
            : mp_document_text(document, "%zu recordings: watching", options->path_count);
    for (size_t i = 0; i < board->room; i++)
        if (board->rows[i].row.file)
            mp_table_put(document, table, &board->rows[i].row);
    table->empty = "no snapshot yet";
    for (size_t i = board->note_count; i-- > 0;)
        mp_document_say(document, MP_TONE_WARNING, "Note", "%s", board->notes[i]);
    options->renderer->render(document, none, &board->style, file, &unheard);
    mp_diagnostics_free(none);
    mp_document_free(document);
    mp_memory_close(file);
    return text;
}

static void keep_note(cli_board *board, const char *text)
{
    if (board->note_count == CLI_BOARD_NOTES) {
        free(board->notes[0]);
        memmove(board->notes, board->notes + 1, (CLI_BOARD_NOTES - 1) * sizeof *board->notes);
        board->note_count--;
    }
    board->notes[board->note_count++] = mp_copy(text, strlen(text));
    board->watching->changed = true;
}

/* --- both --- */

void cli_board_row(cli_board *board, size_t file, const mp_watch_row *row)
{
    mp_watch_row named = *row;
    named.file = board->paths[file];
    if (board->draws) {
        keep_row(board, file, &named);
        return;
    }
    mp_document *document = document_of(board);
    mp_table_put(document, &document->tables[0], &named);
    print_row(board, document, 0);
    mp_document_free(document);
}

void cli_board_event(cli_board *board, const mp_watch_event *event)
{
    if (board->options->renderer != mp_renderer_find("json"))
        return;
    mp_document *document = mp_watch_events_document();
    mp_table_put(document, &document->tables[0], event);
    print_row(board, document, 0);
    mp_document_free(document);
}

void cli_board_note(cli_board *board, const char *text)
{
    if (board->draws) {
        keep_note(board, text);
        return;
    }
    cli_put_line(text);
}

/* Set the paths, padded with blanks to the length of the longest. */
static void show_paths(cli_board *board)
{
    size_t widest = 0, count = board->options->path_count;
    board->paths = mp_alloc_zero(count, sizeof *board->paths);
    for (size_t i = 0; i < count; i++) {
        board->paths[i] = mp_utf8_copy(&board->arena, board->options->paths[i]);
        size_t width = mp_text_width(board->paths[i]);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < count; i++)
        board->paths[i] = mp_arena_format(&board->arena, "%s%*s", board->paths[i],
                                          (int)(widest - mp_text_width(board->paths[i])), "");
}

void cli_board_begin(cli_board *board, const cli_options *options, mp_watching *watching)
{
    size_t renderers;
    *board = (cli_board){.options = options,
                         .watching = watching,
                         .style = cli_style(options->colour, options->width, false),
                         .room = options->path_count == 1 ? ROWS_OF_ONE_FILE : options->path_count};
    board->rows = mp_alloc_zero(board->room, sizeof *board->rows);
    show_paths(board);
    board->draws = options->renderer == mp_renderers(&renderers)[0] && cli_screen_begin();
    if (board->draws)
        return;
    mp_document *document = document_of(board);
    print_row(board, document, MP_ROW_NAMES);
    mp_document_free(document);
}

void cli_board_end(cli_board *board)
{
    if (!board->draws)
        return;
    char *text = cli_board_picture(board);
    cli_screen_end();
    fputs(text, stdout);
    fflush(stdout);
    free(text);
    board->draws = false;
}

void cli_board_free(cli_board *board)
{
    for (size_t i = 0; i < board->room; i++)
        mp_arena_free(&board->rows[i].texts);
    for (size_t i = 0; i < board->note_count; i++)
        free(board->notes[i]);
    mp_arena_free(&board->arena);
    free(board->paths);
    free(board->rows);
}
