#include "cli/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/pager.h"

/* --- files: Landlock --- */

/* Constants that older versions of <linux/landlock.h> do not have. */
enum { ASK_VERSION = 1, BELOW_PATH = 1 };
enum {
    EXECUTE = 1 << 0,
    WRITE = 1 << 1,
    READ = 1 << 2,
    REMOVE = 3 << 4, /* files and folders */
    MAKE_FILE = 1 << 8,
    MAKE_FOLDER = 1 << 7,
    MAKE_ANY = 0x7f << 6,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    PUT = READ | WRITE | REMOVE | MAKE_FILE | MAKE_FOLDER | TRUNCATE,
    OF_FILES = EXECUTE | WRITE | READ | TRUNCATE,
};

typedef struct land_rules {
    uint64_t files, ports, scopes; /* rights that are denied unless a rule allows them */
} land_rules;

typedef struct __attribute__((packed)) land_path {
    uint64_t allowed;
    int32_t file;
} land_path;

typedef struct land_set {
    int rules; /* file descriptor */
    uint64_t known;
} land_set;

static bool follows(const cli_options *options)
{
    return options->command.scope & CLI_WATCHES;
}

/* Allow access to a path. Return false if it does not exist. */
static bool allow(const land_set *set, const char *path, uint64_t what)
{
    struct stat status;
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0)
        return false;
    if (fstat(file, &status) == 0 && !S_ISDIR(status.st_mode))
        what &= OF_FILES;
    const land_path rule = {what & set->known, file};
    syscall(SYS_landlock_add_rule, set->rules, BELOW_PATH, &rule, 0);
    close(file);
    return true;
}

/* Allow the files that belong to a database. They are next to it, or next to the target of its
 * link. */
static void allow_beside(const land_set *set, const char *path)
{
    static const char *const endings[] = {"-wal", "-journal"};
    char *target = realpath(path, NULL);
    for (size_t i = 0; target && i < sizeof endings / sizeof *endings; i++) {
        char *beside = mp_alloc(strlen(target) + sizeof "-journal");
        stpcpy(stpcpy(beside, target), endings[i]);
        allow(set, beside, READ);
        free(beside);
    }
    free(target);
}

/* Allow an input. Its name may have a part: FILE@SNAPSHOT, ARCHIVE:MEMBER. */
static void allow_input(const land_set *set, const char *name)
{
    if (!name)
        return;
    char *path = mp_copy(name, strlen(name));
    while (*path && !allow(set, path, READ)) {
        size_t end = strlen(path);
        while (end && path[end - 1] != '@' && path[end - 1] != ':')
            end--;
        path[end ? end - 1 : 0] = '\0';
    }
    allow_beside(set, path);
    free(path);
}

/* Allow access to the folder of a path or, if it does not exist, to the nearest existing folder
 * above it. */
static void allow_folder(const land_set *set, const char *name, uint64_t what)
{
    char *path = mp_copy(name, strlen(name));
    for (bool done = false; !done;) {
        char *slash = strrchr(path, '/');
        if (slash)
            slash[slash == path] = '\0';
        bool root = slash == path;
        done = allow(set, slash ? path : ".", what) || !slash || root;
    }
    free(path);
}

/* The rules for allow_link. They are global, because nftw() cannot pass a pointer. */
static const land_set *walked;
static bool walks_deep;

static int allow_link(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    if (kind == FTW_SL || kind == FTW_SLN)
        allow_input(walked, path);
    return kind == FTW_D && walk->level > 0 && !walks_deep ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
}

/* Allow an operand. For a folder, allow its contents and the targets of links in it. */
static void allow_operand(const land_set *set, const char *path, bool recursive)
{
    enum { OPEN_AT_ONCE = 16 };
    struct stat status;
    allow_input(set, path);
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return;
    walked = set;
    walks_deep = recursive;
    nftw(path, allow_link, OPEN_AT_ONCE, FTW_PHYS | FTW_ACTIONRETVAL);
}

/* Allow a file that is watched. It may be created or replaced later, so allow its folder, and the
 * folder of its link's target. */
static void allow_followed(const land_set *set, const char *path)
{
    char *target = realpath(path, NULL);
    allow_folder(set, path, READ);
    if (target)
        allow_folder(set, target, READ);
    free(target);
}

static void allow_output(const land_set *set, const char *path)
{
    struct stat status;
    char *target = path ? mp_output_target(path) : NULL;
    if (target && stat(target, &status) == 0 && !S_ISREG(status.st_mode))
        allow(set, target, S_ISDIR(status.st_mode) ? PUT : WRITE | TRUNCATE);
    else if (target)
        allow_folder(set, target, PUT);
    free(target);
}

/* Allow the descriptions of terminals. The user may keep them in several places. */
static void allow_terminals(const land_set *set)
{
    const char *folder = getenv("TERMINFO"), *home = getenv("HOME");
    char *text = mp_alloc((home ? strlen(home) : 0) + sizeof "/.terminfo");
    stpcpy(stpcpy(text, home ? home : ""), "/.terminfo");
    allow(set, text, READ);
    if (folder && *folder)
        allow(set, folder, READ);
    free(text);
}

static void allow_all(const land_set *set, const cli_options *options)
{
    static const char *const system[] = {
        "/usr",        "/lib",          "/lib64",         "/etc",
        "/proc/self",  "/proc/meminfo", "/sys/fs/cgroup", "/sys/devices/system/cpu",
        "/dev/urandom"}; /* read by jansson */
    const mp_question *question = &options->question;
    const char *temporary = getenv("TMPDIR");
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        allow(set, system[i], READ);
    allow(set, "/dev/null", READ | WRITE);
    allow(set, "/dev/tty", READ | WRITE);
    /* SQLite's temporary files for sorting, and stored pipes and members of archives */
    allow(set, temporary && *temporary ? temporary : "/tmp", PUT);
    allow(set, "/var/tmp", PUT);
    for (size_t i = 0; i < options->path_count; i++)
        if (follows(options) && strcmp(options->paths[i], "-") != 0)
            allow_followed(set, options->paths[i]);
        else if (options->command.scope & CLI_SERVES)
            allow(set, options->paths[i],
                  READ); /* but do not allow the targets of links in the folder */
        else
            allow_operand(set, options->paths[i], options->reading.recursive);
    if (question->base)
        allow_operand(set, question->base, options->reading.recursive);
    if (question->policy_path)
        allow_operand(set, question->policy_path, options->reading.recursive);
    allow_input(set, question->statement_path);
    allow_input(set, options->watch_policy);
    for (size_t i = 0; i < question->suppression_paths.count; i++)
        allow_input(set, question->suppression_paths.items[i]);
    /* Allow all files to be read. Paths below folders of sources and listings come from the
     * recording, and links there may lead anywhere. */
    if (options->reading.listings.count || question->sources.folders.count ||
        options->source_folders.count)
        allow(set, "/", READ);
    if (options->command.scope & CLI_BROWSES)
        allow_terminals(set);
    allow_output(set, options->output);
    allow_output(set, options->chart);
    allow_output(set, options->export_path);
    if (options->store) {
        char *inside = mp_alloc(strlen(options->store) + sizeof "/x");
        memcpy(inside, options->store, strlen(options->store));
        memcpy(inside + strlen(options->store), "/x", sizeof "/x");
        allow_folder(set, inside, PUT);
        free(inside);
    }
}

/* Return the version of Landlock in the kernel. Below 1, the kernel has no Landlock. */
static long land_version(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
}

static void confine_files(const cli_options *options)
{
    long version = land_version();
    if (version < 1)
        return;
    land_rules denied = {EXECUTE | WRITE | READ | REMOVE | MAKE_ANY, version < 4 ? 0 : 3,
                         version < 6 ? 0 : 3};
    denied.files |= version < 2 ? 0 : (uint64_t)REFER;
    denied.files |= version < 3 ? 0 : (uint64_t)TRUNCATE;
    size_t size = version < 4 ? 8 : version < 6 ? 16 : sizeof denied;
    const land_set set = {(int)syscall(SYS_landlock_create_ruleset, &denied, size, 0),
                          denied.files};
    if (set.rules < 0)
        return;
    allow_all(&set, options);
    syscall(SYS_landlock_restrict_self, set.rules, 0);
    close(set.rules);
}

/* --- system calls: a seccomp filter --- */

#if defined __x86_64__
#define OWN_PROCESSOR AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_PROCESSOR AUDIT_ARCH_AARCH64
#endif

#ifdef OWN_PROCESSOR
enum { HAS_FILTER = true };

/* System calls that this program never makes, but that an attacker might make. */
static const unsigned denied_calls[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_kill,
    SYS_tkill,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_pivot_root,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_add_key,
    SYS_keyctl,
    SYS_request_key,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    /* System calls that some headers are too old to define. Their numbers are the same on all
     * architectures. */
    428, /* open_tree */
    429, /* move_mount */
    430, /* fsopen */
    431, /* fsconfig */
    432, /* fsmount */
    433, /* fspick */
    442, /* mount_setattr */
    452, /* fchmodat2 */
    463, /* setxattrat */
    466, /* removexattrat */
#ifdef __x86_64__
    SYS_fork,
    SYS_vfork,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
#endif
};

enum { CALLS = sizeof denied_calls / sizeof *denied_calls, STEPS = 2 * CALLS + 24 };

typedef struct filter_program {
    struct sock_filter steps[STEPS];
    unsigned short count;
} filter_program;

static void put(filter_program *filter, unsigned code, unsigned k, unsigned yes, unsigned no)
{
    filter->steps[filter->count++] =
        (struct sock_filter){(unsigned short)code, (unsigned char)yes, (unsigned char)no, k};
}

static void load(filter_program *filter, size_t offset)
{
    put(filter, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

/* End the filter with `verdict` if this comparison of the loaded value with `k` is true (BPF_JEQ,
 * BPF_JSET, ...). */
static void end_if(filter_program *filter, unsigned how, unsigned k, unsigned verdict)
{
    put(filter, BPF_JMP | how | BPF_K, k, 0, 1);
    put(filter, BPF_RET | BPF_K, verdict, 0, 0);
}

static void confine_calls(void)
{
    /* THREAD: the flag of clone() that makes a thread; without it, clone() makes a process.
     * SECOND_SET: the bit of x32 system calls. */
    enum { THREAD = 0x00010000, SECOND_SET = 0x40000000 };
    const unsigned no = SECCOMP_RET_ERRNO | EPERM, unknown = SECCOMP_RET_ERRNO | ENOSYS;
    const size_t number = offsetof(struct seccomp_data, nr);
    const size_t first = offsetof(struct seccomp_data, args[0]);
    const size_t second = offsetof(struct seccomp_data, args[1]);
    filter_program filter = {.count = 0};
    load(&filter, offsetof(struct seccomp_data, arch));
    put(&filter, BPF_JMP | BPF_JEQ | BPF_K, OWN_PROCESSOR, 1, 0);
    put(&filter, BPF_RET | BPF_K, no, 0, 0);
    load(&filter, number);
    end_if(&filter, BPF_JGE, SECOND_SET, no);
    for (size_t i = 0; i < CALLS; i++)
        end_if(&filter, BPF_JEQ, denied_calls[i], no);
    /* Refuse clone3, because its flags are behind a pointer that a filter cannot follow. The C
     * library then uses clone. */
    end_if(&filter, BPF_JEQ, SYS_clone3, unknown);
    put(&filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    load(&filter, first);
    end_if(&filter, BPF_JSET, THREAD, SECCOMP_RET_ALLOW);
    put(&filter, BPF_RET | BPF_K, no, 0, 0);
    /* Deny the ioctls that type or paste into the terminal. */
    put(&filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 5);
    load(&filter, second);
    end_if(&filter, BPF_JEQ, TIOCSTI, no);
    end_if(&filter, BPF_JEQ, TIOCLINUX, no);
    put(&filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    const struct sock_fprog program = {filter.count, filter.steps};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
enum { HAS_FILTER = false };

static void confine_calls(void)
{
}
#endif

/* --- files and system calls --- */

/* A program with sanitizers cannot run in the sandbox, because they trace their own process, and
 * start a program to look up symbols. */
#if defined __SANITIZE_ADDRESS__
#define SANITIZED true
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

void cli_sandbox_enter(const cli_options *options)
{
    static bool inside;
    if (SANITIZED || !options->sandbox || options->no_sandbox || inside)
        return;
    inside = true;
    if (cli_is_for_people(options) && !options->no_pager && !follows(options))
        cli_pager_prepare();
    mp_files_foresee(options->question.report, options->question.base, options->paths,
                     options->path_count);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    confine_files(options);
    confine_calls();
}

void cli_sandbox_tell(void)
{
    const unsigned action = SECCOMP_RET_ERRNO;
    bool calls = HAS_FILTER && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
    if (SANITIZED)
        puts("sandbox: none in a build with sanitizers");
    else
        printf("sandbox: other files %s, network and programs %s\n",
               land_version() > 0 ? "denied" : "allowed (the kernel has no Landlock)",
               calls ? "denied" : "allowed (the kernel has no filter of calls)");
}
