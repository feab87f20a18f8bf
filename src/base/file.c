#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

bool mp_file_read(const char *path, char **text, size_t *length, mp_error *error)
{
    size_t capacity = 0, got = 1;
    FILE *file = fopen(path, "r");
    *text = NULL;
    *length = 0;
    while (file && got) {
        mp_grow(text, &capacity, *length + 4096, 1);
        got = fread(*text + *length, 1, capacity - *length, file);
        *length += got;
    }
    bool ok = file && !ferror(file);
    if (!ok) {
        mp_fail_file(error, path, 0, 0, "cannot read: %s", strerror(errno));
        error->code = MP_ERROR_INPUT;
    }
    if (file)
        fclose(file);
    return ok;
}
