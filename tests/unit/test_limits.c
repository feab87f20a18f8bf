/* Available memory, determined from files of the kernel and of control groups. The test makes these
 * files. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "cli/limits.h"

#define MIB ((uint64_t)1024 * 1024)

static char root[32];

static int make_root(void **unused)
{
    (void)unused;
    strcpy(root, "/tmp/memprof-limits-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int drop(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static int drop_root(void **unused)
{
    (void)unused;
    return nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
}

/* Write a file, creating its folders. */
static void put(const char *name, const char *text)
{
    char path[300];
    int length = snprintf(path, sizeof path, "%s%s", root, name);
    assert_in_range(length, 1, sizeof path - 1);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void without_files_nobody_knows(void **unused)
{
    (void)unused;
    assert_int_equal(cli_memory_available(root), 0);
}

static void the_kernel_says(void **unused)
{
    (void)unused;
    put("/proc/meminfo", "MemTotal: 8388608 kB\nMemFree: 1 kB\nMemAvailable:    4194304 kB\n");
    assert_int_equal(cli_memory_available(root), 4096 * MIB);
    put("/proc/self/cgroup", "no line of such a file\n0::/gone\n");
    assert_int_equal(cli_memory_available(root), 4096 * MIB);
}

/* Pages that may be dropped do not count as memory in use. This is so for the group, and for the
 * groups above it. */
static void a_group_has_a_limit(void **unused)
{
    (void)unused;
    put("/proc/meminfo", "MemAvailable: 4194304 kB\n");
    put("/proc/self/cgroup", "0::/job/step\n");
    put("/sys/fs/cgroup/job/step/memory.max", "1073741824\n");
    put("/sys/fs/cgroup/job/step/memory.current", "629145600\n");
    assert_int_equal(cli_memory_available(root), 424 * MIB);
    put("/sys/fs/cgroup/job/step/memory.stat",
        "anon 1\nfile 2\nfile_mapped 3\ninactive_anon 4\ninactive_file 104857600\n"
        "active_file 52428800\n");
    assert_int_equal(cli_memory_available(root), 574 * MIB);
    put("/sys/fs/cgroup/job/memory.max", "838860800\n");
    put("/sys/fs/cgroup/job/memory.current", "734003200\n");
    assert_int_equal(cli_memory_available(root), 100 * MIB);
    put("/sys/fs/cgroup/job/memory.max", "max\n");
    assert_int_equal(cli_memory_available(root), 574 * MIB);
    put("/sys/fs/cgroup/job/step/memory.max", "max\n");
    assert_int_equal(cli_memory_available(root), 4096 * MIB);
}

/* A group that is over its limit has no memory left. The result is not "unknown limit". */
static void a_group_is_full(void **unused)
{
    (void)unused;
    put("/proc/meminfo", "MemAvailable: 4194304 kB\n");
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/memory.max", "104857600\n");
    put("/sys/fs/cgroup/memory.current", "104857601\n");
    assert_int_equal(cli_memory_available(root), 1);
}

static void groups_of_version_1(void **unused)
{
    (void)unused;
    put("/proc/meminfo", "MemAvailable: 4194304 kB\n");
    put("/proc/self/cgroup", "12:pids:/docker/x\n5:memory:/docker/x\n0::/docker/x\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "536870912\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.usage_in_bytes", "209715200\n");
    put("/sys/fs/cgroup/memory/docker/x/memory.stat",
        "inactive_file 1\ntotal_inactive_file 104857600\ntotal_active_file 0\n");
    assert_int_equal(cli_memory_available(root), 412 * MIB);
    /* the number that means "no limit" */
    put("/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(cli_memory_available(root), 4096 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_files_nobody_knows, make_root, drop_root),
        cmocka_unit_test_setup_teardown(the_kernel_says, make_root, drop_root),
        cmocka_unit_test_setup_teardown(a_group_has_a_limit, make_root, drop_root),
        cmocka_unit_test_setup_teardown(a_group_is_full, make_root, drop_root),
        cmocka_unit_test_setup_teardown(groups_of_version_1, make_root, drop_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
