/* Secure opening of a database: whatever the file contains, SQLite reads only rows that exist, and
 * each of them only once. Tables are trees of pages. Before SQLite reads a tree, a walk checks that
 * every page and every byte is used only once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/text.h"
#include "readers/aqtime.h"

/* --- trees of pages --- */

/* State of the walks over all tables. */
typedef struct page_walk {
    const aq_source *file;
    /* seen: one bit per page, set if a table uses the page; page: bytes of the current page */
    unsigned char *seen, *page;
    uint32_t *next; /* pages still to be visited */
    size_t next_count, next_capacity;
    uint64_t rows, bytes; /* totals of all tables so far */
    int64_t last_row;
    const aq_order *order; /* the order in which rows may be; NULL: it does not matter */
    bool in_order;         /* all rows so far are in this order */
    int64_t last_key[AQ_KEYS];
    bool behind_first; /* false until the first row of the current table was read */
    char why[128];     /* description of the fault */
} page_walk;

/* Kinds of pages, and offsets in their headers. */
enum { INTERIOR_OF_ROWS = 5, LEAF_OF_ROWS = 13, INTERIOR_OF_KEYS = 2, LEAF_OF_KEYS = 10 };
enum { FILE_HEADER = 100, CELLS = 3, LAST_CHILD = 8, LEAF_HEADER = 8, INTERIOR_HEADER = 12 };

static void begin_pages(page_walk *pages, const aq_source *file)
{
    *pages = (page_walk){.file = file};
    pages->seen = mp_alloc_zero(file->pages / 8 + 1, 1);
    pages->page = mp_alloc(file->page_size);
}

static void free_pages(page_walk *pages)
{
    MP_FREE(pages->seen, pages->page, pages->next);
    *pages = (page_walk){0};
}

static bool wrong(page_walk *pages, uint32_t page, const char *why)
{
    snprintf(pages->why, sizeof pages->why, "page %u %s", page, why);
    return false;
}

static uint32_t big16(const unsigned char *cursor)
{
    return (uint32_t)cursor[0] << 8 | cursor[1];
}

/* Read a number of one to nine bytes. Return its length, or 0 if the page ends before the
 * number. */
static size_t read_number(const unsigned char *cursor, const unsigned char *end, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < 9 && cursor + i < end; i++) {
        *number = i < 8 ? *number << 7 | (cursor[i] & 0x7f) : *number << 8 | cursor[i];
        if (i == 8 || cursor[i] < 0x80)
            return i + 1;
    }
    return 0;
}

static bool take(page_walk *pages, uint32_t page)
{
    if (!page || page > pages->file->pages)
        return wrong(pages, page, "is named and not there");
    unsigned char bit = (unsigned char)(1u << page % 8);
    if (pages->seen[page / 8] & bit)
        return wrong(pages, page, "is used twice");
    pages->seen[page / 8] |= bit;
    return true;
}

static bool push(page_walk *pages, uint32_t page)
{
    if (!take(pages, page))
        return false;
    *MP_APPEND(pages->next, pages->next_count, pages->next_capacity) = page;
    return true;
}

/* Mark the overflow pages of a long row as used. Each of them starts with the number of the next
 * one. */
static bool take_chain(page_walk *pages, uint32_t from, uint32_t first, uint64_t bytes)
{
    uint32_t each = pages->file->usable - 4;
    unsigned char link[4];
    while (bytes) {
        if (!take(pages, first))
            return false;
        if (!aq_source_page(pages->file, first, link, sizeof link))
            return wrong(pages, from, "has a truncated row");
        first = aq_big32(link);
        bytes -= bytes < each ? bytes : each;
    }
    return true;
}

/* Return the number of bytes of a value whose type in the header of its row is `type`. */
static uint64_t bytes_of(uint64_t type)
{
    static const uint8_t bytes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < sizeof bytes ? bytes[type] : (type - sizeof bytes) / 2;
}

/* Get a value that is stored as an integer. Return false if it is of another type. */
static bool integer_of(uint64_t type, const unsigned char *bytes, int64_t *value)
{
    enum { ZERO = 8, ONE = 9, LONGEST = 6 };
    *value = type == ONE;
    if (type == ZERO || type == ONE)
        return true;
    if (!type || type > LONGEST)
        return false;
    uint64_t number = bytes[0] & 0x80 ? UINT64_MAX : 0;
    for (uint64_t i = 0; i < bytes_of(type); i++)
        number = number << 8 | bytes[i];
    *value = (int64_t)number;
    return true;
}

/* Read the keys of a row, which begins with the types of its values. Return false if they are not
 * all integers in this page. */
static bool read_keys(const aq_order *order, const unsigned char *row, const unsigned char *end,
                      int64_t keys[AQ_KEYS])
{
    uint64_t header, type;
    const unsigned char *types = row + read_number(row, end, &header);
    if (types == row || header > (uint64_t)(end - row))
        return false;
    const unsigned char *values = row + header, *value = values;
    unsigned found = 0;
    for (int column = 0; found < order->count; column++) {
        const size_t used = read_number(types, values, &type);
        if (!used || bytes_of(type) > (uint64_t)(end - value))
            return false;
        for (unsigned i = 0; i < order->count; i++)
            if (order->columns[i] == column) {
                if (!integer_of(type, value, &keys[i]))
                    return false;
                found++;
            }
        types += used;
        value += bytes_of(type);
    }
    return true;
}

/* Return true if a row comes after the one before it. */
static bool comes_after(page_walk *pages, const unsigned char *row, const unsigned char *end)
{
    int64_t keys[AQ_KEYS] = {0};
    int order = 0;
    if (!read_keys(pages->order, row, end, keys))
        return false;
    for (unsigned i = 0; i < pages->order->count; i++) {
        order = order ? order : MP_COMPARE(keys[i], pages->last_key[i]);
        pages->last_key[i] = keys[i];
    }
    return order >= 0;
}

/* Check a row. Return the number of its bytes that are in the page; 0: the row is malformed. */
static size_t take_row(page_walk *pages, uint32_t number, const unsigned char *cursor,
                       const unsigned char *end)
{
    uint64_t payload, row, usable = pages->file->usable;
    size_t one = read_number(cursor, end, &payload);
    size_t other = one ? read_number(cursor + one, end, &row) : 0;
    uint64_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23, local = payload;
    if (!other || payload > INT32_MAX)
        return wrong(pages, number, "has an incomplete row");
    if (payload > most) {
        local = least + (payload - least) % (usable - 4);
        local = local > most ? least : local;
    }
    size_t used = one + other + (size_t)local + (payload > local ? 4 : 0);
    if (used > (size_t)(end - cursor))
        return wrong(pages, number, "has an incomplete row");
    if (payload > local && !take_chain(pages, number, aq_big32(cursor + used - 4), payload - local))
        return 0;
    if (pages->behind_first && (int64_t)row <= pages->last_row)
        return wrong(pages, number, "has rows that are not in their order");
    if (pages->order && pages->in_order)
        pages->in_order = comes_after(pages, cursor + one + other, cursor + one + other + local);
    pages->last_row = (int64_t)row;
    pages->behind_first = true;
    pages->bytes += payload;
    pages->rows++;
    return used;
}

/* Check a cell of an inner page. It has a child page, and the number of the last row below that.
 * Return its length; 0: it is malformed. */
static size_t take_child(page_walk *pages, uint32_t number, const unsigned char *cursor,
                         const unsigned char *end)
{
    uint64_t row;
    size_t used = end - cursor > 4 ? read_number(cursor + 4, end, &row) : 0;
    if (!used)
        return wrong(pages, number, "names a page below it in part");
    return push(pages, aq_big32(cursor)) ? used + 4 : 0;
}

/* Check the current page. Its children are pushed in reverse order, so that they are visited from
 * the first to the last. */
static bool take_page(page_walk *pages, uint32_t number)
{
    const unsigned char *page = pages->page, *end = page + pages->file->usable;
    const unsigned char *header = page + (number == 1 ? FILE_HEADER : 0);
    bool leaf = *header == LEAF_OF_ROWS;
    if (!leaf && *header != INTERIOR_OF_ROWS)
        return wrong(pages, number, "is not one of a table's rows");
    uint32_t cells = big16(header + CELLS);
    const unsigned char *places = header + (leaf ? LEAF_HEADER : INTERIOR_HEADER);
    if (cells > (size_t)(end - places) / 2)
        return wrong(pages, number, "has more rows than room");
    if (!leaf && !push(pages, aq_big32(header + LAST_CHILD)))
        return false;
    size_t used = 0;
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t place = big16(places + 2 * (size_t)(leaf ? i : cells - 1 - i));
        if (page + place < places + 2 * (size_t)cells || page + place >= end)
            return wrong(pages, number, "has a row outside of itself");
        size_t taken = leaf ? take_row(pages, number, page + place, end)
                            : take_child(pages, number, page + place, end);
        if (!taken)
            return false;
        used += taken;
    }
    return used <= (size_t)(end - places) || wrong(pages, number, "has rows in each other's place");
}

/* Walk the table whose root is page `root`. Return false and set `why` if this table or another one
 * uses a page, or a part of a page, twice. After this check, the work of SQLite is bounded by the
 * size of the file. An index is not checked, because it is not used. */
static bool walk_pages(page_walk *pages, uint32_t root)
{
    bool first = true;
    pages->behind_first = false;
    pages->next_count = 0;
    if (!push(pages, root))
        return false;
    while (pages->next_count) {
        uint32_t number = pages->next[--pages->next_count];
        if (!aq_source_page(pages->file, number, pages->page, pages->file->page_size))
            return wrong(pages, number, "is missing: the file ends before it");
        const unsigned char kind = pages->page[number == 1 ? FILE_HEADER : 0];
        if (first && (kind == INTERIOR_OF_KEYS || kind == LEAF_OF_KEYS))
            return true; /* an index, which is not used */
        if (!take_page(pages, number))
            return false;
        first = false;
    }
    return true;
}

bool aq_rows_in_order(const aq_source *file, uint32_t root, const aq_order *order)
{
    page_walk pages;
    begin_pages(&pages, file);
    pages.order = order;
    pages.in_order = true;
    for (unsigned i = 0; i < order->count; i++)
        pages.last_key[i] = INT64_MIN;
    const bool in_order = walk_pages(&pages, root) && pages.in_order;
    free_pages(&pages);
    return in_order;
}

/* --- SQLite --- */

enum {
    LARGEST_SCHEMA = 128 * 1024, /* the schema of the format is hundreds of times smaller */
    LONGEST_ROW = 1024 * 1024,
    STEPS_A_CALL = 1000,
    STEPS_A_ROW =
        400, /* maximum number of SQLite's steps to read a row twice and sort its columns */
    STEPS_BESIDE = 1000 * 1000,
};

static const struct {
    int what, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, LONGEST_ROW}, {SQLITE_LIMIT_SQL_LENGTH, LARGEST_SCHEMA},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},     {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_VDBE_OP, 10000},      {SQLITE_LIMIT_FUNCTION_ARG, 32},
    {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 0},  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

/* Abort a statement that executes more steps than all rows can need. */
static int count_steps(void *opaque)
{
    aq_state *state = opaque;
    state->steps_left -= STEPS_A_CALL;
    return state->steps_left < 0;
}

/* Allow only reads of the format's tables and of the schema, without functions, views, triggers or
 * recursion. */
static int allow(void *opaque, int action, const char *first, const char *second,
                 const char *database, const char *through)
{
    (void)opaque, (void)second, (void)database;
    bool may = false;
    if (action == SQLITE_SELECT)
        may = !through;
    else if (action == SQLITE_READ)
        may = !through && (aq_is_table(first) || mp_text_is(first, "sqlite_master"));
    else if (action == SQLITE_PRAGMA)
        may = mp_text_is(first, "table_xinfo");
    return may ? SQLITE_OK : SQLITE_DENY;
}

static bool damaged(aq_state *state, const char *why)
{
    mp_diagnose(state->diagnostics, MP_DIAG_CANNOT_READ, state->path, 0,
                "the database is damaged: %s", why);
    return false;
}

/* Walk the schema before SQLite reads it. */
static bool walk_schema(aq_state *state, page_walk *pages)
{
    if (!walk_pages(pages, 1))
        return damaged(state, pages->why);
    if (pages->bytes <= LARGEST_SCHEMA)
        return true;
    mp_diagnose(
        state->diagnostics, MP_DIAG_CANNOT_READ, state->path, 0,
        "has a schema of %zu bytes, expected at most %d: it is more than what AQTime exports",
        (size_t)pages->bytes, LARGEST_SCHEMA);
    return false;
}

static bool walk_tables(aq_state *state, page_walk *pages)
{
    sqlite3_stmt *roots = aq_prepare(
        state, "SELECT rootpage FROM sqlite_master WHERE rootpage > 1 ORDER BY rootpage");
    bool ok = roots;
    int code = SQLITE_DONE;
    while (ok && (code = sqlite3_step(roots)) == SQLITE_ROW) {
        int64_t root = sqlite3_column_int64(roots, 0);
        ok = walk_pages(pages, root <= UINT32_MAX ? (uint32_t)root : UINT32_MAX) ||
             damaged(state, pages->why);
    }
    if (ok && code != SQLITE_DONE)
        ok = aq_fail(state, "cannot read the database's tables");
    sqlite3_finalize(roots);
    return ok;
}

static bool confine(aq_state *state)
{
    sqlite3_db_config(state->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(state->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(state->database, limits[i].what, limits[i].most);
    state->steps_left = STEPS_BESIDE;
    sqlite3_progress_handler(state->database, STEPS_A_CALL, count_steps, state);
    /* set the size of the cache, because the database may set any size */
    if (sqlite3_exec(state->database, "PRAGMA cache_size = -2000; PRAGMA cell_size_check = ON",
                     NULL, NULL, NULL) != SQLITE_OK)
        return aq_fail(state, "cannot open the database");
    sqlite3_set_authorizer(state->database, allow, state);
    return true;
}

bool aq_connect(aq_state *state, aq_source *file)
{
    page_walk pages;
    begin_pages(&pages, file);
    bool ok = walk_schema(state, &pages) && (state->database = aq_source_connect(file)) != NULL &&
              confine(state) && walk_tables(state, &pages);
    if (ok)
        state->steps_left = STEPS_BESIDE + (int64_t)pages.rows * STEPS_A_ROW;
    free_pages(&pages);
    return ok;
}
