#include "session/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "base/units.h"
#include "input/libarchive.h"

enum { BLOCK = 128 * 1024, DAY_SECONDS = 86400 };

static bool fail(mp_error *error, const char *path)
{
    return mp_fail_file(error, path, 0, 0, "%s", strerror(errno));
}

/* --- places --- */

static size_t read_block(void *opaque, char *bytes, size_t room)
{
    return fread(bytes, 1, room, opaque);
}

/* Return the folder of a day as text, from seconds since 1970. */
static void day_text(time_t seconds, char text[16])
{
    struct tm date;
    gmtime_r(&seconds, &date);
    strftime(text, 16, "%Y-%m-%d", &date);
}

bool mp_archive_find(const char *archive, const char *path, mp_archive_place *place,
                     mp_error *error)
{
    struct stat status;
    char day[16], sum[MP_CHECKSUM_TEXT];
    *place = (mp_archive_place){NULL, NULL, NULL};
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0) {
        fail(error, path);
        if (file)
            fclose(file);
        return false;
    }
    const mp_checksum checksum = mp_checksum_of(read_block, file);
    const bool is_read = !ferror(file);
    fclose(file);
    if (!is_read)
        return fail(error, path);
    day_text(status.st_mtime, day);
    mp_arena texts = {0};
    const char *folder = mp_arena_format(&texts, "%s/%s", archive, day);
    const char *name = mp_arena_format(&texts, "%s.%s", mp_file_name(path),
                                       strchr(mp_checksum_text(&checksum, sum), ':') + 1);
#ifdef MEMPROF_ARCHIVE
    const char *target = mp_arena_format(&texts, "%s/%s.zst", folder, name);
#else
    const char *target = mp_arena_format(&texts, "%s/%s", folder, name);
#endif
    *place = (mp_archive_place){mp_copy(folder, strlen(folder)), mp_copy(name, strlen(name)),
                                mp_copy(target, strlen(target))};
    mp_arena_free(&texts);
    if ((mkdir(archive, 0777) == 0 || errno == EEXIST) &&
        (mkdir(place->folder, 0777) == 0 || errno == EEXIST))
        return true;
    return fail(error, place->folder);
}

void mp_archive_place_free(mp_archive_place *place)
{
    MP_FREE(place->folder, place->name, place->path);
}

/* --- compression --- */

#ifdef MEMPROF_ARCHIVE
/* Write the file compressed. Return NULL, or why the compression failed. Errors of the streams stay
 * in them. */
static const char *copy(FILE *source, FILE *target)
{
    const char *lacks = mp_libarchive_load();
    if (lacks)
        return lacks;
    char *block = mp_alloc(BLOCK), *packed = mp_alloc(BLOCK);
    ZSTD_CCtx *context = mp_la.ZSTD_createCCtx();
    bool ok = context &&
              !mp_la.ZSTD_isError(mp_la.ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
    for (bool ended = false; ok && !ended && !ferror(target);) {
        ZSTD_inBuffer input = {block, fread(block, 1, BLOCK, source), 0};
        ended = input.size < BLOCK;
        for (size_t left = 1; ok && (ended ? left : input.pos < input.size);) {
            ZSTD_outBuffer output = {packed, BLOCK, 0};
            left = mp_la.ZSTD_compressStream2(context, &output, &input,
                                              ended ? ZSTD_e_end : ZSTD_e_continue);
            ok = !mp_la.ZSTD_isError(left);
            fwrite(packed, 1, output.pos, target);
        }
    }
    mp_la.ZSTD_freeCCtx(context);
    free(block);
    free(packed);
    return ok ? NULL : "no memory";
}
#else
static const char *copy(FILE *source, FILE *target)
{
    char *block = mp_alloc(BLOCK);
    for (size_t length; (length = fread(block, 1, BLOCK, source)) > 0;)
        fwrite(block, 1, length, target);
    free(block);
    return NULL;
}
#endif

/* Flush a folder to disk, so that its entries survive a crash. */
static bool sync_folder(const char *folder, mp_error *error)
{
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool ok = descriptor >= 0 && fsync(descriptor) == 0;
    if (!ok)
        fail(error, folder);
    if (descriptor >= 0)
        close(descriptor);
    return ok;
}

bool mp_archive_put(const char *path, const mp_archive_place *place, mp_error *error)
{
    struct stat status;
    mp_output output;
    mp_error closing = {0};
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0 ||
        !mp_output_open(&output, place->path, error)) {
        if (!error->code)
            fail(error, path);
        if (file)
            fclose(file);
        return false;
    }
    const char *why = copy(file, output.file);
    bool ok = !why && !ferror(file);
    if (!ok)
        mp_fail_file(error, path, 0, 0, "cannot be compressed: %s", why ? why : strerror(errno));
    fclose(file);
    ok = mp_output_close(&output, ok, ok ? error : &closing) && ok;
    if (!ok)
        return false;
    const struct timespec times[] = {status.st_mtim, status.st_mtim};
    utimensat(AT_FDCWD, place->path, times,
              0); /* if this fails, only the age of the file is wrong */
    return sync_folder(place->folder, error);
}

/* --- limits --- */

bool mp_archive_limits_parse(const char *text, mp_archive_limits *limits)
{
    char *unit;
    const long long number = strtoll(text, &unit, 10);
    *limits = (mp_archive_limits){0, 0};
    if (*text >= '1' && *text <= '9' && number < INT32_MAX &&
        (strcmp(unit, "d") == 0 || strcmp(unit, "days") == 0)) {
        limits->days = number;
        return true;
    }
    /* a number without a unit could mean bytes or days */
    return strpbrk(text, "BKMGTbkmgt") && mp_parse_bytes(text, &limits->bytes) && limits->bytes > 0;
}

/* A file of the archive. */
typedef struct archived_file {
    char *path;
    int64_t bytes;
} archived_file;

typedef struct archived_files {
    archived_file *items;
    size_t count, capacity;
    int64_t bytes;
} archived_files;

/* Return true for the folder of a day, such as "2026-03-02". */
static int is_day(const struct dirent *entry)
{
    const char *name = entry->d_name;
    for (size_t i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? name[i] != '-' : name[i] < '0' || name[i] > '9')
            return false;
    return !name[10];
}

/* Return true for the name of an archived file: it ends with a dot, the digits of a checksum, and
 * the ending of the compression or of a baseline. */
static int is_archived(const struct dirent *entry)
{
    static const char *const endings[] = {"", ".zst", ".baseline"};
    enum { DIGITS = 32 };
    const char *name = entry->d_name;
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t ending = strlen(endings[i]);
        if (length <= DIGITS + 1 + ending || strcmp(name + length - ending, endings[i]) != 0)
            continue;
        const char *digits = name + length - ending - DIGITS;
        if (digits[-1] == '.' && strspn(digits, "0123456789abcdef") == DIGITS)
            return true;
    }
    return false;
}

/* Return the paths of the entries of a folder that `is_wanted` accepts, sorted by name; NULL: there
 * are none. */
static char **list(const char *folder, int (*is_wanted)(const struct dirent *), int *count)
{
    struct dirent **entries;
    *count = scandir(folder, &entries, is_wanted, alphasort);
    if (*count < 0) {
        *count = 0;
        return NULL;
    }
    char **paths = mp_alloc(((size_t)*count + 1) * sizeof *paths);
    for (int i = 0; i < *count; i++) {
        const size_t size = strlen(folder) + strlen(entries[i]->d_name) + 2;
        paths[i] = mp_alloc(size);
        snprintf(paths[i], size, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return paths;
}

/* Add the archived files of a day's folder, in the order of their names. Other files must not be
 * removed. */
static void add_files(archived_files *files, const char *folder)
{
    int count;
    char **paths = list(folder, is_archived, &count);
    for (int i = 0; i < count; i++) {
        struct stat status;
        if (stat(paths[i], &status) != 0 || !S_ISREG(status.st_mode)) {
            free(paths[i]);
            continue;
        }
        *MP_APPEND(files->items, files->count, files->capacity) =
            (archived_file){paths[i], status.st_size};
        files->bytes += status.st_size;
    }
    free(paths);
}

/* Return true if the folder is of a day before the first one that is kept. */
static bool is_expired(const char *folder, int64_t days)
{
    char first[16];
    day_text(time(NULL) - (time_t)(days - 1) * DAY_SECONDS, first);
    return days && strcmp(strrchr(folder, '/') + 1, first) < 0;
}

bool mp_archive_trim(const char *archive, const mp_archive_limits *limits, mp_error *error)
{
    int count;
    char **folders = list(archive, is_day, &count);
    archived_files files = {0};
    size_t expired = 0, removed = 0;
    bool ok = true;
    for (int i = 0; i < count; i++) {
        add_files(&files, folders[i]);
        if (is_expired(folders[i], limits->days))
            expired = files.count;
    }
    for (; ok && removed < files.count; removed++) {
        if (removed >= expired && (!limits->bytes || files.bytes <= limits->bytes))
            break;
        ok = unlink(files.items[removed].path) == 0 || fail(error, files.items[removed].path);
        files.bytes -= files.items[removed].bytes;
    }
    for (size_t i = 0; i < files.count; i++)
        free(files.items[i].path);
    free(files.items);
    for (int i = 0; i < count; i++) {
        rmdir(folders[i]); /* fails as long as the folder has files */
        free(folders[i]);
    }
    free(folders);
    return ok;
}
