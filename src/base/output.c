#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static bool cannot_write(const char *path, mp_error *error)
{
    mp_fail_file(error, path, 0, 0, "cannot write: %s", strerror(errno));
    error->code = MP_ERROR_OUTPUT;
    return false;
}

static bool forget(mp_output *output)
{
    free(output->temporary);
    free(output->target);
    output->temporary = output->target = NULL;
    return false;
}

bool mp_output_open(mp_output *output, const char *path, mp_error *error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    *output = (mp_output){.path = path};
    if (exists ? !S_ISREG(status.st_mode) : lstat(path, &status) == 0) {
        output->file = fopen(path, "w");
        return output->file || cannot_write(path, error);
    }
    output->target = exists ? realpath(path, NULL) : strdup(path);
    if (!output->target)
        return cannot_write(path, error);
    size_t size = strlen(output->target) + sizeof ".XXXXXX";
    output->temporary = mp_alloc(size);
    snprintf(output->temporary, size, "%s.XXXXXX", output->target);
    int file = mkstemp(output->temporary);
    output->file = file >= 0 ? fdopen(file, "w") : NULL;
    if (!output->file) {
        cannot_write(path, error);
        return forget(output);
    }
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0 || cannot_write(path, error);
}

bool mp_output_close(mp_output *output, bool keep, mp_error *error)
{
    bool ok = fflush(output->file) == 0 && !ferror(output->file);
    ok &= fclose(output->file) == 0;
    if (ok && keep && output->temporary)
        ok = rename(output->temporary, output->target) == 0;
    if (!ok)
        cannot_write(output->path, error);
    if (output->temporary && (!ok || !keep))
        unlink(output->temporary);
    forget(output);
    return ok;
}
