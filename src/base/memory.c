#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/format.h"
#include "memprof/diagnostics.h"
#include "memprof/memprof.h"

enum { FIRST_BLOCK = 1024, MOST_BLOCK = 64 * 1024, ALIGNMENT = 16 };

struct mp_arena_block {
    struct mp_arena_block *next;
    size_t capacity;
    _Alignas(ALIGNMENT) char bytes[];
};

static void (*out_of_memory)(void) = abort;

void mp_set_out_of_memory_handler(void (*handler)(void))
{
    out_of_memory = handler ? handler : abort;
}

void *mp_out_of_memory(void)
{
    out_of_memory();
    abort(); /* the handler returned, which it must not do */
}

static void *checked(void *memory)
{
    return memory ? memory : mp_out_of_memory();
}

/* Check that memory was allocated. If it is large, ask the kernel for huge pages: large tables are
 * accessed at random, so with small pages most accesses miss the processor's cache of addresses,
 * and each page is a fault. If the kernel refuses, only time is lost. */
static void *settled(void *memory, size_t bytes)
{
    enum { LARGE = 4 << 20 };
    checked(memory);
    if (bytes >= LARGE) {
        /* The advice covers whole pages. If it split the mapping, realloc could not extend it, and
         * would copy. */
        const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
        char *start = (char *)memory - ((uintptr_t)memory & (page - 1));
        madvise(start, (size_t)((char *)memory - start) + bytes, MADV_HUGEPAGE);
    }
    return memory;
}

void *mp_alloc(size_t bytes)
{
    return settled(malloc(bytes ? bytes : 1), bytes);
}

void *mp_alloc_zero(size_t count, size_t size)
{
    enum { SMALL = 1024 }; /* unlike malloc, calloc takes no block from the thread's cache */
    if (count <= SMALL / size)
        return memset(mp_alloc(count * size), 0, count * size);
    return settled(calloc(count, size), count * size);
}

void mp_free_all(const void *const *memory, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((void *)(uintptr_t)memory[i]);
}

char *mp_copy(const char *text, size_t length)
{
    char *copy = mp_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void mp_grow(void *array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return;
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < need)
        wanted *= 2;
    void *memory;
    memcpy(&memory, array, sizeof memory);
    if (wanted > SIZE_MAX / size)
        checked(NULL);
    memory = settled(realloc(memory, wanted * size), wanted * size);
    memcpy(array, &memory, sizeof memory);
    *capacity = wanted;
}

void mp_extend(void *array, size_t *count, size_t *capacity, size_t need, size_t size)
{
    char *memory;
    mp_grow(array, capacity, need, size);
    memcpy(&memory, array, sizeof memory);
    memset(memory + *count * size, 0, (need - *count) * size);
    *count = need;
}

void *mp_resized(void *array, size_t count, size_t size)
{
    return settled(realloc(array, count * size), count * size);
}

void *mp_fitted(void *array, size_t count, size_t size)
{
    void *copy = count ? memcpy(mp_alloc(count * size), array, count * size) : NULL;
    free(array);
    return copy;
}

void *mp_arena_alloc(mp_arena *arena, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->head || arena->head->capacity - arena->used < bytes) {
        /* The first block is small, because many arenas contain only a few lines. */
        size_t capacity = arena->head ? arena->head->capacity * 2 : FIRST_BLOCK;
        if (capacity > MOST_BLOCK)
            capacity = MOST_BLOCK;
        if (capacity < bytes)
            capacity = bytes;
        struct mp_arena_block *block = mp_alloc(sizeof *block + capacity);
        block->next = arena->head;
        block->capacity = capacity;
        arena->head = block;
        arena->used = 0;
    }
    void *memory = arena->head->bytes + arena->used;
    arena->used += bytes;
    return memory;
}

char *mp_arena_copy(mp_arena *arena, const char *text, size_t length)
{
    char *copy = mp_arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *mp_arena_format_list(mp_arena *arena, const char *format, va_list arguments)
{
    char brief[256]; /* long enough for most texts, which are then formatted only once */
    va_list again;
    va_copy(again, arguments);
    const size_t length = mp_format_list(brief, sizeof brief, format, again);
    va_end(again);
    if (length < sizeof brief)
        return mp_arena_copy(arena, brief, length);
    char *text = mp_arena_alloc(arena, length + 1);
    mp_format_list(text, length + 1, format, arguments);
    return text;
}

char *mp_arena_format(mp_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = mp_arena_format_list(arena, format, arguments);
    va_end(arguments);
    return text;
}

static int compare_ranges(const void *a, const void *b)
{
    const mp_memory_range *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

mp_memory_range *mp_arena_ranges(const mp_arena *arena, size_t *count)
{
    size_t blocks = 0;
    for (const struct mp_arena_block *block = arena->head; block; block = block->next)
        blocks++;
    mp_memory_range *ranges = mp_alloc(blocks * sizeof *ranges);
    *count = 0;
    for (const struct mp_arena_block *block = arena->head; block; block = block->next) {
        uintptr_t begin = (uintptr_t)block->bytes;
        ranges[(*count)++] = (mp_memory_range){begin, begin + block->capacity};
    }
    qsort(ranges, blocks, sizeof *ranges, compare_ranges);
    return ranges;
}

static int compare_to_range(const void *address, const void *range)
{
    const uintptr_t state = *(const uintptr_t *)address;
    const mp_memory_range *in = range;
    return state < in->begin ? -1 : state >= in->end;
}

bool mp_ranges_have(const mp_memory_range *ranges, size_t count, const void *memory)
{
    uintptr_t address = (uintptr_t)memory;
    return bsearch(&address, ranges, count, sizeof *ranges, compare_to_range) != NULL;
}

void mp_arena_free(mp_arena *arena)
{
    while (arena->head) {
        struct mp_arena_block *next = arena->head->next;
        free(arena->head);
        arena->head = next;
    }
    arena->used = 0;
}

void mp_arena_reset(mp_arena *arena)
{
    struct mp_arena_block *last = arena->head;
    if (last) {
        arena->head = last->next;
        mp_arena_free(arena);
        last->next = NULL;
    }
    arena->head = last;
    arena->used = 0;
}

/* --- streams --- */

typedef struct memory_stream {
    char **text;
    size_t *length;
    size_t position, end, capacity;
} memory_stream;

static ssize_t stream_write(void *opaque, const char *bytes, size_t size)
{
    memory_stream *stream = opaque;
    mp_grow(stream->text, &stream->capacity, stream->position + size + 1, 1);
    memcpy(*stream->text + stream->position, bytes, size);
    stream->position += size;
    stream->end = stream->position > stream->end ? stream->position : stream->end;
    return (ssize_t)size;
}

static int stream_seek(void *opaque, off64_t *offset, int whence)
{
    memory_stream *stream = opaque;
    size_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? stream->position : stream->end;
    if (*offset < -(off64_t)from || *offset > (off64_t)(stream->end - from))
        return -1; /* seeking past the end is not supported */
    *offset += (off64_t)from;
    stream->position = (size_t)*offset;
    return 0;
}

static int stream_close(void *opaque)
{
    memory_stream *stream = opaque;
    (*stream->text)[stream->position] = '\0';
    *stream->length = stream->position;
    free(stream);
    return 0;
}

FILE *mp_memory_open(char **text, size_t *length)
{
    static const cookie_io_functions_t calls = {
        .write = stream_write, .seek = stream_seek, .close = stream_close};
    memory_stream *stream = mp_alloc_zero(1, sizeof *stream);
    *stream = (memory_stream){.text = text, .length = length};
    *text = NULL;
    mp_grow(text, &stream->capacity, 1, 1);
    return checked(fopencookie(stream, "w", calls));
}

void mp_memory_close(FILE *file)
{
    if (fclose(file) != 0)
        mp_out_of_memory();
}
