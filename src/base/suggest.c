#include "base/suggest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Return the names in a folder except hidden ones, sorted so that the result does not depend on the
 * file system. */
static const char **names_in(mp_arena *arena, const char *folder, size_t *count)
{
    const char **names = NULL;
    size_t capacity = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (*entry->d_name == '.')
            continue;
        mp_grow(&names, &capacity, *count + 1, sizeof *names);
        names[(*count)++] = mp_arena_copy(arena, entry->d_name, strlen(entry->d_name));
    }
    if (directory)
        closedir(directory);
    if (names)
        qsort(names, *count, sizeof *names, mp_text_order);
    return names;
}

const char *mp_suggest_file(const char *path, char *text, size_t size)
{
    mp_arena arena = {0};
    size_t count = 0;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int length = (int)(name - path);
    const char **names =
        names_in(&arena, slash ? mp_arena_copy(&arena, path, (size_t)length) : ".", &count);
    const char *nearest = mp_text_nearest(name, names, count);
    *text = '\0';
    if (nearest)
        snprintf(text, size, "; did you mean '%.*s%s'?", length, path, nearest);
    free(names);
    mp_arena_free(&arena);
    return text;
}
