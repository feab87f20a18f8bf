/* graph_floor: a simple parser of a GC heap dump with one depth-first search, as a lower bound for
 * any analysis of such a file. It uses a hash table from ids to numbers, one array of references,
 * and a stack.
 *
 *   cc -O3 -march=native -o graph_floor graph_floor.c && time ./graph_floor DUMP */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct {
    uint64_t id;
    uint32_t number; /* number from 1; 0 = the slot is empty */
} place;

static uint64_t *ids, *references, *roots, *sizes;
static uint32_t *first, *targets;
static size_t objects, reference_count, root_count;
static size_t object_room, reference_room, root_room;

static void *grown(void *array, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return array;
    *room = *room ? *room * 2 : 1024;
    array = realloc(array, *room * size);
    if (!array)
        exit(1);
    return array;
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

static const char *hex(const char *p, uint64_t *value)
{
    *value = 0;
    for (p = skip_blanks(p);; p++) {
        unsigned digit = (unsigned)*p - '0';
        if (digit > 9) {
            digit = ((unsigned)*p | 32) - 'a' + 10;
            if (digit < 10 || digit > 15)
                return p;
        }
        *value = *value << 4 | digit;
    }
}

static void read_object(const char *p)
{
    uint64_t id, type, size, reference;
    size_t room = object_room;
    p = hex(hex(hex(p, &id), &type), &size);
    objects++;
    ids = grown(ids, &object_room, objects + 2, sizeof *ids);
    if (room != object_room) {
        sizes = realloc(sizes, object_room * sizeof *sizes);
        first = realloc(first, object_room * sizeof *first);
        if (!sizes || !first)
            exit(1);
    }
    ids[objects] = id;
    sizes[objects] = size;
    first[objects] = (uint32_t)reference_count;
    for (p = skip_blanks(p); *p != '\n' && *p != '\r'; p = skip_blanks(p)) {
        p = hex(p, &reference);
        references = grown(references, &reference_room, reference_count + 1, sizeof *references);
        references[reference_count++] = reference;
    }
}

static void read_root(const char *p)
{
    uint64_t id, kind, flags;
    hex(hex(hex(p, &id), &kind), &flags);
    if (flags & 2)
        return;
    roots = grown(roots, &root_room, root_count + 1, sizeof *roots);
    roots[root_count++] = id;
}

static place *table;
static size_t mask;

static place *find(uint64_t id)
{
    size_t index = (size_t)(id * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (table[index].number && table[index].id != id)
        index = (index + 1) & mask;
    return &table[index];
}

static void resolve(void)
{
    mask = 1024;
    while (mask < objects * 2)
        mask *= 2;
    table = calloc(mask--, sizeof *table);
    targets = malloc((reference_count + 1) * sizeof *targets);
    if (!table || !targets)
        exit(1);
    for (size_t i = 1; i <= objects; i++)
        *find(ids[i]) = (place){ids[i], (uint32_t)i};
    for (size_t i = 0; i < reference_count; i++)
        targets[i] = find(references[i])->number;
    if (objects)
        first[objects + 1] = (uint32_t)reference_count;
}

static void search(void)
{
    char *seen = calloc(objects + 1, 1);
    uint32_t *stack = malloc((objects + 1) * sizeof *stack);
    uint64_t bytes = 0;
    size_t reached = 0, depth = 0;
    if (!seen || !stack)
        exit(1);
    seen[0] = 1;
    for (size_t i = 0; i < root_count; i++) {
        uint32_t root = find(roots[i])->number;
        if (!seen[root]) {
            seen[root] = 1;
            stack[depth++] = root;
        }
        while (depth) {
            uint32_t index = stack[--depth];
            reached++;
            bytes += sizes[index];
            for (uint32_t j = first[index]; j < first[index + 1]; j++)
                if (!seen[targets[j]]) {
                    seen[targets[j]] = 1;
                    stack[depth++] = targets[j];
                }
        }
    }
    printf("%zu objects, %zu references; %zu objects of %llu bytes are reached\n", objects,
           reference_count, reached, (unsigned long long)bytes);
}

int main(int argc, char **argv)
{
    struct stat status;
    int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0 || fstat(file, &status) < 0) {
        fprintf(stderr, "usage: graph_floor DUMP\n");
        return 2;
    }
    size_t size = (size_t)status.st_size;
    const char *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (text == MAP_FAILED || !size || text[size - 1] != '\n') {
        fprintf(stderr, "graph_floor: cannot read %s, or it has no line end\n", argv[1]);
        return 1;
    }
    for (const char *p = text, *end = text + size; p < end;) {
        if (*p == 'o')
            read_object(p + 1);
        else if (*p == 'r')
            read_root(p + 1);
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    }
    resolve();
    search();
    return 0;
}
