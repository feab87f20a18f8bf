#include "cli/spool_steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void add_words(mp_argument_texts *list, const char *const *words)
{
    while (*words)
        mp_argument_texts_add(list, *words++);
}

/* Run a program to its end. Its standard input is the file, and its standard output is discarded.
 * `is_silent`: discard its messages too.
 *
 * Return its exit status; -1 if it could not be run, or a signal ended it. */
static int run_program(const char *program, mp_argument_texts *words, const char *input,
                       bool is_silent)
{
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (is_silent)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failure = posix_spawn(&process, program, &actions, NULL,
                                    (char *const *)(void *)words->items, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure) {
        cli_put_fault(program, "cannot be run: %s", strerror(failure));
        return -1;
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Run memprof in a separate process. If a recording makes it fail, the spool continues. */
static int run_memprof(mp_argument_texts *words, bool is_silent)
{
    return run_program("/proc/self/exe", words, "/dev/null", is_silent);
}

/* --- rows --- */

/* Write the rows of all tables to files of a folder. The recording is read once. */
static int export_rows(const cli_options *options, const char *path, const char *folder)
{
    mp_argument_texts words = {0};
    const char *const first[] = {"memprof",           "export",  "--to",
                                 "clickhouse-tables", "--quiet", "--no-config",
                                 "--output",          folder,    NULL};
    add_words(&words, first);
    for (size_t i = 0; i < options->labels.count; i++) {
        mp_argument_texts_add(&words, "--label");
        mp_argument_texts_add(&words, options->labels.items[i]);
    }
    mp_argument_texts_add(&words, "--");
    mp_argument_texts_add(&words, path);
    const int status = run_memprof(&words, false);
    free(words.items);
    return status;
}

/* Return true if memprof can read the recording. If so, a failed export has another cause, such as
 * a full disk. */
static bool is_readable(const char *path)
{
    mp_argument_texts words = {0};
    const char *const line[] = {"memprof", "info", "--quiet", "--no-config", "--", path, NULL};
    add_words(&words, line);
    const int status = run_memprof(&words, true);
    free(words.items);
    return status == 0;
}

/* Set the environment variables that tell the command to which table the rows belong. */
static void set_table(const mp_clickhouse_table *table)
{
    char *statement = NULL;
    size_t length;
    FILE *file = open_memstream(&statement, &length);
    mp_clickhouse_put_insert(file, table);
    fclose(file);
    setenv("MEMPROF_TABLE", table->name, 1);
    setenv("MEMPROF_INSERT", statement, 1);
    free(statement);
}

/* Send the rows of a table to the command. If the table has no rows, the command gets one empty
 * line. */
static bool send_rows(const cli_options *options, const mp_clickhouse_table *table,
                      const char *rows, const mp_archive_place *place)
{
    struct stat status;
    mp_argument_texts words = {0};
    if (stat(rows, &status) == 0 && status.st_size <= 1)
        return true;
    const char *const shell[] = {"sh", "-c", options->row_command, NULL};
    add_words(&words, shell);
    set_table(table);
    const int code = run_program("/bin/sh", &words, rows, false);
    free(words.items);
    if (code != 0)
        cli_put_fault(options->row_command, "failed with status %d for the table %s of %s", code,
                      table->name, place->name);
    return code == 0;
}

/* Move the rows of a table to its folder among the rows of other recordings. */
static bool move_rows(const cli_options *options, const mp_clickhouse_table *table,
                      const char *rows, const mp_archive_place *place)
{
    mp_arena texts = {0};
    const char *folder = mp_arena_format(&texts, "%s/%s", options->row_folder, table->name);
    const char *target = mp_arena_format(&texts, "%s/%s.jsonl", folder, place->name);
    mkdir(folder, 0777); /* if this fails, the next call fails too */
    const bool ok = rename(rows, target) == 0;
    if (!ok)
        cli_put_fault(target, "cannot be written: %s", strerror(errno));
    mp_arena_free(&texts);
    return ok;
}

static bool put_tables(const cli_options *options, const char *folder,
                       const mp_archive_place *place)
{
    bool ok = true;
    for (size_t i = 0; ok && i < MP_CLICKHOUSE_TABLES; i++) {
        mp_arena texts = {0};
        const mp_clickhouse_table *table = &mp_clickhouse_tables[i];
        const char *rows = mp_arena_format(&texts, "%s/%s.jsonl", folder, table->name);
        ok = options->row_command ? send_rows(options, table, rows, place)
                                  : move_rows(options, table, rows, place);
        mp_arena_free(&texts);
    }
    return ok;
}

/* Remove a folder and the files in it, which an earlier process may have left. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and ".." */
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* Write the rows of the recording to a hidden folder. When all rows are written, pass them on. */
static cli_spool_outcome put_rows(const cli_options *options, const char *path,
                                  const mp_archive_place *place, const char *work)
{
    mp_arena texts = {0};
    cli_spool_outcome outcome = CLI_SPOOL_DONE;
    const char *folder = options->row_folder
                             ? mp_arena_format(&texts, "%s/.%s", options->row_folder, place->name)
                             : mp_arena_format(&texts, "%s/rows", work);
    if (options->row_folder)
        mkdir(options->row_folder,
              0777); /* if this fails, the export reports that the folder is missing */
    remove_folder(folder);
    const int status = export_rows(options, path, folder);
    if (status != 0)
        outcome = status < 0 || is_readable(path) ? CLI_SPOOL_LATER : CLI_SPOOL_BAD;
    else if (!put_tables(options, folder, place))
        outcome = CLI_SPOOL_LATER;
    remove_folder(folder);
    mp_arena_free(&texts);
    return outcome;
}

/* --- the baseline, and the archive --- */

/* Save the baseline next to the archived file. A damaged recording has no baseline, but it is
 * archived. */
static void save_baseline(const char *path, const mp_archive_place *place)
{
    mp_argument_texts words = {0};
    const char *const line[] = {"memprof",     "baseline", "save",        "--quiet",
                                "--no-config", "--store",  place->folder, "--as",
                                place->name,   "--",       path,          NULL};
    add_words(&words, line);
    (void)run_memprof(&words, false);
    free(words.items);
}

/* Return true if the file has changed since its rows were written. */
static bool has_changed(const char *path, const struct stat *before)
{
    struct stat now;
    return stat(path, &now) != 0 || now.st_ino != before->st_ino ||
           now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

cli_spool_outcome cli_spool_recording(const cli_options *options, const char *path,
                                      const char *archive, const char *work)
{
    mp_archive_place place = {NULL, NULL, NULL};
    mp_error error = {0};
    struct stat before;
    cli_spool_outcome outcome = CLI_SPOOL_LATER;
    if (stat(path, &before) == 0 && mp_archive_find(archive, path, &place, &error)) {
        outcome = put_rows(options, path, &place, work);
        if (outcome == CLI_SPOOL_DONE) {
            save_baseline(path, &place);
            if (!mp_archive_put(path, &place, &error))
                outcome = CLI_SPOOL_LATER;
            else if (has_changed(
                         path,
                         &before)) /* the archived file has the checksum of the old contents */
                mp_fail_file(&error, path, 0, 0, "was written to while it was archived%s",
                             unlink(place.path) == 0 ? "; it is archived again" : "");
            else if (unlink(path) != 0)
                mp_fail_file(&error, path, 0, 0, "cannot be removed: %s", strerror(errno));
        }
    }
    if (error.code) {
        cli_put_error(&error);
        outcome = CLI_SPOOL_LATER;
    }
    mp_archive_place_free(&place);
    return outcome;
}
