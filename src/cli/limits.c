#include "cli/limits.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/screen.h"

/* Minimum of the memory limit, even if the machine has less memory available. */
#define LEAST ((uint64_t)128 * 1024 * 1024)

static char memory_text[256] = "memprof: error: out of memory\n";
static char time_text[256];

static struct rlimit memory_before;
static bool memory_is_held;

/* --- available memory --- */

/* Read the number after `word` from a file of lines "word number". If `word` is "", read the first
 * number of the file. Return false if there is no number, for example in a file that says "max". */
static bool number_in(const char *path, const char *word, uint64_t *number)
{
    char line[512];
    FILE *file = fopen(path, "r");
    bool found = false;
    size_t length = strlen(word);
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, word, length) == 0 && sscanf(line + length, " %" SCNu64, number) == 1;
    if (file)
        fclose(file);
    return found;
}

/* Return the memory that a control group has left. Page cache that the kernel may drop does not
 * count as used. */
static uint64_t left_in(const char *folder, const char *most, const char *used, const char *total)
{
    const uint64_t none = INT64_MAX / 2; /* where there is no "max", a number near INT64_MAX */
    char path[4400], word[64];
    uint64_t limit, usage, part, files = 0;
    snprintf(path, sizeof path, "%s/%s", folder, most);
    if (!number_in(path, "", &limit) || limit > none)
        return UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, used);
    if (!number_in(path, "", &usage))
        usage = 0;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    static const char *const kinds[] = {"inactive_file ", "active_file "};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(word, sizeof word, "%s%s", total, kinds[i]);
        files += number_in(path, word, &part) ? part : 0;
    }
    usage -= files < usage ? files : usage;
    return limit > usage ? limit - usage : 0;
}

/* Return the memory left in a control group. If a group above it has less left, return that. */
static uint64_t left_of(const char *root, const char *mount, const char *group, const char *most,
                        const char *used, const char *total)
{
    char folder[4200];
    uint64_t least = UINT64_MAX;
    int base = snprintf(folder, sizeof folder, "%s%s", root, mount);
    snprintf(folder + base, sizeof folder - (size_t)base, "%s", group);
    for (;;) {
        uint64_t left = left_in(folder, most, used, total);
        least = left < least ? left : least;
        char *slash = strrchr(folder + base, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

uint64_t cli_memory_available(const char *root)
{
    char path[4096], line[4096];
    uint64_t available = UINT64_MAX, kilobytes;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (number_in(path, "MemAvailable:", &kilobytes))
        available = kilobytes * 1024;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        uint64_t left = UINT64_MAX;
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        if (strncmp(controllers, "::", 2) == 0)
            left = left_of(root, "/sys/fs/cgroup", group + 1, "memory.max", "memory.current", "");
        else if (strncmp(controllers, ":memory:", 8) == 0)
            left = left_of(root, "/sys/fs/cgroup/memory", group + 1, "memory.limit_in_bytes",
                           "memory.usage_in_bytes", "total_");
        available = left < available ? left : available;
    }
    if (file)
        fclose(file);
    return available == UINT64_MAX ? 0 : available + !available;
}

/* --- memory --- */

/* Return true if the memory can be limited. Sanitizers reserve terabytes of address space. */
static bool can_be_held(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return false;
#endif
#endif
    return true;
}

/* Limit the writable private memory of the process. It includes the memory of libraries, but not
 * mapped files. */
static void hold_memory(int64_t given)
{
    char size[MP_UNIT_TEXT];
    struct rlimit limit;
    uint64_t available = given ? 0 : cli_memory_available("");
    uint64_t most = given ? (uint64_t)given : available - available / 4;
    if (!given && most && most < LEAST)
        most = LEAST;
    if (!most || !can_be_held() || getrlimit(RLIMIT_DATA, &limit) != 0 ||
        (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most))
        return;
    memory_before = limit;
    limit.rlim_cur = (rlim_t)most;
    memory_is_held = setrlimit(RLIMIT_DATA, &limit) == 0;
    if (!memory_is_held)
        return;
    mp_format_bytes(size, (int64_t)most, false, false);
    snprintf(memory_text, sizeof memory_text,
             "memprof: error: out of memory: the limit is %s%s; --max-memory raises it, --jobs 1 "
             "or fewer files need less\n",
             size, given ? "" : ", three quarters of the available memory");
}

const char *cli_limits_memory_text(void)
{
    return memory_text;
}

/* --- time --- */

static void time_is_up(int number)
{
    (void)number;
    cli_screen_end();
    if (write(STDERR_FILENO, time_text, strlen(time_text)) < 0) {
        /* nothing else can be done */
    }
    mp_outputs_abandon();
    _Exit(CLI_UNREADABLE);
}

static void hold_time(int64_t us)
{
    const struct sigaction ending = {.sa_handler = time_is_up};
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000)}};
    snprintf(time_text, sizeof time_text,
             "memprof: error: stopped after the %" PRId64
             ".%03d s of --max-time, without a result\n",
             us / 1000000, (int)(us % 1000000 / 1000));
    sigaction(SIGALRM, &ending, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* --- files --- */

/* Limit the size of files. SQL statements that sort may write temporary files that are larger than
 * the recording. */
static void hold_files(void)
{
    const rlim_t most = (rlim_t)8 * 1024 * 1024 * 1024;
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur > most) {
        limit.rlim_cur = most;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
}

void cli_limits_begin(const cli_options *options)
{
    const mp_report *report = options->command.report;
    hold_memory(options->max_memory);
    if (report && report->operand == MP_OPERAND_STATEMENT)
        hold_files();
    if (options->max_time)
        hold_time(options->max_time);
}

void cli_limits_end(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
}

void cli_limits_leave(void)
{
    if (memory_is_held)
        setrlimit(RLIMIT_DATA, &memory_before);
    signal(SIGXFSZ, SIG_DFL);
}
