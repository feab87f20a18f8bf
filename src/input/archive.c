#include "input/archive.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

#ifdef MEMPROF_ARCHIVE
#include "input/libarchive.h"

enum { BLOCK = 64 * 1024 };

/* Return whole blocks, however the bytes arrive, because libarchive's messages about a damaged
 * archive depend on the blocks. */
static la_ssize_t read_more(struct archive *archive, void *opaque, const void **block)
{
    mp_archive *state = opaque;
    size_t length = 0, got = 1;
    (void)archive;
    while (length < BLOCK &&
           (got = mp_stream_read(state->from, state->block + length, BLOCK - length)))
        length += got;
    *block = state->block;
    if (length)
        state->length = length;
    return (la_ssize_t)length;
}

static la_int64_t seek(struct archive *archive, void *opaque, la_int64_t offset, int whence)
{
    mp_archive *state = opaque;
    (void)archive;
    int64_t place = state->from->kind->seek(state->from, offset, whence);
    return place < 0 ? ARCHIVE_FATAL : place;
}

static la_int64_t skip(struct archive *archive, void *opaque, la_int64_t request)
{
    mp_archive *state = opaque;
    (void)archive;
    int64_t from = state->from->kind->seek(state->from, 0, SEEK_CUR);
    int64_t to = from < 0 ? -1 : state->from->kind->seek(state->from, request, SEEK_CUR);
    return to < 0 ? 0 : to - from;
}

static bool open_format(mp_archive *state, int (*format)(struct archive *))
{
    state->archive = mp_la.archive_read_new();
    bool ok = state->archive && format(state->archive) == ARCHIVE_OK &&
              mp_la.archive_read_set_callback_data(state->archive, state) == ARCHIVE_OK &&
              mp_la.archive_read_set_read_callback(state->archive, read_more) == ARCHIVE_OK;
    if (ok && state->packing == MP_TAR) /* read on after a block of zeros */
        ok = mp_la.archive_read_set_format_option(state->archive, "tar",
                                                  "read_concatenated_archives", "1") == ARCHIVE_OK;
    if (ok && state->seeks)
        ok = mp_la.archive_read_set_seek_callback(state->archive, seek) == ARCHIVE_OK &&
             mp_la.archive_read_set_skip_callback(state->archive, skip) == ARCHIVE_OK;
    ok = ok && mp_la.archive_read_open1(state->archive) == ARCHIVE_OK;
    mp_la.archive_entry_free(state->read);
    state->read = state->archive ? mp_la.archive_entry_new2(state->archive) : NULL;
    return state->read ? ok : mp_out_of_memory() != NULL;
}

/* Read a zip archive sequentially, without its directory. libarchive then decompresses skipped
 * entries too. */
static bool open_without_directory(mp_archive *state)
{
    mp_la.archive_read_free(state->archive);
    state->archive = NULL;
    state->lacks_directory = state->seeks;
    state->seeks = false;
    return (!state->lacks_directory || state->from->kind->seek(state->from, 0, SEEK_SET) == 0) &&
           open_format(state, mp_la.archive_read_support_format_zip_streamable);
}

static bool is_by_directory(const mp_archive *archive)
{
    return archive->packing == MP_ZIP && archive->seeks;
}

static bool open_zip(mp_archive *archive)
{
    return (archive->seeks &&
            open_format(archive, mp_la.archive_read_support_format_zip_seekable)) ||
           open_without_directory(archive);
}

bool mp_archive_open(mp_archive *archive, mp_stream *from, mp_packing packing)
{
    *archive = (mp_archive){.from = from,
                            .packing = packing,
                            .seeks = from->kind->seek && from->kind->seek(from, 0, SEEK_SET) == 0,
                            .block = mp_alloc(BLOCK)};
    if (mp_libarchive_load())
        return false;
    if (packing == MP_7ZIP)
        return archive->seeks && open_format(archive, mp_la.archive_read_support_format_7zip);
    return packing == MP_ZIP ? open_zip(archive)
                             : open_format(archive, mp_la.archive_read_support_format_tar);
}

void mp_archive_close(mp_archive *state)
{
    if (state->archive)
        mp_la.archive_read_free(state->archive);
    if (state->read)
        mp_la.archive_entry_free(state->read);
    mp_stream_close(state->from);
    free(state->block);
    free(state->begins);
}

/* Return libarchive's last message. When memory runs out, libarchive's messages vary or are
 * missing, so one fixed text replaces them. */
const char *mp_archive_why(const mp_archive *state)
{
    const char *text =
        state->archive ? mp_la.archive_error_string(state->archive) : mp_libarchive_load();
    bool lacks = state->archive && (text ? mp_la.archive_errno(state->archive) : errno) == ENOMEM;
    return lacks ? strerror(ENOMEM) : text ? text : "damaged";
}

/* Recognize truncation by its message, because libarchive has no error code for it. */
mp_fault mp_archive_fault(const mp_archive *state, const char **why)
{
    const char *text = mp_la.archive_error_string(state->archive);
    if (state->from->fault) {
        *why = state->from->why;
        return state->from->fault;
    }
    if (mp_la.archive_errno(state->archive) == ENOMEM) {
        *why =
            "cannot be decompressed: Cannot allocate memory; " MP_DASHES "max-memory allows more";
        return MP_FAULT_LIMIT;
    }
    *why = mp_archive_why(state);
    /* "failed (-5)" is zlib's Z_BUF_ERROR; a zip archive that ends early has no message */
    bool torn = text ? strstr(text, "runcated") || strstr(text, "end of file") ||
                           strstr(text, "No progress") || strstr(text, "failed (-5)")
                     : state->packing == MP_ZIP;
    return torn ? MP_FAULT_TORN : MP_FAULT_READ;
}

/* --- entries --- */

/* Return the number of entries that the zip directory states; UINT16_MAX if it is stated elsewhere
 * (zip64) or not found. */
static uint16_t told_entries(const mp_archive *archive)
{
    enum { COUNT = 10, LENGTH = 22, LONGEST = UINT16_MAX + LENGTH }; /* including a comment */
    uint64_t size = mp_stream_size(archive->from);
    unsigned char *end = mp_alloc(LONGEST);
    size_t length =
        mp_stream_at(archive->from, size < LONGEST ? 0 : size - LONGEST, (char *)end, LONGEST);
    uint16_t count = UINT16_MAX;
    for (size_t index = length < LENGTH ? 0 : length - LENGTH + 1;
         index-- > 0 && count == UINT16_MAX;)
        if (memcmp(end + index, "PK\5\6", 4) == 0)
            count = (uint16_t)(end[index + COUNT] | end[index + COUNT + 1] << 8);
    free(end);
    return count;
}

/* Return the fault at the end of an archive. libarchive accepts any end between two entries, and
 * skips bytes that do not begin a directory entry. This function therefore checks more: a zip
 * archive with a directory must have as many entries as the directory states; a zip archive without
 * a directory is truncated; a tar archive must end in zeros. */
static mp_fault fault_at_end(const mp_archive *state, const char **why)
{
    enum { TAR_BLOCK = 512 };
    static const char zeros[TAR_BLOCK];
    *why = "its end is missing";
    if (is_by_directory(state)) {
        uint16_t told = told_entries(state);
        *why = "its directory is damaged";
        return told == UINT16_MAX || told == (uint16_t)state->begin_count ? MP_FAULT_NONE
                                                                          : MP_FAULT_READ;
    }
    if (state->packing != MP_TAR)
        return state->lacks_directory ? MP_FAULT_TORN : MP_FAULT_NONE;
    bool zeros_came = mp_la.archive_filter_bytes(state->archive, 0) >
                      mp_la.archive_read_header_position(state->archive);
    bool ends = zeros_came && state->length >= TAR_BLOCK &&
                memcmp(state->block + state->length - TAR_BLOCK, zeros, TAR_BLOCK) == 0;
    return ends ? MP_FAULT_NONE : MP_FAULT_TORN;
}

/* Return the fault that libarchive reported instead of an entry. */
static mp_fault fault_between(const mp_archive *archive, int code, const char **why)
{
    if (code == ARCHIVE_EOF && !archive->from->fault)
        return fault_at_end(archive, why);
    mp_fault fault = mp_archive_fault(archive, why);
    const bool in_directory =
        is_by_directory(archive) && !archive->from->fault && fault != MP_FAULT_LIMIT;
    if (fault == MP_FAULT_TORN) /* if the directory was found at the end of the file, the file is
                                 * damaged, not truncated */
        *why = in_directory ? "its directory is damaged" : "it is truncated";
    return in_directory ? MP_FAULT_READ : fault;
}

static int by_place(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Record the offsets of the entries found by the directory. When the archive is then read without
 * the directory, these entries are recognized and not visited again. */
static void note_entry(mp_archive *state)
{
    uint64_t begin = (uint64_t)mp_la.archive_filter_bytes(state->archive, 0);
    if (is_by_directory(state)) {
        *MP_APPEND(state->begins, state->begin_count, state->begin_capacity) = begin;
    } else if (state->begin_count) {
        state->came_before =
            bsearch(&begin, state->begins, state->begin_count, sizeof begin, by_place) != NULL;
    }
}

bool mp_archive_next(mp_archive *state, mp_fault *fault, const char **why)
{
    *fault = MP_FAULT_NONE;
    if (state->directory_failed && !open_without_directory(state))
        return false;
    state->directory_failed = false;
    int code = mp_la.archive_read_next_header2(state->archive, state->read);
    if (code == ARCHIVE_OK || code == ARCHIVE_WARN) {
        state->entry = state->read;
        note_entry(state);
        return true;
    }
    state->entry = NULL;
    *fault = fault_between(state, code, why);
    state->directory_failed = *fault && code != ARCHIVE_RETRY && is_by_directory(state);
    return code == ARCHIVE_RETRY || state->directory_failed;
}

bool mp_archive_unpacks(const mp_archive *archive)
{
    return archive->packing == MP_7ZIP || (archive->packing == MP_ZIP && !archive->seeks);
}

const char *mp_archive_name(const mp_archive *archive, mp_arena *arena)
{
    const char *name = mp_la.archive_entry_pathname_utf8(archive->entry);
    if (!name)
        name = mp_la.archive_entry_pathname(archive->entry);
    if (!name)
        return NULL;
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    char *copy = mp_arena_copy(arena, name, strlen(name));
    if (archive->packing == MP_ZIP && !strchr(copy, '/')) /* Windows may have written backslashes */
        for (char *c = copy; *c; c++)
            if (*c == '\\')
                *c = '/';
    return mp_utf8_copy(arena, copy);
}

mp_entry_kind mp_archive_kind(const mp_archive *archive)
{
    const char *target = mp_la.archive_entry_symlink(archive->entry);
    const bool is_hard = mp_la.archive_entry_hardlink(archive->entry) != NULL;
    switch (mp_la.archive_entry_filetype(archive->entry)) {
    case AE_IFREG:
        return is_hard ? MP_ENTRY_LINK : MP_ENTRY_FILE;
    case AE_IFLNK: /* damage may turn a file into a link whose target is the file's text */
        return target && (strchr(target, '\n') || strlen(target) >= PATH_MAX) ? MP_ENTRY_LOST
                                                                              : MP_ENTRY_LINK;
    default:
        return mp_la.archive_entry_size(archive->entry) > 0 ? MP_ENTRY_ODD
               : is_hard                                    ? MP_ENTRY_LINK
                                                            : MP_ENTRY_OTHER;
    }
}

/* Append a path to the `length` bytes in `out`, and resolve "." and "..". Return false if the path
 * leads out of the archive. */
static bool append_path(char *out, size_t *length, const char *path)
{
    for (size_t part; *path; path += part) {
        path += strspn(path, "/");
        part = strcspn(path, "/");
        if (part == 2 && memcmp(path, "..", 2) == 0) {
            if (!*length)
                return false;
            while (*length && out[--*length] != '/')
                ;
        } else if (part && !(part == 1 && *path == '.')) {
            if (*length)
                out[(*length)++] = '/';
            memcpy(out + *length, path, part);
            *length += part;
        }
    }
    return true;
}

const char *mp_archive_target(const mp_archive *archive, const char *name, mp_arena *arena)
{
    const char *hard = mp_la.archive_entry_hardlink(archive->entry);
    const char *soft = mp_la.archive_entry_symlink_utf8(archive->entry);
    const char *target = hard ? hard : soft ? soft : mp_la.archive_entry_symlink(archive->entry);
    const char *slash = strrchr(name, '/');
    const size_t folder = hard || !slash ? 0 : (size_t)(slash - name);
    size_t length = folder;
    if (!target || (!hard && *target == '/'))
        return NULL;
    char *path = mp_arena_alloc(arena, folder + strlen(target) + 2);
    memcpy(path, name, folder);
    if (!append_path(path, &length, target))
        return NULL;
    path[length] = '\0';
    return mp_utf8_copy(arena, path);
}

/* --- data of an entry --- */

/* Read the next block. A block with a warning, such as a wrong checksum, still has its data. */
static void next_block(mp_entry_data *data, struct archive *archive)
{
    const void *block = NULL;
    size_t length = 0;
    la_int64_t offset = (la_int64_t)data->given;
    int code = mp_la.archive_read_data_block(archive, &block, &length, &offset);
    bool has_data = block && (code == ARCHIVE_OK || code == ARCHIVE_WARN);
    data->over = code != ARCHIVE_OK;
    data->failed = code < ARCHIVE_OK;
    data->items = block;
    data->length = has_data ? length : 0;
    data->offset = offset > 0 && !data->failed ? (uint64_t)offset : data->given;
}

size_t mp_entry_read(mp_entry_data *data, struct archive *archive, char *buffer, size_t room)
{
    while (!data->length && data->offset <= data->given && !data->over)
        next_block(data, archive);
    bool in_hole = data->offset > data->given;
    uint64_t left = in_hole ? data->offset - data->given : data->length;
    size_t got = left < room ? (size_t)left : room;
    if (in_hole) {
        memset(buffer, 0, got);
    } else if (got) {
        memcpy(buffer, data->items, got);
        data->items += got;
        data->length -= got;
    }
    data->given += got;
    return got;
}

#endif
