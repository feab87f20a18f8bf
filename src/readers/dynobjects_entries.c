/* Parsing of the entries of OpenEdge logs.
 *
 *   [26/03/02@08:15:30.259+0100] P-024712 T-002860 2 4GL DYNOBJECTS     Created ...
 *   2026-03-02T08:15:30.259+0100 013309 013326 2 AS-1 ROOT:w:00000000 DYNOBJECTS     Created ...
 *
 * docs/formats/dynobjects.md names the sources of both layouts and of each kind of entry. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "readers/dynobjects.h"

enum { STAMP = 28, DAY_US_PER_SECOND = 1000000 };

/* The rest of a line that is being parsed. */
typedef struct cursor {
    const char *next, *end;
} cursor;

static mp_slice between(const char *from, const char *end)
{
    return mp_slice_trim((mp_slice){from, (size_t)(end - from)});
}

static mp_slice next_word(cursor *rest)
{
    while (rest->next < rest->end && *rest->next == ' ')
        rest->next++;
    const char *from = rest->next;
    while (rest->next < rest->end && *rest->next != ' ')
        rest->next++;
    return (mp_slice){from, (size_t)(rest->next - from)};
}

static const char *find_text(const char *from, const char *end, const char *text)
{
    return memmem(from, (size_t)(end - from), text, strlen(text));
}

static bool same(mp_slice word, const char *text)
{
    const size_t length = strlen(text);
    return word.length == length && memcmp(word.start, text, length) == 0;
}

static bool read_digits(const char *text, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = *value * 10 + (uint64_t)(text[i] - '0');
    }
    return length > 0 && length <= 18;
}

static bool read_hexadecimal(mp_slice text, uint64_t *value)
{
    *value = 0;
    if (text.length < 3 || text.length > 2 + 12 || text.start[0] != '0' ||
        (text.start[1] | 32) != 'x')
        return false;
    for (size_t i = 2; i < text.length; i++) {
        const char sign = text.start[i], letter = (char)(sign | 32);
        const bool digit = sign >= '0' && sign <= '9';
        if (!digit && (letter < 'a' || letter > 'f'))
            return false;
        *value = *value << 4 | (uint64_t)(digit ? sign - '0' : letter - 'a' + 10);
    }
    return true;
}

/* --- the head of an entry --- */

/* Convert the date and the time zone, "26/03/02" or "2026-03-02" and "+0100". */
static bool read_day(dyn_clock *clock, const char *date, size_t length, const char *zone)
{
    char text[sizeof clock->text] = {0}, stamp[40];
    memcpy(text, date, length);
    memcpy(text + length, zone, 5);
    if (memcmp(text, clock->text, sizeof text) == 0)
        return true;
    snprintf(stamp, sizeof stamp, "%s%.2s-%.2s-%.2sT00:00:00%.3s:%.2s", length == 8 ? "20" : "",
             date, date + 3, date + 6, zone, zone + 3);
    if (length == 10)
        snprintf(stamp, sizeof stamp, "%.10sT00:00:00%.3s:%.2s", date, zone, zone + 3);
    if (!mp_parse_stamp(stamp, &clock->midnight_us))
        return false;
    memcpy(clock->text, text, sizeof text);
    return true;
}

/* Read "08:15:30.259". */
static bool read_clock(const char *text, int64_t *us)
{
    uint64_t hours, minutes, seconds, thousandths;
    if (text[2] != ':' || text[5] != ':' || text[8] != '.' || !read_digits(text, 2, &hours) ||
        !read_digits(text + 3, 2, &minutes) || !read_digits(text + 6, 2, &seconds) ||
        !read_digits(text + 9, 3, &thousandths))
        return false;
    *us = (int64_t)((((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths) * 1000);
    return hours < 24 && minutes < 60 && seconds <= 60;
}

static bool read_time(dyn_clock *clock, mp_slice line, int64_t *time_us)
{
    const char *text = line.start;
    int64_t us;
    if (line.length <= STAMP)
        return false;
    const bool client = text[0] == '[' && text[3] == '/' && text[9] == '@' && text[27] == ']';
    const bool agent = text[4] == '-' && text[10] == 'T' && text[STAMP] == ' ';
    if (!client && !agent)
        return false;
    if (!read_day(clock, client ? text + 1 : text, client ? 8 : 10, text + (client ? 22 : 23)) ||
        !read_clock(text + (client ? 10 : 11), &us))
        return false;
    *time_us = clock->midnight_us + us;
    return true;
}

/* Read "P-024712" or "013309". */
static bool read_number(mp_slice word, const char *mark, uint64_t *number)
{
    const size_t length = mp_slice_starts(word, mark) ? strlen(mark) : 0;
    return read_digits(word.start + length, word.length - length, number);
}

static bool read_head(dyn_clock *clock, cursor *rest, dyn_entry *entry)
{
    const mp_slice line = {rest->next, (size_t)(rest->end - rest->next)};
    uint64_t thread, level;
    if (!read_time(clock, line, &entry->time_us))
        return false;
    entry->stamp = (mp_slice){line.start + (*line.start == '['), STAMP - 2 * (*line.start == '[')};
    rest->next += STAMP;
    const mp_slice process = next_word(rest);
    return read_number(process, "P-", &entry->process) && entry->process <= UINT32_MAX &&
           read_number(next_word(rest), "T-", &thread) && read_number(next_word(rest), "", &level);
}

bool dyn_parse_head(dyn_clock *clock, mp_slice line, dyn_entry *entry)
{
    cursor rest = {line.start, line.start + line.length};
    return read_head(clock, &rest, entry);
}

/* --- code --- */

/* Split "placeOrder shop.OrderService" into a name and a unit. "tt.p", a main block, has no
 * name. */
static dyn_routine routine_of(mp_slice text)
{
    const char *blank = memrchr(text.start, ' ', text.length);
    if (!blank)
        return (dyn_routine){.unit = text};
    const char *end = text.start + text.length;
    return (dyn_routine){between(text.start, blank), between(blank + 1, end)};
}

bool dyn_read_place(mp_slice text, mp_slice *routine, uint32_t *line)
{
    const char *end = text.start + text.length, *blank = memrchr(text.start, ' ', text.length);
    uint64_t number;
    if (!blank || !read_digits(blank + 1, (size_t)(end - blank - 1), &number) || number > INT32_MAX)
        return false;
    *line = (uint32_t)number;
    *routine = between(text.start, blank);
    const char *mark = memrchr(routine->start, ' ', routine->length);
    const char *word = mark ? mark + 1 : routine->start;
    const mp_slice last = between(word, routine->start + routine->length);
    if (!same(last, "@") && !same(last, "Line"))
        return false;
    *routine = between(routine->start, word);
    return true;
}

/* --- entries of objects --- */

static void bad(dyn_entry *entry, const char *wrong)
{
    entry->kind = DYN_BAD;
    entry->wrong = wrong;
}

/* Set the name and the pool from the text after the place of the object. */
static void read_attributes(dyn_entry *entry, const char *from, const char *end, bool named)
{
    const char *pool = find_text(from, end, "Pool:");
    if (pool)
        entry->pool = between(pool + 5, end);
    end = pool ? pool : end;
    if (named) {
        entry->name = between(from, end);
        return;
    }
    const char *table = find_text(from, end, "Table:"), *name = find_text(from, end, "Name:");
    if (!table && !name)
        return;
    cursor rest = {table ? table + 6 : name + 5, end};
    entry->name = next_word(&rest);
}

static dyn_kind kind_of(mp_slice action)
{
    static const struct {
        const char *action;
        dyn_kind kind;
    } actions[] = {
        {"Created", DYN_BIRTH},    {"Deleted", DYN_DEATH},     {"Deleted-by-GC", DYN_DEATH},
        {"Allocated", DYN_BIRTH},  {"Deallocated", DYN_DEATH}, {"Cached", DYN_KEPT},
        {"Purged", DYN_KEPT},      {"Delete", DYN_NOTHING}, /* "Delete Pending" */
        {"Creating", DYN_NOTHING},                          /* an entry about a pool */
        {"Deleting", DYN_NOTHING},
    };
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (same(action, actions[i].action))
            return actions[i].kind;
    return DYN_BAD;
}

/* Read "0x7F0338101000 size: 816". */
static bool read_memory(dyn_entry *entry, mp_slice id, cursor *rest)
{
    uint64_t bytes;
    const mp_slice mark = next_word(rest), size = next_word(rest);
    if (!read_hexadecimal(id, &entry->id) || !same(mark, "size:") ||
        !read_digits(size.start, size.length, &bytes))
        return false;
    entry->bytes = (int64_t)bytes;
    return true;
}

/* Read the text after the type of an object: its id, place and attributes. */
static void read_object(dyn_entry *entry, mp_slice id, cursor *rest)
{
    const bool memory = same(entry->type, "MEMPTR");
    mp_slice routine;
    if (memory &&
        mp_slice_starts(id, "Handle:")) { /* repeats another entry, which has an address */
        entry->kind = DYN_NOTHING;
        return;
    }
    if (memory ? !read_memory(entry, id, rest)
               : !mp_slice_starts(id, "Handle:") ||
                     !read_digits(id.start + 7, id.length - 7, &entry->id) ||
                     entry->id >> DYN_ID_BITS) {
        bad(entry, memory ? "its memory has no address and size, expected 0xADDRESS size: BYTES"
                          : "its object has no handle, expected Handle:NUMBER");
        return;
    }
    const char *open = memchr(rest->next, '(', (size_t)(rest->end - rest->next));
    const char *close = open ? memchr(open, ')', (size_t)(rest->end - open)) : NULL;
    if (!close && entry->kind != DYN_BIRTH)
        return;
    if (!close || !dyn_read_place(between(open + 1, close), &routine, &entry->line)) {
        bad(entry, "it has no place, expected (ROUTINE @ LINE)");
        return;
    }
    entry->routine = routine_of(routine);
    const bool procedure = same(entry->type, "PROCEDURE");
    const bool class =
        same(entry->type, "Progress.Lang.Object") || same(entry->type, ".NET Object");
    read_attributes(entry, close + 1, rest->end, procedure || class);
    const bool starts = procedure && entry->kind == DYN_BIRTH && !routine.length && !entry->line;
    const bool implicit =
        same(entry->type, "BUFFER") && find_text(close, rest->end, " IMPLICIT") != NULL;
    if (starts || implicit)
        entry->kind = DYN_NOTHING;
}

static void read_dynamic(dyn_entry *entry, cursor *rest)
{
    entry->kind = kind_of(next_word(rest));
    if (entry->kind == DYN_BAD)
        entry->wrong = "it has an unknown action, expected Created, Deleted, Allocated or another "
                       "that the format describes";
    if (entry->kind == DYN_BAD || entry->kind == DYN_NOTHING)
        return;
    entry->type = next_word(rest);
    if (same(entry->type, "LONGCHAR") || same(entry->type, "LONGCHAR/MEMPTR"))
        /* An allocation may name both types, but its deletion names only one of them. */
        entry->type = mp_slice_of("MEMPTR");
    mp_slice id = next_word(rest);
    if (same(entry->type, ".NET")) {
        entry->type = mp_slice_of(".NET Object");
        id = next_word(rest);
    }
    read_object(entry, id, rest);
}

/* --- entries of calls --- */

static bool is_one_of(mp_slice word, const char *const *words)
{
    for (; *words; words++)
        if (same(word, *words))
            return true;
    return false;
}

/* Read "[CALLER - UNIT @ LINE]" at the end of a call entry. */
static bool read_caller(dyn_entry *entry, mp_slice text)
{
    mp_slice caller;
    if (!dyn_read_place(text, &caller, &entry->line))
        return false;
    const char *dash = find_text(caller.start, caller.start + caller.length, " - ");
    entry->routine.unit = dash ? between(dash + 3, caller.start + caller.length) : caller;
    if (dash && !same(between(caller.start, dash), "Main Block"))
        entry->routine.name = between(caller.start, dash);
    return true;
}

/* Set the name of the called code from "Run shop/price.p", "Invoke read in shop.Import" or "Run
 * helper". */
static void read_callee(dyn_entry *entry, mp_slice action, cursor *rest)
{
    const mp_slice name = next_word(rest), in = next_word(rest);
    const bool run = same(action, "Run"), file = memchr(name.start, '.', name.length) != NULL;
    if (same(in, "in"))
        entry->callee = (dyn_routine){name, next_word(rest)};
    else if ((run && file) || same(action, "New") || same(action, "Delete"))
        entry->callee = (dyn_routine){.unit = name};
    else
        entry->callee = (dyn_routine){name, entry->routine.unit};
}

static void read_call(dyn_entry *entry, cursor *rest)
{
    static const char *const calls[] = {"Run", "Func",  "Function", "Invoke", "Invoke",
                                        "New", "Super", "Delete",   NULL};
    const mp_slice action = next_word(rest);
    const char *open = memrchr(rest->next, '[', (size_t)(rest->end - rest->next));
    const char *close = open ? memchr(open, ']', (size_t)(rest->end - open)) : NULL;
    if (!close)
        return;
    const mp_slice inside = between(open + 1, close);
    if (is_one_of(action, calls) && read_caller(entry, inside)) {
        read_callee(entry, action, rest);
        entry->kind = DYN_CALL;
    } else if (same(action, "Return") && same(next_word(rest), "from")) {
        const char *quote = memchr(rest->next, '"', (size_t)(open - rest->next));
        const mp_slice name = between(rest->next, quote ? quote : open);
        entry->callee.unit = inside;
        if (!same(name, "Main Block"))
            entry->callee.name = name;
        entry->kind = DYN_RETURN;
    }
}

void dyn_parse(dyn_clock *clock, mp_slice line, dyn_entry *entry)
{
    cursor rest = {line.start, line.start + line.length};
    *entry = (dyn_entry){.kind = DYN_OTHER};
    if (!read_head(clock, &rest, entry)) {
        if (find_text(rest.next, rest.end, " DYNOBJECTS "))
            bad(entry, "it does not begin with a time, a process, a thread and a level");
        return;
    }
    mp_slice word = next_word(&rest); /* "4GL", "AS-1" or another word */
    if (mp_slice_starts(word, "AS-"))
        entry->session = word;
    word = next_word(&rest);
    if (entry->session.length && !same(word, "DYNOBJECTS") && !same(word, "4GLTRACE")) {
        if (word.length && *word.start != '?')
            entry->request = word;
        word = next_word(&rest);
    }
    if (same(word, "DYNOBJECTS"))
        read_dynamic(entry, &rest);
    else if (same(word, "4GLTRACE"))
        read_call(entry, &rest);
}
