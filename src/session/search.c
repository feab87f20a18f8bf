#include "session/search.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "compare/baseline.h"

/* --- files --- */

/* Find the reader and place of an input. Return true if it is a recording. An unreadable input also
 * counts, because reading it later reports the reason. */
static bool is_claimed(const mp_file_search *search, mp_input *input, mp_file *file)
{
    const char *format = search->reading->load.format;
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_diagnostics *usual = mp_input_diagnose_to(input, unheard);
    const mp_reader *reader = NULL, *second = NULL;
    mp_slice head = mp_input_look_ahead(input);
    bool readable = mp_diagnostics_severity_count(unheard, MP_ERROR) == 0;
    bool claimed = !readable || (search->many && mp_is_baseline(head.start, head.length));
    if (readable && head.length)
        reader = mp_reader_claiming(head, &second);
    if (format && reader) {
        reader = mp_reader_find(format);
        reader = reader->probe(head) != MP_NOT_MINE ? reader : NULL;
    } else if (second) {
        claimed = true;
        reader = NULL;
    }
    file->reader = reader;
    if (reader && reader->place)
        file->placed = reader->place(head, &file->place) || file->place.application;
    mp_input_diagnose_to(input, usual);
    mp_diagnostics_free(unheard);
    return claimed || reader;
}

/* Open a file to detect its format, without progress messages. */
static mp_input *open_file(const mp_file_search *search, const char *path,
                           mp_diagnostics *diagnostics)
{
    mp_load_options quiet = search->reading->load;
    quiet.progress = NULL;
    return mp_input_look(path, diagnostics, &quiet);
}

/* Open a file without diagnostics. Return NULL if it cannot be opened. */
static mp_input *open_quietly(const mp_file_search *search, const char *path)
{
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_input *input = open_file(search, path, unheard);
    if (input)
        mp_input_diagnose_to(input, search->diagnostics);
    mp_diagnostics_free(unheard);
    return input;
}

/* Open an existing file. Return NULL, after a diagnostic, if it cannot be opened or examined. A
 * file of unknown format cannot be put into a group, so it is not read later either. */
static mp_input *open_there(mp_file_search *search, const char *path)
{
    mp_input *input = open_file(search, path, search->diagnostics);
    const char *why = input ? mp_input_refused(input) : NULL;
    if (why) {
        mp_diagnose(search->diagnostics, MP_DIAG_CANNOT_READ, path, 0, "cannot read: %s", why);
        mp_input_close(input);
        input = NULL;
    }
    search->ok &= input != NULL;
    return input;
}

static void add_file(mp_file_search *search, const mp_file *file, bool found)
{
    *MP_APPEND(search->files, search->count, search->capacity) =
        (mp_found_file){.file = *file, .found = found, .turn = search->turns++};
}

static int by_path(const void *left, const void *right)
{
    const mp_found_file *a = left, *b = right;
    int order = strverscmp(a->file.path, b->file.path);
    return order ? order : MP_COMPARE(a->turn, b->turn);
}

/* Sort the found files from index `first` on by path. */
static void sort_files(mp_file_search *search, size_t first)
{
    if (search->count > first)
        qsort(search->files + first, search->count - first, sizeof *search->files, by_path);
}

/* Return true if a file is empty, or has only NUL bytes, as after a system crash. */
static bool is_blank(mp_slice head)
{
    while (head.length && !head.start[head.length - 1])
        head.length--;
    return !head.length;
}

/* Return true if a file may be a lost recording, although no reader accepts it or it cannot be
 * opened (input: NULL): its name is that of a recording, or it ends before its format can be
 * detected. Set *why to the reason. */
static bool may_be_recording(const mp_file_search *search, const char *path, mp_input *input,
                             const char **why)
{
    const mp_naming naming = mp_reader_naming(path);
    const mp_slice head = input ? mp_input_look_ahead(input) : (mp_slice){"", 0};
    const bool is_packed = input && mp_input_is_packed(input);
    *why = "has the name of a recording, but no known format";
    if (naming == MP_NAMED_RECORDING || (naming == MP_NAMED_PERHAPS && is_blank(head)) ||
        (search->many && mp_is_baseline_name(path)))
        return true;
    *why = "has the name of a compressed file, but is none";
    if (!is_packed && mp_input_is_named_packed(path))
        return true;
    *why = "is compressed data that ends before its format can be seen";
    return input && !mp_input_is_whole(input);
}

/* Skip a file that no reader accepts, or that cannot be opened. If it may be a recording, the
 * search is incomplete. `target` is the target of a symbolic link; NULL: the file is not a link. */
static void pass_over(mp_file_search *search, const char *path, const char *target, mp_input *input)
{
    const char *why;
    if (search->reading->allow_torn ||
        !(may_be_recording(search, path, input, &why) ||
          (target && may_be_recording(search, target, input, &why)))) {
        search->passed_over++;
        return;
    }
    mp_diagnose(search->diagnostics, MP_DIAG_FOREIGN_FILE,
                mp_arena_copy(search->arena, path, strlen(path)), 0,
                "%s; it may be empty, truncated or a dangling link (%sallow-torn skips it)", why,
                mp_diagnostics_dashes(search->diagnostics));
    search->ok = false;
}

static void tell_passed_over(const mp_file_search *search, const char *path)
{
    if (search->passed_over)
        mp_diagnose(search->diagnostics, MP_DIAG_PASSED_OVER, path, 0,
                    "%zu file%s of unknown format skipped", search->passed_over,
                    search->passed_over == 1 ? "" : "s");
    if (search->archives_left)
        mp_diagnose(search->diagnostics, MP_DIAG_PASSED_OVER, path, 0,
                    "%zu archive%s skipped (%srecursive reads %s)", search->archives_left,
                    search->archives_left == 1 ? "" : "s",
                    mp_diagnostics_dashes(search->diagnostics),
                    search->archives_left == 1 ? "it" : "them");
}

/* --- parts of one recording --- */

uint32_t *mp_recording_of(mp_key_index *recordings, const mp_file *file)
{
    char key[256];
    const int length = snprintf(key, sizeof key, "%s %" PRIu64 " %s", file->reader->name,
                                (uint64_t)file->place.application, file->place.group);
    return mp_key_index_put(recordings, key, (size_t)length);
}

void mp_search_find_parts(mp_file_search *search, size_t from)
{
    mp_key_index recordings = {0}, parts = {0};
    for (size_t i = from; i < search->count; i++) {
        mp_found_file *file = &search->files[i];
        const mp_place *state = &file->file.place;
        file->first = i;
        file->copied = false;
        if (!file->file.placed || (!*state->group && !search->joins_dumps))
            continue;
        uint32_t *place = mp_recording_of(&recordings, &file->file);
        *place = *place ? *place : (uint32_t)i + 1;
        file->first = *place - 1;
        if (!*state->group)
            continue;
        const uint64_t part[] = {file->first, state->sequence};
        place = mp_key_index_put(&parts, part, sizeof part);
        search->files[file->first].copied |= *place != 0;
        *place = *place ? *place : (uint32_t)i + 1;
    }
    mp_key_index_free(&recordings);
    mp_key_index_free(&parts);
}

/* --- archives --- */

static bool look_at_member(void *opaque, mp_input *member)
{
    mp_file_search *search = opaque;
    mp_file file = {.snapshot = search->snapshot};
    const char *path = mp_input_path(member);
    if (!is_claimed(search, member, &file)) {
        pass_over(search, path, NULL, member);
        return false;
    }
    file.path = mp_arena_copy(search->arena, path, strlen(path));
    file.name = mp_diagnostics_name(search->diagnostics, search->arena, file.path);
    add_file(search, &file, true);
    return true;
}

static void look_at_dangling(void *opaque, const char *path, const char *target)
{
    pass_over(opaque, path, target, NULL);
}

/* Skip a member of an archive that is checked but not searched. */
static bool look_past(void *opaque, mp_input *member)
{
    (void)opaque, (void)member;
    return false;
}

/* If several members have the same name, drop all but the last, as unpacking would. */
static void drop_earlier(mp_file_search *search, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < search->count; i++)
        if (i + 1 == search->count ||
            strcmp(search->files[i].file.path, search->files[i + 1].file.path) != 0)
            search->files[kept++] = search->files[i];
    search->count = kept;
}

/* Search an archive like a folder, with its subfolders. An archive with exactly one recording
 * counts as that recording, not as a folder. */
static void search_archive(mp_file_search *search, mp_input *archive)
{
    size_t first = search->count;
    const mp_member_visitor visitor = {look_at_member, look_at_dangling, search};
    search->ok &= mp_input_members(archive, &search->reading->load, &visitor);
    sort_files(search, first);
    drop_earlier(search, first);
    mp_search_find_parts(search, first);
    bool several = false;
    for (size_t i = first; i < search->count; i++)
        several |= search->files[i].first != first || search->files[i].copied;
    for (size_t i = first; i < search->count; i++)
        search->files[i].found = several;
    search->folders |= several;
}

static void search_named_archive(mp_file_search *search, mp_input *archive)
{
    size_t first = search->count;
    const char *path = mp_input_path(archive);
    bool ok = search->ok;
    search->passed_over = search->archives_left = 0;
    search->ok = true;
    search_archive(search, archive);
    if (search->count == first && search->ok)
        mp_diagnose(search->diagnostics, MP_DIAG_NO_RECORDINGS, path, 0,
                    "has no recordings, expected at least one");
    else if (search->count > first)
        tell_passed_over(search, path);
    search->ok = search->ok && ok && search->count > first;
}

/* Search an archive in a folder if --recursive was given; otherwise skip it. If limits or rules
 * apply, check that a skipped archive is intact, because it could contain an unreadable
 * recording. */
static void search_found_archive(mp_file_search *search, mp_input *archive)
{
    size_t first = search->count, passed_over = search->passed_over;
    const mp_member_visitor visitor = {look_past, NULL, search};
    if (search->reading->recursive) {
        search_archive(search, archive);
        search->passed_over = passed_over + (search->count == first);
    } else {
        search->archives_left++;
        if (search->reading->judges)
            search->ok &= mp_input_members(archive, &search->reading->load, &visitor);
    }
}

/* --- folders --- */

static int by_name(const void *left, const void *right)
{
    return strverscmp(*(const char *const *)left, *(const char *const *)right);
}

/* Return the paths of the entries of a folder; release with free(). On failure, report a diagnostic
 * and set search->ok to false. */
static const char **list_folder(mp_file_search *search, const char *folder, size_t *count)
{
    DIR *directory = opendir(folder);
    const char **paths = mp_alloc(sizeof *paths);
    size_t capacity = 1, length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    *count = 0;
    for (struct dirent *entry; directory && (errno = 0, entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        mp_grow(&paths, &capacity, *count + 1, sizeof *paths);
        paths[(*count)++] = mp_arena_format(search->arena, "%s%s%s", folder, slash, entry->d_name);
    }
    int why = errno;
    if (directory)
        closedir(directory);
    if (!directory || why) {
        mp_diagnose(search->diagnostics, MP_DIAG_CANNOT_OPEN, folder, 0, "cannot open: %s",
                    strerror(why));
        search->ok = false;
    }
    if (*count)
        qsort(paths, *count, sizeof *paths, by_name);
    return paths;
}

/* Return true if the path is a folder to search. Symbolic links to folders are not followed,
 * because they may form cycles. */
static bool is_entered(const mp_file_search *search, const char *path, const struct stat *status)
{
    struct stat state;
    return search->reading->recursive && S_ISDIR(status->st_mode) && lstat(path, &state) == 0 &&
           S_ISDIR(state.st_mode);
}

/* Skip a link whose target does not exist; report any other path that cannot be examined. */
static void pass_or_refuse(mp_file_search *search, const char *path)
{
    char target[PATH_MAX];
    int why = errno;
    bool nowhere = why == ENOENT || why == ENOTDIR || why == ELOOP;
    ssize_t length = nowhere ? readlink(path, target, sizeof target - 1) : -1;
    if (length >= 0) {
        target[length] = '\0';
        pass_over(search, path, target, NULL);
        return;
    }
    mp_diagnose(search->diagnostics, MP_DIAG_CANNOT_OPEN, path, 0, "cannot open: %s",
                strerror(why));
    search->ok = false;
}

/* Add a file of a folder to the search. Archives are searched only if folders are searched
 * recursively. */
static void look_at_file(mp_file_search *search, mp_file *file)
{
    mp_input *input = open_there(search, file->path);
    if (!input)
        return;
    if (mp_input_is_archive(input)) {
        search_found_archive(search, input);
    } else if (is_claimed(search, input, file)) {
        add_file(search, file, true);
        mp_input_put_back(input);
        return;
    } else {
        pass_over(search, file->path, NULL, input);
    }
    mp_input_close(input);
}

/* Count one more file of a folder. Return false, after a diagnostic, if there are too many. */
static bool is_within(mp_file_search *search, const char *folder)
{
    const uint64_t most = mp_input_most_files(&search->reading->load.limits);
    if (search->seen == most) {
        mp_diagnose(search->diagnostics, MP_DIAG_LIMIT, folder, 0,
                    "has over %" PRIu64 " files, the limit of %smax-files; the rest is ignored",
                    most, mp_diagnostics_dashes(search->diagnostics));
        search->ok = false;
    }
    return search->seen++ < most;
}

/* Search a folder. Pending folders are kept on an explicit stack, because recursion could overflow
 * the call stack. */
static void look_through(mp_file_search *search, const char *folder)
{
    const char **waiting = mp_alloc(sizeof *waiting);
    size_t depth = 0, capacity = 1;
    waiting[depth++] = folder;
    while (depth) {
        size_t count;
        const char *cursor = waiting[--depth];
        const char **paths = list_folder(search, cursor, &count);
        for (size_t i = 0; i < count && is_within(search, folder); i++) {
            struct stat status;
            mp_file file = {.path = paths[i], .name = paths[i]};
            if (stat(paths[i], &status) != 0) {
                pass_or_refuse(search, paths[i]);
            } else if (is_entered(search, paths[i], &status)) {
                *MP_APPEND(waiting, depth, capacity) = paths[i];
            } else if (S_ISREG(status.st_mode)) {
                look_at_file(search, &file);
            } else if (!S_ISDIR(status.st_mode)) {
                pass_over(search, paths[i], NULL, NULL); /* pipe or device */
            }
        }
        free(paths);
    }
    free(waiting);
}

static void search_folder(mp_file_search *search, const char *folder)
{
    size_t first = search->count;
    bool ok = search->ok;
    search->passed_over = search->archives_left = 0;
    search->seen = 0;
    search->ok = true;
    look_through(search, folder);
    sort_files(search, first);
    if (search->count == first && search->ok)
        mp_diagnose(search->diagnostics, MP_DIAG_NO_RECORDINGS, folder, 0,
                    search->reading->recursive
                        ? "has no recordings, expected at least one"
                        : "has no recordings, expected at least one (%srecursive looks into its "
                          "folders too)",
                    mp_diagnostics_dashes(search->diagnostics));
    if (search->count > first)
        tell_passed_over(search, folder);
    search->folders = true;
    search->ok = search->ok && ok && search->count > first;
}

/* --- paths that were named --- */

/* Split FILE@SNAPSHOT into its parts, unless a file with that whole name exists. */
static void split_snapshot(const mp_file_search *search, mp_file *file)
{
    const char *cursor = strrchr(file->path, '@');
    if (!cursor || cursor == file->path || !cursor[1] ||
        mp_input_exists(search->reading->load.inputs, file->path))
        return;
    const char *path = mp_arena_copy(search->arena, file->path, (size_t)(cursor - file->path));
    if (mp_input_exists(search->reading->load.inputs, path)) {
        file->path = path;
        file->snapshot = cursor + 1;
    }
}

/* Add a path that the user named. A missing file is reported when it is read. */
static void add_named(mp_file_search *search, const char *path)
{
    mp_file file = {.path = path,
                    .name = mp_diagnostics_name(search->diagnostics, search->arena, path)};
    struct stat status;
    split_snapshot(search, &file);
    bool there = stat(file.path, &status) == 0;
    mp_input *input = there ? open_there(search, file.path) : open_quietly(search, file.path);
    if (there && !input)
        return;
    if (input && mp_input_is_archive(input)) {
        search->archive =
            mp_diagnostics_name(search->diagnostics, search->arena, mp_input_path(input));
        search->snapshot = file.snapshot;
        search_named_archive(search, input);
        search->snapshot = NULL;
        mp_input_close(input);
        return;
    }
    if (input && mp_input_can_reopen(input))
        is_claimed(search, input, &file);
    if (input)
        mp_input_put_back(input);
    add_file(search, &file, false);
}

void mp_search_paths(mp_file_search *search, const char *const *paths, size_t count)
{
    struct stat status;
    for (size_t i = 0; i < count; i++)
        if (stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode))
            search_folder(search, paths[i]);
        else
            add_named(search, paths[i]);
}
