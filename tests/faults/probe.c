/* A preloaded library (LD_PRELOAD). When the program returns from main, it tries operations that an
 * attacker would try. For each it writes a line to the file descriptor $MEMPROF_PROBE: the
 * operation, and 0 or the error number. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int told;

static void tell(const char *what, long result)
{
    dprintf(told, "%s %d\n", what, result < 0 ? errno : 0);
}

/* Try a denied operation as soon as a recording is decoded. By then the sandbox must deny other
 * files. */
static void try_early(const char *what)
{
    const char *target = getenv("MEMPROF_PROBE");
    int saved = errno;
    if (target) {
        told = (int)strtol(target, NULL, 10);
        tell(what, open(getenv("MEMPROF_PROBE_READ"), O_RDONLY));
    }
    errno = saved;
}

/* dlsym of the C library. A function that finds its real one after this library needs it, because
 * dlsym below has the same name. */
static void *real_symbol(void *library, const char *name)
{
    void *(*real)(void *, const char *);
    *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    return real(library, name);
}

/* For a zip archive, libarchive calls this function. */
int inflateInit2_(void *stream, int bits, const char *version, int size);
int inflateInit2_(void *stream, int bits, const char *version, int size)
{
    int (*real)(void *, int, const char *, int);
    try_early("zip");
    void *zlib = dlopen("libz.so.1", RTLD_LAZY | RTLD_NOLOAD); /* memprof has loaded it */
    *(void **)&real = real_symbol(zlib, "inflateInit2_");
    return real(stream, bits, version, size);
}

static int (*real_decoder)(void *, unsigned long long, unsigned);

static int decoder(void *stream, unsigned long long most, unsigned flags)
{
    try_early("lzma");
    return real_decoder(stream, most, flags);
}

/* liblzma is loaded when it is first needed, so its functions cannot be preloaded. */
void *dlsym(void *restrict library, const char *restrict name)
{
    void *symbol = real_symbol(library, name);
    if (strcmp(name, "lzma_stream_decoder") != 0)
        return symbol;
    *(void **)&real_decoder = symbol;
    void *ours;
    *(int (**)(void *, unsigned long long, unsigned)) & ours = decoder;
    return ours;
}

static void *of_thread(void *argument)
{
    return argument;
}

static void try_files(void)
{
    tell("read", open(getenv("MEMPROF_PROBE_READ"), O_RDONLY));
    tell("input", open(getenv("MEMPROF_PROBE_INPUT"), O_RDONLY));
    tell("write", open(getenv("MEMPROF_PROBE_READ"), O_WRONLY | O_APPEND));
    tell("truncate", truncate(getenv("MEMPROF_PROBE_READ"), 2));
    tell("make", open(getenv("MEMPROF_PROBE_MAKE"), O_WRONLY | O_CREAT, 0600));
    tell("unlink", unlink(getenv("MEMPROF_PROBE_UNLINK")));
    tell("chmod", chmod(getenv("MEMPROF_PROBE_READ"), 0600));
    /* fchmodat2 by its number; older kernels do not have it */
    long done = syscall(452, AT_FDCWD, getenv("MEMPROF_PROBE_READ"), 0600, 0);
    tell("chmod2", done < 0 && errno == ENOSYS ? 0 : done);
}

static void try_processes(void)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, of_thread, NULL);
    if (error == 0)
        pthread_join(thread, NULL);
    errno = error;
    tell("thread", error ? -1 : 0);
    tell("kill", kill(getppid(), 0));
    /* This process traces no other process, so if the call is allowed, it fails with "no such
     * process". */
    long traced = ptrace(PTRACE_DETACH, getppid(), NULL, NULL);
    tell("ptrace", traced < 0 && errno == ESRCH ? 0 : traced);
    pid_t process = fork();
    if (process == 0)
        _exit(0);
    tell("fork", process);
    if (process > 0)
        waitpid(process, NULL, 0);
}

static void try_network(void)
{
    int made = socket(AF_INET, SOCK_STREAM, 0), ends[2];
    tell("socket", made);
    tell("local", socket(AF_UNIX, SOCK_STREAM, 0));
    tell("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

__attribute__((destructor)) static void probe(void)
{
    static char program[] = "/bin/true";
    char *words[] = {program, NULL};
    const char *target = getenv("MEMPROF_PROBE");
    if (!target)
        return;
    told = (int)strtol(target, NULL, 10);
    try_files();
    try_processes();
    try_network();
    unsetenv("MEMPROF_PROBE"); /* the library is loaded in the new program too */
    execv(program, words);     /* execve returns only on failure */
    tell("exec", -1);
}
