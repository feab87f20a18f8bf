/* Suffixes of file names that show how a file is packed, for files that are not opened. */
#include <string.h>
#include <strings.h>

#include "input/input.h"

/* Return the length of the suffix in `endings` that ends the name, ignoring case; 0 if there is
 * none. */
static size_t ending_of(const char *name, size_t length, const char *const *endings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && strncasecmp(name + length - ending, endings[i], ending) == 0)
            return ending;
    }
    return 0;
}

/* Return the length of a suffix for a single compressed file; 0: there is none. */
static size_t compression(const char *name, size_t length)
{
    static const char *const endings[] = {".gz", ".bz2", ".xz", ".zst", ".lz4"};
    return ending_of(name, length, endings, sizeof endings / sizeof *endings);
}

size_t mp_input_name_length(const char *name, size_t length)
{
    return length - compression(name, length);
}

bool mp_input_is_named_packed(const char *name)
{
    static const char *const archives[] = {".zip", ".7z",   ".tar", ".tgz",
                                           ".tbz", ".tbz2", ".txz", ".tzst"};
    const size_t length = strlen(name);
    return compression(name, length) ||
           ending_of(name, length, archives, sizeof archives / sizeof *archives);
}
