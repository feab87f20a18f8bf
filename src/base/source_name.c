#include "base/source_name.h"

#include <string.h>

#include "base/text.h"

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* Return the recorded path with slashes as separators, and without drive, `.`, `..` and empty
 * parts, so that it cannot lead out of a folder. */
static mp_slice relative_path(mp_arena *arena, mp_slice recorded)
{
    char *path = mp_arena_alloc(arena, recorded.length + 1);
    size_t length = 0;
    for (size_t i = 0; i < recorded.length;) {
        size_t from = i;
        while (i < recorded.length && !is_separator(recorded.start[i]))
            i++;
        mp_slice part = {recorded.start + from, i - from};
        i += i < recorded.length;
        if (from == 0 && part.length == 2 && part.start[1] == ':')
            continue;
        if (part.length == 0 || mp_slice_is(part, ".") || mp_slice_is(part, ".."))
            continue;
        if (length)
            path[length++] = '/';
        memcpy(path + length, part.start, part.length);
        length += part.length;
    }
    return (mp_slice){path, length};
}

/* Return the path without its ending, if that is the ending of a source or of r-code. *ending is
 * the ending, or NULL. */
static mp_slice without_ending(mp_slice path, const char **ending)
{
    static const char *const endings[] = {".p", ".w", ".r", ".cls"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (path.length > length &&
            mp_slice_is((mp_slice){path.start + path.length - length, length}, endings[i])) {
            *ending = endings[i];
            return (mp_slice){path.start, path.length - length};
        }
    }
    *ending = NULL;
    return path;
}

static mp_slice base_of(mp_slice path, char separator)
{
    for (size_t i = path.length; i-- > 0;)
        if (path.start[i] == separator)
            return (mp_slice){path.start + i + 1, path.length - i - 1};
    return path;
}

/* Replace dots between the parts of a class name by slashes. Dots next to a separator or another
 * dot stay, because replacing them would produce folders that were not recorded. */
static mp_slice class_path(mp_arena *arena, mp_slice name)
{
    char *path = mp_arena_copy(arena, name.start, name.length);
    for (size_t i = 1; i + 1 < name.length; i++)
        if (name.start[i] == '.' && !strchr("./", name.start[i - 1]) &&
            !strchr("./", name.start[i + 1]))
            path[i] = '/';
    return (mp_slice){path, name.length};
}

static mp_slice joined(mp_arena *arena, mp_slice stem, const char *ending)
{
    if (stem.length == 0)
        return stem;
    return mp_slice_of(mp_arena_format(arena, "%.*s%s", (int)stem.length, stem.start, ending));
}

/* Return the ending of the source. A program without ending is a class; r-code comes from a
 * procedure. */
static const char *source_ending(const char *recorded)
{
    return !recorded ? ".cls" : mp_text_is(recorded, ".r") ? ".p" : recorded;
}

void mp_source_names(mp_arena *arena, const char *program, const char *ending,
                     mp_slice names[MP_SOURCE_NAMES])
{
    const char *recorded;
    mp_slice path = without_ending(relative_path(arena, mp_slice_of(program)), &recorded);
    mp_slice class_name = recorded ? path : class_path(arena, path);
    mp_slice stems[MP_SOURCE_NAMES] = {class_name, path, base_of(class_name, '/'),
                                       base_of(path, '/')};
    for (size_t i = 0; i < MP_SOURCE_NAMES; i++)
        names[i] = joined(arena, stems[i], ending ? ending : source_ending(recorded));
    if (ending || recorded)
        return;
    names[1] = joined(arena, path, ""); /* the name may be that of a file in another language */
    names[3] = joined(arena, base_of(path, '/'), "");
}

const char *mp_source_path(mp_arena *arena, const char *program)
{
    const char *recorded;
    char *path = mp_arena_copy(arena, program, strlen(program));
    for (char *p = path; *p; p++)
        *p = *p == '\\' ? '/' : *p;
    mp_slice stem = without_ending(mp_slice_of(path), &recorded);
    if (recorded || strpbrk(program, "/\\: "))
        return path;
    mp_slice class_name = class_path(arena, stem);
    return mp_arena_format(arena, "%.*s.cls", (int)class_name.length, class_name.start);
}
