#include "sql/functions.h"

#include <string.h>

#include "base/glob.h"
#include "base/text.h"
#include "query/labels.h"

/* Functions of SQLite whose time and memory are proportional to their arguments, and which read
 * nothing else. Functions for JSON, full-text search and extensions are not among them. */
static const char *const builtins[] = {
    "abs",         "acos",       "acosh",        "asin",         "asinh",
    "atan",        "atan2",      "atanh",        "avg",          "ceil",
    "ceiling",     "char",       "coalesce",     "cos",          "cosh",
    "count",       "cume_dist",  "current_date", "current_time", "current_timestamp",
    "date",        "datetime",   "degrees",      "dense_rank",   "exp",
    "first_value", "floor",      "group_concat", "hex",          "ifnull",
    "iif",         "julianday",  "lag",          "last_value",   "lead",
    "length",      "likelihood", "likely",       "ln",           "log",
    "log10",       "log2",       "lower",        "max",          "min",
    "mod",         "nth_value",  "ntile",        "nullif",       "percent_rank",
    "pi",          "pow",        "power",        "quote",        "radians",
    "random",      "randomblob", "rank",         "round",        "row_number",
    "sign",        "sin",        "sinh",         "sqrt",         "strftime",
    "substr",      "substring",  "sum",          "tan",          "tanh",
    "time",        "total",      "trunc",        "typeof",       "unicode",
    "unixepoch",   "unlikely",   "upper",        "zeroblob"};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

static const char *text_of(sqlite3_value *value)
{
    return (const char *)sqlite3_value_text(value);
}

/* --- sizes and names --- */

/* bytes('64 KiB') */
static void parse_size(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    const char *text = text_of(values[0]);
    int64_t bytes;
    if (text && mp_parse_bytes(text, &bytes))
        sqlite3_result_int64(result, bytes);
    else if (text)
        sqlite3_result_error(result, "bytes() takes a size such as '64K' or '1.5MiB'", -1);
}

/* human(65536) */
static void format_size(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    char text[MP_UNIT_TEXT];
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    mp_format_bytes(text, sqlite3_value_int64(values[0]), false, false);
    sqlite3_result_text(result, text, -1, SQLITE_TRANSIENT);
}

/* namespace('App.Orders.Order') */
static void cut_namespace(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    const char *name = text_of(values[0]);
    const size_t length = name ? mp_namespace_length(name) : 0;
    if (name)
        sqlite3_result_text(result, name, (int)length, SQLITE_TRANSIENT);
}

/* --- patterns --- */

/* Match a pattern as options do: `x GLOB pattern` is glob(pattern, x). */
static void match_glob(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    const char *pattern = text_of(values[0]), *text = text_of(values[1]);
    if (pattern && strlen(pattern) > MP_SQL_LONGEST_PATTERN)
        sqlite3_result_error(result, "the pattern is too long", -1);
    else if (pattern && text)
        sqlite3_result_int(result, mp_glob_fits(pattern, text, 0));
}

/* Translate a pattern of LIKE to a glob. */
static void translate_pattern(const char *pattern, char escape, char *glob)
{
    for (; *pattern; pattern++) {
        const bool quoted = escape && *pattern == escape && pattern[1];
        pattern += quoted;
        if (!quoted && *pattern == '%') {
            *glob++ = '*';
        } else if (!quoted && *pattern == '_') {
            *glob++ = '?';
        } else {
            if (strchr("*?[\\", *pattern))
                *glob++ = '\\';
            *glob++ = *pattern;
        }
    }
    *glob = '\0';
}

/* Match like `x LIKE pattern ESCAPE e`, which SQLite calls as like(pattern, x, e). SQLite's own
 * function needs exponential time. */
static void match_like(sqlite3_context *result, int count, sqlite3_value **values)
{
    const char *pattern = text_of(values[0]), *text = text_of(values[1]);
    const char *escape = count > 2 ? text_of(values[2]) : "";
    char glob[2 * MP_SQL_LONGEST_PATTERN + 1];
    if (!pattern || !text || !escape)
        return;
    if (strlen(pattern) > MP_SQL_LONGEST_PATTERN) {
        sqlite3_result_error(result, "the pattern is too long", -1);
    } else if (strlen(escape) > 1 || (count > 2 && !*escape)) {
        sqlite3_result_error(result, "ESCAPE takes one ASCII character", -1);
    } else {
        translate_pattern(pattern, *escape, glob);
        sqlite3_result_int(result, mp_glob_fits(glob, text, MP_GLOB_ANY_CASE));
    }
}

/* --- texts --- */

static bool is_first_byte(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

/* instr(text, part): return the position of the first character of `part`, from 1; 0 if there is
 * none. */
static void find_part(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    const bool blobs = sqlite3_value_type(values[0]) == SQLITE_BLOB &&
                       sqlite3_value_type(values[1]) == SQLITE_BLOB;
    const char *text = blobs ? sqlite3_value_blob(values[0]) : text_of(values[0]);
    const char *part = blobs ? sqlite3_value_blob(values[1]) : text_of(values[1]);
    const size_t length = (size_t)sqlite3_value_bytes(values[0]);
    if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
        sqlite3_value_type(values[1]) == SQLITE_NULL)
        return;
    const char *found =
        text && part ? memmem(text, length, part, (size_t)sqlite3_value_bytes(values[1])) : text;
    sqlite3_int64 place = part && !found ? 0 : 1;
    for (; found && text < found; text++)
        place += blobs || is_first_byte(*text);
    sqlite3_result_int64(result, place);
}

/* Return the text as the result, or an error if it is longer than SQLite allows. */
static void return_text(sqlite3_context *result, sqlite3_str *text)
{
    const int code = sqlite3_str_errcode(text);
    const int length = sqlite3_str_length(text);
    char *made = sqlite3_str_finish(text);
    if (code == SQLITE_TOOBIG)
        sqlite3_result_error_toobig(result);
    else if (code != SQLITE_OK)
        sqlite3_result_error_nomem(result);
    else
        sqlite3_result_text(result, made ? made : "", length, SQLITE_TRANSIENT);
    sqlite3_free(made);
}

/* replace(text, part, other) */
static void replace_parts(sqlite3_context *result, int count, sqlite3_value **values)
{
    (void)count;
    const char *text = text_of(values[0]), *part = text_of(values[1]), *other = text_of(values[2]);
    if (!text || !part || !other)
        return;
    const char *end = text + sqlite3_value_bytes(values[0]), *found;
    const size_t length = (size_t)sqlite3_value_bytes(values[1]);
    const int added = sqlite3_value_bytes(values[2]);
    sqlite3_str *made = sqlite3_str_new(sqlite3_context_db_handle(result));
    while (length && sqlite3_str_errcode(made) == SQLITE_OK &&
           (found = memmem(text, (size_t)(end - text), part, length))) {
        sqlite3_str_append(made, text, (int)(found - text));
        sqlite3_str_append(made, other, added);
        text = found + length;
    }
    sqlite3_str_append(made, text, (int)(end - text));
    return_text(result, made);
}

/* Return the number of bytes of the character that begins at `text`. */
static size_t character_length(const char *text, const char *end)
{
    size_t length = 1;
    while (text + length < end && !is_first_byte(text[length]))
        length++;
    return length;
}

enum { TRIM_LEFT = 1, TRIM_RIGHT = 2, OF_TABLES = 4 };

/* Remove characters: trim(text), trim(text, characters), and the same at one end. */
static void trim_ends(sqlite3_context *result, int count, sqlite3_value **values)
{
    const intptr_t ends = (intptr_t)sqlite3_user_data(result);
    const char *text = text_of(values[0]), *set = count > 1 ? text_of(values[1]) : " ";
    if (!text || !set)
        return;
    const char *end = text + sqlite3_value_bytes(values[0]);
    const size_t size = count > 1 ? (size_t)sqlite3_value_bytes(values[1]) : 1;
    if (size > MP_SQL_LONGEST_PATTERN) {
        sqlite3_result_error(result, "trim() takes fewer characters to remove", -1);
        return;
    }
    while (ends & TRIM_LEFT && text < end) {
        const size_t length = character_length(text, end);
        if (!memmem(set, size, text, length))
            break;
        text += length;
    }
    while (ends & TRIM_RIGHT && text < end) {
        const char *last = end - 1;
        while (last > text && !is_first_byte(*last))
            last--;
        if (!memmem(set, size, last, (size_t)(end - last)))
            break;
        end = last;
    }
    sqlite3_result_text(result, text, (int)(end - text), SQLITE_TRANSIENT);
}

/* --- formats --- */

enum { LONGEST_DIRECTIVE = 16 };

/* Read the directive after a % up to its conversion, such as "%-10.2f", and move *format to the
 * text after it. Return the conversion; 0 if it is not supported. Widths have at most three
 * digits. */
static char read_directive(const char **format, char directive[LONGEST_DIRECTIVE])
{
    const size_t flags = strspn(*format, "-+ 0,#!");
    const char *cursor = *format + flags;
    const size_t width = strspn(cursor, "0123456789");
    cursor += width;
    const size_t precision = *cursor == '.' ? strspn(cursor + 1, "0123456789") : 0;
    cursor += *cursor == '.' ? precision + 1 : 0;
    const size_t length = (size_t)(cursor - *format);
    if (flags > 3 || width > 3 || precision > 3 || !*cursor || !strchr("dixXofeEgGsqQ", *cursor))
        return 0;
    char *end = directive;
    *end++ = '%';
    end = (char *)mempcpy(end, *format, length);
    if (strchr("dixXo", *cursor))
        end = stpcpy(end, "ll");
    *end++ = *cursor;
    *end = '\0';
    *format = cursor + 1;
    return *cursor;
}

/* printf(format, ...) and format(format, ...), with bounded widths. */
static void format_values(sqlite3_context *result, int count, sqlite3_value **values)
{
    const char *format = count ? text_of(values[0]) : NULL;
    int next = 1;
    if (!format)
        return;
    sqlite3_str *made = sqlite3_str_new(sqlite3_context_db_handle(result));
    while (*format) {
        char directive[LONGEST_DIRECTIVE];
        const size_t plain = strcspn(format, "%");
        sqlite3_str_append(made, format, (int)plain);
        format += plain;
        if (format[0] == '%' && format[1] == '%') {
            sqlite3_str_append(made, "%", 1);
            format += 2;
            continue;
        }
        if (!*format)
            break;
        format++;
        const char conversion = read_directive(&format, directive);
        sqlite3_value *value = next < count ? values[next++] : NULL;
        if (!conversion) {
            sqlite3_free(sqlite3_str_finish(made));
            sqlite3_result_error(result,
                                 "printf() takes %d, %f, %s and others of C, with widths "
                                 "below 1000",
                                 -1);
            return;
        }
        if (strchr("dixXo", conversion))
            sqlite3_str_appendf(made, directive, value ? sqlite3_value_int64(value) : 0);
        else if (strchr("feEgG", conversion))
            sqlite3_str_appendf(made, directive, value ? sqlite3_value_double(value) : 0.0);
        else
            sqlite3_str_appendf(made, directive, value ? text_of(value) : "");
    }
    return_text(result, made);
}

/* --- objects of heap dumps --- */

/* Return the recording to which the objects of a call belong: the named one, or the only one with a
 * heap dump. NULL after an error. */
static mp_relation_source *source_of(sqlite3_context *result, sqlite3_value *name)
{
    const mp_sql_tables *tables = sqlite3_user_data(result);
    const char *wanted = name ? text_of(name) : NULL;
    mp_relation_source *found = NULL;
    size_t dumps = 0;
    for (size_t i = 0; i < tables->count; i++) {
        const mp_sql_recording *recording = &tables->recordings[i];
        if (!mp_relation_fits(&mp_relation_objects, recording->source) ||
            (wanted && !(recording->name && strcmp(recording->name, wanted) == 0)))
            continue;
        found = recording->source;
        dumps++;
    }
    if (dumps == 1)
        return found;
    sqlite3_result_error(result,
                         dumps ? "several recordings have objects: name one, as in "
                                 "path(object, recording)"
                               : "no recording has objects: expected a heap dump",
                         -1);
    return NULL;
}

/* within(object, dominator) */
static void test_within(sqlite3_context *result, int count, sqlite3_value **values)
{
    const char *object = text_of(values[0]), *dominator = text_of(values[1]);
    mp_relation_source *source = source_of(result, count > 2 ? values[2] : NULL);
    bool within;
    if (source && object && dominator && mp_relation_within(source, object, dominator, &within))
        sqlite3_result_int(result, within);
}

/* path(object) */
static void find_path(sqlite3_context *result, int count, sqlite3_value **values)
{
    const char *object = text_of(values[0]);
    mp_relation_source *source = source_of(result, count > 1 ? values[1] : NULL);
    mp_arena texts = {0};
    const char *path = source && object ? mp_relation_path(source, object, &texts) : NULL;
    if (path)
        sqlite3_result_text(result, path, -1, SQLITE_TRANSIENT);
    mp_arena_free(&texts);
}

/* --- all of them --- */

static const struct {
    const char *name;
    int arguments; /* -1: any number of arguments */
    void (*run)(sqlite3_context *, int, sqlite3_value **);
    intptr_t data; /* OF_TABLES: a pointer to the tables is used instead */
} functions[] = {{"bytes", 1, parse_size, 0},
                 {"human", 1, format_size, 0},
                 {"namespace", 1, cut_namespace, 0},
                 {"glob", 2, match_glob, 0},
                 {"within", 2, test_within, OF_TABLES},
                 {"within", 3, test_within, OF_TABLES},
                 {"path", 1, find_path, OF_TABLES},
                 {"path", 2, find_path, OF_TABLES},
                 {"like", 2, match_like, 0},
                 {"like", 3, match_like, 0},
                 {"instr", 2, find_part, 0},
                 {"replace", 3, replace_parts, 0},
                 {"trim", 1, trim_ends, TRIM_LEFT | TRIM_RIGHT},
                 {"trim", 2, trim_ends, TRIM_LEFT | TRIM_RIGHT},
                 {"ltrim", 1, trim_ends, TRIM_LEFT},
                 {"ltrim", 2, trim_ends, TRIM_LEFT},
                 {"rtrim", 1, trim_ends, TRIM_RIGHT},
                 {"rtrim", 2, trim_ends, TRIM_RIGHT},
                 {"printf", -1, format_values, 0},
                 {"format", -1, format_values, 0}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

int mp_sql_add_functions(sqlite3 *database, mp_sql_tables *tables)
{
    const int how = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int result = SQLITE_OK;
    for (size_t i = 0; result == SQLITE_OK && i < FUNCTIONS; i++) {
        void *data = functions[i].data == OF_TABLES ? tables : (void *)functions[i].data;
        result = sqlite3_create_function(database, functions[i].name, functions[i].arguments, how,
                                         data, functions[i].run, NULL, NULL);
    }
    return result;
}

const char *mp_sql_function(size_t place)
{
    return place < BUILTINS               ? builtins[place]
           : place < BUILTINS + FUNCTIONS ? functions[place - BUILTINS].name
                                          : NULL;
}

bool mp_sql_may_call(const char *name)
{
    bool may = false;
    for (size_t i = 0; !may && mp_sql_function(i); i++)
        may = sqlite3_stricmp(mp_sql_function(i), name) == 0;
    return may;
}
