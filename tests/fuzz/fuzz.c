#include "fuzz/fuzz.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "readers/reader.h"

#define MP_READER(name) extern const mp_reader mp_reader_##name;
#include "readers/readers.def"
#undef MP_READER

/* All targets. There is one for each reader, and there are others for inputs that are not
 * recordings. */
const fuzz_target fuzz_targets[] = {
#define MP_READER(format)                                                                          \
    {.name = #format, .run = fuzz_reader, .reader = &mp_reader_##format, .lines = true},
#include "readers/readers.def"
#undef MP_READER
    {.name = "packed", .run = fuzz_packed, .mib = 288}, /* enough for two windows of zstd */
    {.name = "decoded", .run = fuzz_decoded, .lines = true},
    {.name = "rows", .run = fuzz_rows, .reader = &mp_reader_aqtime},
    {.name = "policy", .run = fuzz_policy, .lines = true},
    {.name = "suppressions", .run = fuzz_suppressions, .lines = true},
    {.name = "baseline", .run = fuzz_baseline, .lines = true},
    {.name = "substitution", .run = fuzz_substitution},
    {.name = "pattern", .run = fuzz_pattern},
    {.name = "document", .run = fuzz_document},
    {.name = "command", .run = fuzz_command, .lines = true},
    {.name = NULL},
};

const fuzz_target *fuzz_target_find(const char *name)
{
    for (const fuzz_target *target = fuzz_targets; target->name; target++)
        if (mp_text_is(target->name, name))
            return target;
    return NULL;
}

/* --- limits of memory and time --- */

/* Limits on memory for all readings and answers of an input: a constant, plus an amount for each
 * byte of the input. Only sanitizers can measure this memory. */
enum { FREE_MIB = 8, BYTES_EACH = 4 << 10 };
/* CPU seconds: much more than the slowest machine needs for inputs of this size. */
enum { MOST_SECONDS = 10 };

static _Atomic int64_t in_use, most_in_use;

#if defined __SANITIZE_ADDRESS__
#define COUNTS_MEMORY 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define COUNTS_MEMORY 1
#endif
#endif

#ifdef COUNTS_MEMORY
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
                                              void (*free_hook)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *memory);

static void on_malloc(const volatile void *memory, size_t size)
{
    (void)memory;
    int64_t now = atomic_fetch_add(&in_use, (int64_t)size) + (int64_t)size;
    int64_t most = atomic_load(&most_in_use);
    while (now > most && !atomic_compare_exchange_weak(&most_in_use, &most, now))
        ;
}

static void on_free(const volatile void *memory)
{
    if (memory)
        atomic_fetch_sub(&in_use, (int64_t)__sanitizer_get_allocated_size(memory));
}

static void count_memory(void)
{
    __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}
#else
static void count_memory(void)
{
}
#endif

void fuzz_begin(void)
{
    count_memory();
}

void fuzz_run(const fuzz_target *target, const void *bytes, size_t length)
{
    char what[160];
    clock_t started = clock();
    int64_t before = atomic_load(&in_use);
    atomic_store(&most_in_use, before);
    target->run(target, (mp_slice){bytes, length});
    double seconds = (double)(clock() - started) / CLOCKS_PER_SEC;
    int64_t used = atomic_load(&most_in_use) - before;
    snprintf(what, sizeof what, "%zu bytes of %s take %.1f s and %lld KiB", length, target->name,
             seconds, (long long)(used / 1024));
    int64_t most = (int64_t)(target->mib ? target->mib : FREE_MIB) << 20;
    fuzz_hold(seconds <= MOST_SECONDS && used <= most + (int64_t)length * BYTES_EACH, what,
              (mp_slice){NULL, 0});
    if (getenv("MEMPROF_FUZZ_COST"))
        fprintf(stderr, "%s\n", what);
}

/* --- choices --- */

fuzz_choice fuzz_choose_by(mp_slice input)
{
    fuzz_choice choice = {UINT64_C(0xcbf29ce484222325)};
    for (size_t i = 0; i < input.length; i++)
        choice.state = (choice.state ^ (unsigned char)input.start[i]) * UINT64_C(0x100000001b3);
    return choice;
}

unsigned fuzz_choose(fuzz_choice *choice, unsigned count)
{
    choice->state = choice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(choice->state >> 33) % count;
}

/* --- values --- */

unsigned fuzz_take(fuzz_bytes *bytes, unsigned count)
{
    if (!bytes->left.length)
        return 0;
    bytes->left.length--;
    return (unsigned char)*bytes->left.start++ % count;
}

int64_t fuzz_take_number(fuzz_bytes *bytes)
{
    static const int64_t edges[] = {INT64_MIN,        INT64_MIN + 1, -1,           INT32_MAX,
                                    INT64_C(1) << 53, INT64_MAX,     INT64_MAX / 2};
    unsigned kind = fuzz_take(bytes, 16), length = 1 + kind % 8;
    uint64_t number = 0;
    if (kind == 8)
        return edges[fuzz_take(bytes, sizeof edges / sizeof *edges)];
    if (kind > 8)
        length = 1;
    for (unsigned i = 0; i < length; i++)
        number = number << 8 | fuzz_take(bytes, 256);
    return (int64_t)number;
}

double fuzz_take_real(fuzz_bytes *bytes)
{
    double real = (double)fuzz_take_number(bytes);
    return real / (double)(1u << fuzz_take(bytes, 31));
}

mp_slice fuzz_take_bytes(fuzz_bytes *bytes)
{
    size_t length = fuzz_take(bytes, 256);
    if (length > 250) /* sometimes a long text */
        length = (length - 250) * 256;
    if (length > bytes->left.length)
        length = bytes->left.length;
    mp_slice taken = {mp_arena_copy(&bytes->arena, bytes->left.start, length), length};
    bytes->left.start += length;
    bytes->left.length -= length;
    return taken;
}

const char *fuzz_take_text(fuzz_bytes *bytes)
{
    return mp_utf8_copy(&bytes->arena, fuzz_take_bytes(bytes).start);
}
