/* Parsing of lines of both kinds of files. The columns of a log are thread, time, address, size,
 * type and stack crawl, separated by blanks or tabs. The crawl is the rest of the line. */
#include <string.h>

#include "base/text.h"
#include "input/fields.h"
#include "input/hex.h"
#include "input/numbers.h"
#include "readers/taligent.h"

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* Read a type. Between tabs, it is the whole cell. Otherwise it ends at the first blank that is
 * outside of <...> and (...). */
static mp_slice next_type(mp_fields *cursor)
{
    bool tabs = false;
    for (; cursor->cursor < cursor->end && mp_is_gap(*cursor->cursor); cursor->cursor++)
        tabs |= *cursor->cursor == '\t';
    const char *start = cursor->cursor;
    const char *tab = tabs ? memchr(start, '\t', (size_t)(cursor->end - start)) : NULL;
    if (tab) {
        cursor->cursor = tab;
        return mp_slice_trim((mp_slice){start, (size_t)(tab - start)});
    }
    int open = 0;
    for (; cursor->cursor < cursor->end && (open > 0 || !mp_is_gap(*cursor->cursor));
         cursor->cursor++) {
        char letter = *cursor->cursor;
        open += (letter == '<' || letter == '(') - (letter == '>' || letter == ')');
    }
    if (open > 0) { /* a bracket is not closed, so the type ends at the first blank */
        cursor->cursor = start;
        return mp_field_word(cursor);
    }
    return (mp_slice){start, (size_t)(cursor->cursor - start)};
}

static mp_slice rest_of(mp_fields *cursor)
{
    return mp_slice_trim((mp_slice){cursor->cursor, (size_t)(cursor->end - cursor->cursor)});
}

static bool wrong(taligent_line *event, const char *what)
{
    event->wrong = what;
    return false;
}

/* --- numbers; the hot path --- */

/* Read the name of a thread, which is two numbers: "2-22982". */
static bool take_thread(mp_fields *cursor, mp_slice *thread)
{
    const char *start = cursor->cursor, *position = start, *end = cursor->end;
    while (position < end && is_digit(*position))
        position++;
    const char *dash = position;
    if (position == start || position == end || *position != '-')
        return false;
    for (position++; position < end && is_digit(*position); position++)
        ;
    *thread = (mp_slice){start, (size_t)(position - start)};
    cursor->cursor = position;
    return position > dash + 1 && (position == end || mp_is_gap(*position));
}

static bool take_decimal(mp_fields *cursor, int64_t *value)
{
    uint64_t sum = 0;
    const char *start = cursor->cursor, *position = start, *end = cursor->end;
    for (; position < end && is_digit(*position); position++)
        sum = sum * 10 + (uint64_t)(*position - '0');
    cursor->cursor = position;
    *value = (int64_t)sum;
    return position > start && position - start <= 18 && (position == end || mp_is_gap(*position));
}

/* Read a hexadecimal number of at most 16 digits, with or without 0x. */
static bool take_address(mp_fields *cursor, uint64_t *value)
{
    const char *position = cursor->cursor, *end = cursor->end;
    if (end - position > 2 && position[0] == '0' && (position[1] | 32) == 'x')
        position += 2;
    /* Copy a word near the end of the line, because the line may be the last one of a text. */
    char copy[2 * MP_HEX_SLACK] = "";
    const size_t left = (size_t)(end - position);
    const char *start = left < MP_HEX_SLACK ? memcpy(copy, position, left) : position;
    const char *word = start;
    if (!mp_hex_word(&word, start + left, value))
        return false;
    cursor->cursor = position + (word - start);
    return true;
}

/* Parse a whole cell as a decimal number. */
static bool parse_decimal(mp_slice word, int64_t *value)
{
    mp_fields cursor = mp_fields_of(word);
    return take_decimal(&cursor, value) && cursor.cursor == cursor.end;
}

static bool parse_address(mp_slice word, uint64_t *value)
{
    mp_fields cursor = mp_fields_of(word);
    return take_address(&cursor, value) && cursor.cursor == cursor.end;
}

static bool is_thread(mp_slice word)
{
    mp_fields cursor = mp_fields_of(word);
    mp_slice thread;
    return take_thread(&cursor, &thread) && cursor.cursor == cursor.end;
}

/* Skip `word` at a place where there may be a number. If the text is not `word`, skip nothing and
 * return false. */
static bool take_word(mp_fields *cursor, const char *word)
{
    size_t length = strlen(word), left = (size_t)(cursor->end - cursor->cursor);
    if (left < length || memcmp(cursor->cursor, word, length) != 0 ||
        (left > length && !mp_is_gap(cursor->cursor[length])))
        return false;
    cursor->cursor += length;
    return true;
}

bool taligent_parse(mp_slice line, taligent_line *event)
{
    mp_fields cursor = mp_fields_of(line);
    if (!take_thread(&cursor, &event->thread))
        return wrong(event, "expected a thread such as 2-22982 in the first column");
    mp_fields_skip(&cursor);
    bool old = take_word(&cursor, "old");
    if (!old && !take_decimal(&cursor, &event->time_us))
        return wrong(event, "expected microseconds or old in the second column");
    mp_fields_skip(&cursor);
    if (!take_address(&cursor, &event->address))
        return wrong(event, "expected a hexadecimal address in the third column");
    mp_fields_skip(&cursor);
    bool deletion = take_word(&cursor, "del");
    if (!deletion && !take_decimal(&cursor, &event->bytes))
        return wrong(event, "expected bytes or del in the fourth column");
    if (old && deletion)
        return wrong(event, "expected bytes in the fourth column of an old block");
    event->type = next_type(&cursor);
    if (!old && !event->type.length)
        return wrong(event, "expected a type in the fifth column");
    event->crawl = rest_of(&cursor);
    event->kind = old ? MP_EVENT_OLD : deletion ? MP_EVENT_DELETION : MP_EVENT_ALLOCATION;
    return true;
}

/* Return the end of the digits at `begin`, among 64 bytes whose other bytes are set in `ends`; 64:
 * none of them. */
static unsigned digits_end(uint64_t ends, unsigned begin)
{
    ends = begin < MP_STEP ? ends >> begin : 0;
    return ends ? begin + (unsigned)__builtin_ctzll(ends) : MP_STEP;
}

/* Parse the decimal number at `begin`, which ends before the tab at `end`. */
static bool number_at(const char *line, unsigned begin, unsigned end, int64_t *value)
{
    if (end == begin || end - begin > 16 || line[end] != '\t')
        return false;
    *value = (int64_t)mp_sixteen_digits(line + begin, end - begin);
    return true;
}

bool taligent_take(mp_input *input, taligent_line *event)
{
    const char *line = input->bytes + input->start;
    const size_t left = input->end - input->start;
    if (!left || input->has_nul)
        return false;
    const uint64_t ends = mp_byte_kinds_of(line).ends; /* the first 64 bytes contain all numbers */
    const unsigned dash = digits_end(ends, 0), time = digits_end(ends, dash + 1) + 1;
    if (!dash || time >= MP_STEP || line[dash] != '-' || time == dash + 2 || line[time - 1] != '\t')
        return false;
    const unsigned address = digits_end(ends, time) + 1;
    if (!number_at(line, time, address - 1, &event->time_us))
        return false;
    const char *cursor = line + address;
    if (cursor[0] == '0' && cursor[1] == 'x')
        cursor += 2;
    if (!mp_hex_word(&cursor, line + left, &event->address) || *cursor != '\t')
        return false;
    const unsigned bytes = (unsigned)(cursor + 1 - line);
    const bool deletion = memcmp(cursor + 1, "del\t", 4) == 0;
    const unsigned type = deletion ? bytes + 4 : digits_end(ends, bytes) + 1;
    if (!deletion && !number_at(line, bytes, type - 1, &event->bytes))
        return false;
    const char *newline = type < left ? memchr(line + type, '\n', left - type) : NULL;
    const char *tab = newline ? memchr(line + type, '\t', (size_t)(newline - line) - type) : NULL;
    if (!tab || (size_t)(newline - line) > input->longest_line)
        return false;
    const char *end = newline[-1] == '\r' ? newline - 1 : newline;
    if (tab == line + type || mp_is_gap(line[type]) || mp_is_gap(tab[-1]) || tab + 1 >= end ||
        mp_is_gap(tab[1]) || mp_is_gap(end[-1]))
        return false;
    event->kind = deletion ? MP_EVENT_DELETION : MP_EVENT_ALLOCATION;
    event->thread = (mp_slice){line, time - 1};
    event->type = (mp_slice){line + type, (size_t)(tab - line) - type};
    event->crawl = (mp_slice){tab + 1, (size_t)(end - tab) - 1};
    mp_window_take_line(input, (size_t)(newline - line) + 1);
    return true;
}

bool taligent_is_title(mp_slice line)
{
    mp_fields cursor = mp_fields_of(line);
    return line.length && (*line.start | 32) == 't' &&
           mp_slice_is(mp_field_word(&cursor), "Thread") &&
           mp_slice_is(mp_field_word(&cursor), "Time");
}

/* --- heap analysis files --- */

/* Read a cell up to the next tab or, if it is the last cell, up to the end of the line. */
static mp_slice next_cell(mp_fields *cursor, bool last)
{
    const char *start = cursor->cursor;
    const char *tab = last ? NULL : memchr(start, '\t', (size_t)(cursor->end - start));
    const char *end = tab ? tab : cursor->end;
    cursor->cursor = tab ? tab + 1 : cursor->end;
    return mp_slice_trim((mp_slice){start, (size_t)(end - start)});
}

static bool is_deleter(mp_slice word)
{
    return is_thread(word) || mp_slice_is(word, "notask");
}

/* Split the rest of a line without tabs. The last word that can be the thread of a deletion
 * separates the crawl of the allocation from the crawl of the deletion. */
static bool split_crawls(mp_slice rest, taligent_block *block)
{
    mp_fields cursor = mp_fields_of(rest);
    bool found = false;
    while (!mp_fields_end(&cursor)) {
        mp_slice word = mp_field_word(&cursor);
        if (!is_deleter(word))
            continue;
        found = true;
        block->deleter = word;
        block->crawl = mp_slice_trim((mp_slice){rest.start, (size_t)(word.start - rest.start)});
        block->deletion_crawl = rest_of(&cursor);
    }
    return found;
}

bool taligent_parse_block(mp_slice line, taligent_block *block)
{
    mp_fields cursor = mp_fields_of(line);
    bool tabs = memchr(line.start, '\t', line.length) != NULL;
    mp_slice cells[6] = {{NULL, 0}};
    *block = (taligent_block){.old = false};
    for (int i = 0; i < 6; i++) /* cells: address, size, type, age, thread, time */
        cells[i] = tabs     ? next_cell(&cursor, false)
                   : i == 2 ? next_type(&cursor)
                            : mp_field_word(&cursor);
    if (!parse_address(cells[0], &block->address) || !parse_decimal(cells[1], &block->bytes) ||
        !parse_decimal(cells[3], &block->age_us) || !is_thread(cells[4]))
        return false;
    block->type = cells[2];
    block->thread = cells[4];
    block->undated = mp_slice_is(cells[5], "old");
    block->old = block->undated || mp_slice_is(cells[4], "0-0");
    if (!block->undated && !parse_decimal(cells[5], &block->born_us))
        return false;
    if (tabs) {
        block->crawl = next_cell(&cursor, false);
        block->deleter = next_cell(&cursor, false);
        block->deletion_crawl = next_cell(&cursor, true);
        if (memchr(block->deletion_crawl.start, '\t', block->deletion_crawl.length))
            return false; /* there are only nine cells */
    } else if (!split_crawls(rest_of(&cursor), block)) {
        return false;
    }
    if (!is_deleter(block->deleter))
        return false;
    block->deleted = !mp_slice_is(block->deleter, "notask");
    return true;
}
