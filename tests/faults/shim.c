/* A preloaded library (LD_PRELOAD) that makes a call of the program fail.
 *
 *   MEMPROF_FAULT=CALL:N:WHAT
 *
 * CALL is "malloc", "thread" (the start of a thread), a system call of the table below, or
 * "tmpfile" (opening a file without a name). "malloc" includes calloc, realloc and the like, also
 * in libraries, except ncurses, which does not check all of its allocations. N is the number of the
 * call, from 1; 0 = none, * = each. WHAT is an error number, or "short": only half of the bytes are
 * read or written. With MEMPROF_FAULT_COUNT=FD, the number of calls is written to this descriptor
 * when the program returns from main.
 *
 * System calls are intercepted by a kernel filter that raises SIGSYS, because the C library makes
 * system calls that a preloaded library cannot intercept. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the registers of another processor are not known here"
#endif

static const struct {
    const char *name;
    long number;
} calls[] = {{"read", SYS_read},
             {"pread64", SYS_pread64},
             {"write", SYS_write},
             {"writev", SYS_writev},
             {"pwrite64", SYS_pwrite64},
             {"openat", SYS_openat},
             {"close", SYS_close},
             {"fsync", SYS_fsync},
             {"rename", SYS_rename},
             {"linkat", SYS_linkat},
             {"mmap", SYS_mmap},
             {"fcntl", SYS_fcntl},
             {"lseek", SYS_lseek},
             {"newfstatat", SYS_newfstatat},
             {"ftruncate", SYS_ftruncate},
             {"fchmod", SYS_fchmod},
             {"getdents64", SYS_getdents64},
             {"eventfd2", SYS_eventfd2},
             {"signalfd4", SYS_signalfd4},
             {"inotify_init1", SYS_inotify_init1},
             {"inotify_add_watch", SYS_inotify_add_watch},
             {"tmpfile", SYS_openat}};

static bool of_memory, of_threads, of_temporary, is_short, each;
static long failing = -1, wanted;
static int what;
static atomic_long seen;

static bool fails(void)
{
    long number = atomic_fetch_add(&seen, 1) + 1;
    return each || number == wanted;
}

/* --- memory --- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static bool is_for_ncurses(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname &&
           (strstr(info.dli_fname, "/libncurses") || strstr(info.dli_fname, "/libtinfo"));
}

static bool has_none(const void *caller)
{
    if (!of_memory || is_for_ncurses(caller) || !fails())
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return has_none(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    return has_none(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t bytes)
{
    return has_none(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, bytes);
}

/* defined here, because the C library's own function would hide the caller */
char *strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = has_none(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void *memalign(size_t alignment, size_t bytes)
{
    return has_none(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    *memory = memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

/* --- threads: the C library starts them with all signals blocked --- */

typedef int start_thread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    static start_thread *usual;
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&usual, &found, sizeof usual);
    return of_threads && fails() ? EAGAIN : usual(thread, attributes, run, argument);
}

/* --- system calls --- */

/* Make a system call from the only address that the filter accepts. */
long shim_call(long number, long a, long b, long c, long d, long e, long f);
extern const char shim_passes[];
__asm__(".text\n"
        ".globl shim_call, shim_passes\n"
        ".hidden shim_call, shim_passes\n"
        "shim_call:\n"
        "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n"
        "  mov %r8, %r10\n  mov %r9, %r8\n  mov 8(%rsp), %r9\n"
        "  syscall\n"
        "shim_passes:\n"
        "  ret\n");

static void caught(int signal, siginfo_t *information, void *context)
{
    (void)signal;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    greg_t *result = &registers[REG_RAX], *third = &registers[REG_RDX];
    long arguments[] = {registers[REG_RDI], registers[REG_RSI], *third,
                        registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
    bool counts = !of_temporary || (arguments[2] & O_TMPFILE) == O_TMPFILE;
    if (counts && fails()) {
        if (!is_short) {
            if (failing ==
                SYS_close) /* Linux closes the descriptor even if the call reports an error */
                shim_call(failing, arguments[0], 0, 0, 0, 0, 0);
            *result = -what;
            return;
        }
        arguments[2] = arguments[2] > 1 ? arguments[2] / 2 : arguments[2];
    }
    *result = shim_call(information->si_syscall, arguments[0], arguments[1], arguments[2],
                        arguments[3], arguments[4], arguments[5]);
}

/* A blocked SIGSYS would end the program. */
int pthread_sigmask(int how, const sigset_t *signals, sigset_t *before)
{
    sigset_t others;
    if (signals) {
        others = *signals;
        if (how != SIG_UNBLOCK)
            sigdelset(&others, SIGSYS);
    }
    return sigprocmask(how, signals ? &others : NULL, before) == 0 ? 0 : errno;
}

static void catch_call(long number)
{
    const uintptr_t passes = (uintptr_t)shim_passes;
    const size_t pointer = offsetof(struct seccomp_data, instruction_pointer);
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)pointer),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)passes, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)pointer + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(passes >> 32), 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSYS, &action, NULL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("shim: seccomp");
        _exit(125);
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *fault = getenv("MEMPROF_FAULT");
    const char *number = fault ? strchr(fault, ':') : NULL;
    const char *how = number ? strchr(number + 1, ':') : NULL;
    if (!how)
        return;
    size_t length = (size_t)(number - fault);
    each = number[1] == '*';
    wanted = each ? 0 : strtol(number + 1, NULL, 10);
    is_short = strcmp(how + 1, "short") == 0;
    what = is_short ? 0 : (int)strtol(how + 1, NULL, 10);
    of_memory = strncmp(fault, "malloc:", 7) == 0;
    of_threads = strncmp(fault, "thread:", 7) == 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strlen(calls[i].name) == length && strncmp(calls[i].name, fault, length) == 0) {
            of_temporary = strcmp(calls[i].name, "tmpfile") == 0;
            failing = calls[i].number;
        }
    if (failing >= 0)
        catch_call(failing);
    else if (!of_memory && !of_threads)
        _exit(125);
}

__attribute__((destructor)) static void end(void)
{
    const char *target = getenv("MEMPROF_FAULT_COUNT");
    if (target)
        dprintf((int)strtol(target, NULL, 10), "%ld", atomic_load(&seen));
}
