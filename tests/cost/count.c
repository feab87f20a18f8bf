/* Count the cost of a run. The program's sources are compiled so that each basic block calls
 * __sanitizer_cov_trace_pc(). Functions of the C library that process bytes count one for each 16
 * bytes.
 *
 * At exit the program writes the sum, and its peak memory in KiB, to the file named by
 * MEMPROF_COST. Unlike time, the sum does not depend on the machine. It is the same in each run,
 * except for the work of threads while others wait. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES_A_STEP = 16, KEPT = 1024 };

static atomic_ullong counted;
/* Count of a thread, before it is added to the sum. It is lost when the thread ends. */
static _Thread_local unsigned kept;

void __sanitizer_cov_trace_pc(void);
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__wrap_memset(void *target, int byte, size_t size);
int __wrap_memcmp(const void *a, const void *b, size_t size);
void *__wrap_memchr(const void *in, int byte, size_t size);
size_t __wrap_strlen(const char *text);
int __wrap_strcmp(const char *a, const char *b);
void *__real_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__real_memset(void *target, int byte, size_t size);
int __real_memcmp(const void *a, const void *b, size_t size);
void *__real_memchr(const void *in, int byte, size_t size);
size_t __real_strlen(const char *text);

static void count(size_t steps)
{
    if (steps < KEPT && kept + steps < KEPT) {
        kept += (unsigned)steps;
        return;
    }
    atomic_fetch_add_explicit(&counted, kept + steps, memory_order_relaxed);
    kept = 0;
}

void __sanitizer_cov_trace_pc(void)
{
    count(1);
}

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    count(1 + size / BYTES_A_STEP);
    return __real_memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
    count(1 + size / BYTES_A_STEP);
    return __real_memmove(to, from, size);
}

void *__wrap_memset(void *target, int byte, size_t size)
{
    count(1 + size / BYTES_A_STEP);
    return __real_memset(target, byte, size);
}

int __wrap_memcmp(const void *a, const void *b, size_t size)
{
    /* the position of the difference is unknown; usually it is near the beginning */
    int order = __real_memcmp(a, b, size);
    count(1 + (order ? 0 : size / BYTES_A_STEP));
    return order;
}

void *__wrap_memchr(const void *in, int byte, size_t size)
{
    char *found = __real_memchr(in, byte, size);
    count(1 + (found ? (size_t)(found - (const char *)in) : size) / BYTES_A_STEP);
    return found;
}

size_t __wrap_strlen(const char *text)
{
    size_t size = __real_strlen(text);
    count(1 + size / BYTES_A_STEP);
    return size;
}

int __wrap_strcmp(const char *a, const char *b)
{
    size_t index = 0;
    while (a[index] == b[index] && a[index])
        index++;
    count(1 + index / BYTES_A_STEP);
    return (unsigned char)a[index] - (unsigned char)b[index];
}

/* Return the program's peak memory in KiB. getrusage() would include the memory of the parent. */
static unsigned long most_kib(void)
{
    char line[256];
    unsigned long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoul(line + 6, NULL, 10);
    if (status)
        fclose(status);
    return kib;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("MEMPROF_COST");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (path &&
        (!file || fprintf(file, "%llu %lu\n", atomic_load(&counted) + kept, most_kib()) < 0 ||
         fclose(file)))
        _exit(99);
}
