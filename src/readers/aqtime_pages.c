/* Whether the tables of a database are trees of pages: every page once, every byte of it once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "readers/aqtime_source.h"

/* Kinds of pages, and what stands where in them. */
enum { INTERIOR_OF_ROWS = 5, LEAF_OF_ROWS = 13, INTERIOR_OF_KEYS = 2, LEAF_OF_KEYS = 10 };
enum { FILE_HEADER = 100, CELLS = 3, LAST_CHILD = 8, LEAF_HEADER = 8, INTERIOR_HEADER = 12 };

void aq_pages_begin(aq_pages *pages, const aq_source *file)
{
    *pages = (aq_pages){.file = file};
    pages->seen = mp_alloc_zero(file->pages / 8 + 1, 1);
    pages->page = mp_alloc(file->page_size);
}

void aq_pages_free(aq_pages *pages)
{
    free(pages->seen);
    free(pages->page);
    free(pages->next);
    *pages = (aq_pages){0};
}

static bool wrong(aq_pages *pages, uint32_t page, const char *why)
{
    snprintf(pages->why, sizeof pages->why, "page %u %s", page, why);
    return false;
}

static uint32_t big16(const unsigned char *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

/* A number of one to nine bytes; gives how many, 0 where the page ends before it does. */
static size_t read_number(const unsigned char *at, const unsigned char *end, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < 9 && at + i < end; i++) {
        *number = i < 8 ? *number << 7 | (at[i] & 0x7f) : *number << 8 | at[i];
        if (i == 8 || at[i] < 0x80)
            return i + 1;
    }
    return 0;
}

static bool take(aq_pages *pages, uint32_t page)
{
    if (!page || page > pages->file->pages)
        return wrong(pages, page, "is named and not there");
    unsigned char bit = (unsigned char)(1u << page % 8);
    if (pages->seen[page / 8] & bit)
        return wrong(pages, page, "is used twice");
    pages->seen[page / 8] |= bit;
    return true;
}

static bool push(aq_pages *pages, uint32_t page)
{
    if (!take(pages, page))
        return false;
    mp_grow(&pages->next, &pages->next_capacity, pages->next_count + 1, sizeof *pages->next);
    pages->next[pages->next_count++] = page;
    return true;
}

/* The pages on which a long row goes on. Each has the number of the next one in front. */
static bool take_chain(aq_pages *pages, uint32_t from, uint32_t first, uint64_t bytes)
{
    uint32_t each = pages->file->usable - 4;
    unsigned char link[4];
    while (bytes) {
        if (!take(pages, first))
            return false;
        if (!aq_source_page(pages->file, first, link, sizeof link))
            return wrong(pages, from, "has a row of which the end is missing");
        first = aq_big32(link);
        bytes -= bytes < each ? bytes : each;
    }
    return true;
}

/* A row; gives how many bytes of the page it takes, 0 where something is wrong. */
static size_t take_row(aq_pages *pages, uint32_t number, const unsigned char *at,
                       const unsigned char *end)
{
    uint64_t payload, row, usable = pages->file->usable;
    size_t one = read_number(at, end, &payload);
    size_t other = one ? read_number(at + one, end, &row) : 0;
    uint64_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23, local = payload;
    if (!other || payload > INT32_MAX)
        return wrong(pages, number, "has a row that is not whole");
    if (payload > most) {
        local = least + (payload - least) % (usable - 4);
        local = local > most ? least : local;
    }
    size_t used = one + other + (size_t)local + (payload > local ? 4 : 0);
    if (used > (size_t)(end - at))
        return wrong(pages, number, "has a row that is not whole");
    if (payload > local && !take_chain(pages, number, aq_big32(at + used - 4), payload - local))
        return 0;
    if (pages->behind_first && (int64_t)row <= pages->last_row)
        return wrong(pages, number, "has rows that are not in their order");
    pages->last_row = (int64_t)row;
    pages->behind_first = true;
    pages->bytes += payload;
    pages->rows++;
    return used;
}

/* A cell of an inner page: a page below it, and the last row that is there. */
static size_t take_child(aq_pages *pages, uint32_t number, const unsigned char *at,
                         const unsigned char *end)
{
    uint64_t row;
    size_t used = end - at > 4 ? read_number(at + 4, end, &row) : 0;
    if (!used)
        return wrong(pages, number, "names a page below it in part");
    return push(pages, aq_big32(at)) ? used + 4 : 0;
}

/* The page at hand. Pages below it are gone to from the first to the last, so they are put down in
 * the other order. */
static bool take_page(aq_pages *pages, uint32_t number)
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

bool aq_pages_walk(aq_pages *pages, uint32_t root)
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
            return true; /* an index: nothing reads it */
        if (!take_page(pages, number))
            return false;
        first = false;
    }
    return true;
}
