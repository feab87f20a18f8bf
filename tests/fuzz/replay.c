/* memprof-fuzz-replay TARGET FILE|FOLDER...: run a fuzzer's findings and seeds again. Files of a
 * folder are sorted by name. Without arguments, print the targets. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

static size_t replayed;

/* Return the bytes of a file, without decompressing them. */
static char *bytes_of(const char *path, size_t *length)
{
    char part[4096], *text = NULL;
    FILE *from = fopen(path, "rb"), *file = from ? open_memstream(&text, length) : NULL;
    for (size_t count; file && (count = fread(part, 1, sizeof part, from));)
        fwrite(part, 1, count, file);
    bool ok = file && !ferror(from);
    if (!file || fclose(file) || !ok) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(from);
    return text;
}

static void replay_file(const fuzz_target *target, const char *path)
{
    size_t length;
    char *text = bytes_of(path, &length);
    if (getenv("MEMPROF_FUZZ_COST"))
        fprintf(stderr, "%s: ", path);
    fuzz_run(target, text, length);
    free(text);
    replayed++;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void replay(const fuzz_target *target, const char *path)
{
    struct dirent **entries;
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
        replay_file(target, path);
        return;
    }
    int count = scandir(path, &entries, is_shown, alphasort);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        replay(target, name);
        free(entries[i]);
    }
    if (count < 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    const fuzz_target *target = argc > 1 ? fuzz_target_find(argv[1]) : NULL;
    if (!target) {
        for (const fuzz_target *each = fuzz_targets; each->name; each++)
            puts(each->name);
        return argc > 1 ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    fuzz_begin();
    for (int i = 2; i < argc; i++) /* a target may change the working directory */
        argv[i] = realpath(argv[i], NULL);
    for (int i = 2; i < argc; i++)
        if (argv[i]) { /* if the folder does not exist, there are no findings yet */
            replay(target, argv[i]);
            free(argv[i]);
        }
    printf("%s: %zu inputs\n", target->name, replayed);
    return replayed ? EXIT_SUCCESS : EXIT_FAILURE;
}
