/* Heap dumps of Java: the shop as a server. Each dump has 40 more listeners, which were registered
 * for orders and never removed. */
#include <string.h>

#include "gen.h"

enum { MOST_OBJECTS = 1024, MOST_REFERENCES = 4096, MOST_FIELDS = 3, LISTENERS = 40, PRICES = 12 };
enum { ID = 8, FIRST_ADDRESS = 0x40000000, FIRST_TEXT = 0x1000 };
/* Types of fields, with their numbers in the file. */
enum { REFERENCE = 2, BYTE = 8, INT = 10, LONG = 11 };
/* Layout of objects with compressed references. */
enum { HEADER = 12, ARRAY_HEADER = 16, CLASS_BYTES = 112, ALIGNMENT = 8 };

typedef struct hp_field {
    const char *name;
    int type;
} hp_field;

typedef struct hp_class {
    const char *name; /* name in the file */
    const char *type; /* name in answers */
    int above;        /* superclass */
    hp_field fields[MOST_FIELDS];
    const char *static_field;
} hp_class;

enum {
    C_OBJECT,
    C_CLASS,
    C_STRING,
    C_OBJECTS,
    C_LIST,
    C_REFERENCE,
    C_WEAK,
    C_THREAD,
    C_LISTENERS,
    C_LISTENER,
    C_ORDER,
    C_CACHE,
    C_PRICE,
    C_PRICES,
    C_QUEUE,
    C_REQUEST,
    CLASSES,
    C_BYTES = CLASSES /* the file has no class for it */
};

static const hp_class classes[CLASSES] = {
    {"java/lang/Object", "java.lang.Object", -1, {{0}}, NULL},
    {"java/lang/Class", "java.lang.Class", C_OBJECT, {{0}}, NULL},
    {"java/lang/String", "java.lang.String", C_OBJECT, {{"value", REFERENCE}, {"hash", INT}}, NULL},
    {"[Ljava/lang/Object;", "java.lang.Object[]", C_OBJECT, {{0}}, NULL},
    {"java/util/ArrayList",
     "java.util.ArrayList",
     C_OBJECT,
     {{"elementData", REFERENCE}, {"size", INT}},
     NULL},
    {"java/lang/ref/Reference",
     "java.lang.ref.Reference",
     C_OBJECT,
     {{"referent", REFERENCE}},
     NULL},
    {"java/lang/ref/WeakReference", "java.lang.ref.WeakReference", C_REFERENCE, {{0}}, NULL},
    {"java/lang/Thread", "java.lang.Thread", C_OBJECT, {{"name", REFERENCE}}, NULL},
    {"shop/Listeners", "shop.Listeners", C_OBJECT, {{0}}, "LIST"},
    {"shop/PriceListener", "shop.PriceListener", C_OBJECT, {{"order", REFERENCE}}, NULL},
    {"shop/Order", "shop.Order", C_OBJECT, {{"number", REFERENCE}, {"total", LONG}}, NULL},
    {"shop/PriceCache", "shop.PriceCache", C_OBJECT, {{0}}, "PRICES"},
    {"shop/Price", "shop.Price", C_OBJECT, {{"currency", REFERENCE}, {"amount", LONG}}, NULL},
    {"[Lshop/Price;", "shop.Price[]", C_OBJECT, {{0}}, NULL},
    {"shop/Queue", "shop.Queue", C_OBJECT, {{0}}, "REQUESTS"},
    {"shop/Request", "shop.Request", C_OBJECT, {{"id", LONG}, {"user", INT}}, NULL},
};

/* The object of each class comes first, in the order of the classes. */
typedef struct hp_object {
    int class;
    int length; /* of an array */
    int64_t size;
    uint64_t address;
} hp_object;

typedef struct hp_reference {
    int from, to;
    bool keeps; /* the target stays alive as long as the source */
} hp_reference;

enum { SYSTEM_CLASS, STATIC, THREAD, LOCAL, ROOT_KINDS };

typedef struct hp_root {
    int kind, object;
} hp_root;

typedef struct hp_plan {
    hp_object objects[MOST_OBJECTS];
    hp_reference
        references[MOST_REFERENCES]; /* references of an object, in the order of its fields */
    hp_root roots[32];
    int count, reference_count, root_count;
    uint64_t end;
} hp_plan;

/* --- plan --- */

static bool is_array(int class)
{
    return class == C_BYTES || classes[class].name[0] == '[';
}

/* Return the number of bytes of the fields of an instance; a reference has `reference` bytes. */
static int64_t bytes_of_fields(int class, int reference)
{
    int64_t bytes = 0;
    for (; class >= 0; class = classes[class].above)
        for (const hp_field *field = classes[class].fields; field->name; field++)
            bytes += field->type == LONG ? 8 : field->type == INT ? 4 : reference;
    return bytes;
}

static int64_t size_of(int class, int length)
{
    const int64_t bytes = class == C_BYTES  ? ARRAY_HEADER + length
                          : is_array(class) ? ARRAY_HEADER + 4 * (int64_t)length
                                            : HEADER + bytes_of_fields(class, 4);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int place(hp_plan *plan, int class, int length, int64_t size)
{
    plan->objects[plan->count] = (hp_object){class, length, size, plan->end};
    plan->end += (uint64_t)size;
    return plan->count++;
}

static int add(hp_plan *plan, int class, int length)
{
    return place(plan, class, length, size_of(class, length));
}

static int refer(hp_plan *plan, int from, int to)
{
    plan->references[plan->reference_count++] = (hp_reference){from, to, true};
    return to;
}

static void root(hp_plan *plan, int kind, int object)
{
    plan->roots[plan->root_count++] = (hp_root){kind, object};
}

/* Let the static field of a class refer to an object. */
static int keep(hp_plan *plan, int class, int object)
{
    root(plan, STATIC, object);
    return refer(plan, class, object);
}

static int text(hp_plan *plan, int owner, int length)
{
    const int string = refer(plan, owner, add(plan, C_STRING, 0));
    refer(plan, string, add(plan, C_BYTES, length));
    return string;
}

/* Add the leak: listeners, each with the order for which it was registered. */
static void add_listeners(hp_plan *plan, int count)
{
    const int list = keep(plan, C_LISTENERS, add(plan, C_LIST, 0));
    const int elements = refer(plan, list, add(plan, C_OBJECTS, count));
    for (int i = 0; i < count; i++) {
        const int listener = refer(plan, elements, add(plan, C_LISTENER, 0));
        const int order = refer(plan, listener, add(plan, C_ORDER, 0));
        text(plan, order, 6);
    }
}

/* Add a cache whose size stays the same, and requests, whose number goes up and down. */
static void add_others(hp_plan *plan, int dump)
{
    static const int requests[] = {3, 9, 4};
    const int prices = keep(plan, C_CACHE, add(plan, C_PRICES, PRICES));
    int currency = -1;
    for (int i = 0; i < PRICES; i++) {
        const int price = refer(plan, prices, add(plan, C_PRICE, 0));
        currency = i ? refer(plan, price, currency) : text(plan, price, 3);
    }
    const int queue = keep(plan, C_QUEUE, add(plan, C_OBJECTS, 16));
    int request = -1;
    for (int i = 0; i < requests[dump - 1]; i++)
        request = refer(plan, queue, add(plan, C_REQUEST, 0));
    root(plan, LOCAL, request);
    const int weak = add(plan, C_WEAK, 0);
    root(plan, LOCAL, weak);
    refer(plan, weak, add(plan, C_ORDER, 0));
    plan->references[plan->reference_count - 1].keeps = false;
    text(plan, plan->count - 1, 6);
}

static const hp_plan *plan_of(const gen_options *options)
{
    static hp_plan plan;
    if (plan.count)
        return &plan;
    plan.end = FIRST_ADDRESS + (uint64_t)options->dump * 0x100000;
    for (int i = 0; i < CLASSES; i++)
        place(&plan, C_CLASS, 0, CLASS_BYTES + (classes[i].static_field ? ALIGNMENT : 0));
    for (int i = 0; i < CLASSES; i++) {
        if (classes[i].above >= 0)
            refer(&plan, i, classes[i].above);
        root(&plan, SYSTEM_CLASS, i);
    }
    const int thread = add(&plan, C_THREAD, 0);
    root(&plan, THREAD, thread);
    text(&plan, thread, 4);
    root(&plan, LOCAL, add(&plan, C_BYTES, 4096));
    add_listeners(&plan, LISTENERS * (int)options->dump);
    add_others(&plan, (int)options->dump);
    return &plan;
}

/* --- file --- */

static void put(gen_writer *writer, uint64_t number, int bytes)
{
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        gen_char(writer, (char)(number >> shift));
}

static void put_record(gen_writer *writer, int tag, uint64_t length)
{
    put(writer, (uint64_t)tag, 1);
    put(writer, 0, 4);
    put(writer, length, 4);
}

/* The texts of a dump are numbered in the order of their first use. */
static uint64_t text_of(gen_writer *writer, const char *text)
{
    static const char *texts[64];
    static int count;
    int i = 0;
    while (i < count && strcmp(texts[i], text) != 0)
        i++;
    if (i == count) {
        texts[count++] = text;
        put_record(writer, 0x01, ID + strlen(text));
        put(writer, FIRST_TEXT + 8 * (uint64_t)i, ID);
        gen_bytes(writer, text, strlen(text));
    }
    return FIRST_TEXT + 8 * (uint64_t)i;
}

/* Return the next reference of an object from *place on, and advance *place; NULL: there are no
 * more. */
static const hp_reference *next_reference(const hp_plan *plan, int object, int *place)
{
    while (*place < plan->reference_count && plan->references[*place].from != object)
        ++*place;
    return *place < plan->reference_count ? &plan->references[(*place)++] : NULL;
}

/* Write the address of the next object to which an object refers; 0: there is none. */
static void put_reference(gen_writer *writer, const hp_plan *plan, int object, int *next)
{
    const hp_reference *reference = next_reference(plan, object, next);
    put(writer, reference ? plan->objects[reference->to].address : 0, ID);
}

/* Write the names of a class, of its fields and of its static field. */
static void put_names(gen_writer *writer, const hp_plan *plan, int class)
{
    const hp_class *named = &classes[class];
    const uint64_t name = text_of(writer, named->name);
    for (const hp_field *field = named->fields; field->name; field++)
        text_of(writer, field->name);
    if (named->static_field)
        text_of(writer, named->static_field);
    put_record(writer, 0x02, 8 + 2 * ID);
    put(writer, (uint64_t) class + 1, 4);
    put(writer, plan->objects[class].address, ID);
    put(writer, 0, 4);
    put(writer, name, ID);
}

/* Write the stack of the thread: one frame, shop.Listeners.add in line 61. */
static void put_stack(gen_writer *writer)
{
    const uint64_t method = text_of(writer, "add"), signature = text_of(writer, "()V"),
                   source = text_of(writer, "Listeners.java");
    put_record(writer, 0x04, 4 * ID + 8);
    put(writer, 1, ID);
    put(writer, method, ID);
    put(writer, signature, ID);
    put(writer, source, ID);
    put(writer, C_LISTENERS + 1, 4);
    put(writer, 61, 4);
    put_record(writer, 0x05, 12 + ID);
    put(writer, 1, 4); /* number of the stack */
    put(writer, 1, 4); /* number of the thread */
    put(writer, 1, 4); /* frames */
    put(writer, 1, ID);
}

/* Begin a segment with one record of `length` bytes after its tag and id. */
static void put_segment(gen_writer *writer, int tag, uint64_t address, uint64_t length)
{
    put_record(writer, 0x1C, 1 + ID + length);
    put(writer, (uint64_t)tag, 1);
    put(writer, address, ID);
}

static void put_class(gen_writer *writer, const hp_plan *plan, int class)
{
    const hp_class *described = &classes[class];
    uint64_t fields = 0;
    int next = 0;
    while (described->fields[fields].name)
        fields++;
    put_segment(writer, 0x20, plan->objects[class].address,
                4 + 6 * ID + 4 + 2 + 2 + (described->static_field ? 2u * ID + 1 : 0) + 2 +
                    fields * (ID + 1));
    put(writer, 0, 4);
    if (described->above >= 0)
        put_reference(writer, plan, class, &next);
    else
        put(writer, 0, ID);
    for (int i = 0; i < 5; i++) /* class loader, signers, protection domain, two reserved fields */
        put(writer, 0, ID);
    put(writer, (uint64_t)bytes_of_fields(class, ID), 4);
    put(writer, 0, 2); /* constants */
    put(writer, described->static_field ? 1 : 0, 2);
    if (described->static_field) {
        put(writer, text_of(writer, described->static_field), ID);
        put(writer, REFERENCE, 1);
        put_reference(writer, plan, class, &next);
    }
    put(writer, fields, 2);
    for (const hp_field *field = described->fields; field->name; field++) {
        put(writer, text_of(writer, field->name), ID);
        put(writer, (uint64_t)field->type, 1);
    }
}

static void put_object(gen_writer *writer, const hp_plan *plan, int object)
{
    const hp_object *written = &plan->objects[object];
    const uint64_t length = (uint64_t)written->length;
    int next = 0;
    if (written->class == C_BYTES) {
        put_segment(writer, 0x23, written->address, 9 + length);
        put(writer, 0, 4);
        put(writer, length, 4);
        put(writer, BYTE, 1);
        for (uint64_t i = 0; i < length; i++)
            gen_char(writer, 'x');
    } else if (is_array(written->class)) {
        put_segment(writer, 0x22, written->address, 8 + ID + ID * length);
        put(writer, 0, 4);
        put(writer, length, 4);
        put(writer, plan->objects[written->class].address, ID);
        for (uint64_t i = 0; i < length; i++)
            put_reference(writer, plan, object, &next);
    } else {
        const int64_t bytes = bytes_of_fields(written->class, ID);
        put_segment(writer, 0x21, written->address, 8 + ID + (uint64_t)bytes);
        put(writer, 0, 4);
        put(writer, plan->objects[written->class].address, ID);
        put(writer, (uint64_t)bytes, 4);
        for (int class = written->class; class >= 0; class = classes[class].above)
            for (const hp_field *field = classes[class].fields; field->name; field++)
                if (field->type == REFERENCE)
                    put_reference(writer, plan, object, &next);
                else
                    put(writer, 0, field->type == LONG ? 8 : 4);
    }
}

static void put_root(gen_writer *writer, const hp_plan *plan, const hp_root *written)
{
    static const int tags[ROOT_KINDS] = {[SYSTEM_CLASS] = 0x05, [THREAD] = 0x08, [LOCAL] = 0x03};
    if (written->kind == STATIC)
        return; /* this is in the record of its class */
    put_segment(writer, tags[written->kind], plan->objects[written->object].address,
                written->kind == SYSTEM_CLASS ? 0 : 8);
    if (written->kind == SYSTEM_CLASS)
        return;
    put(writer, 1, 4);                               /* thread */
    put(writer, written->kind == THREAD ? 1 : 0, 4); /* stack, or frame in it */
}

void gen_hprof(const gen_options *options, gen_writer *writer)
{
    const hp_plan *plan = plan_of(options);
    gen_bytes(writer, "JAVA PROFILE 1.0.2", sizeof "JAVA PROFILE 1.0.2");
    put(writer, ID, 4);
    put(writer, 1700000000000 + 60000 * (uint64_t)options->dump, 8);
    for (int i = 0; i < CLASSES; i++)
        put_names(writer, plan, i);
    put_stack(writer);
    for (int i = 0; i < CLASSES; i++)
        put_class(writer, plan, i);
    for (int i = CLASSES; i < plan->count; i++)
        put_object(writer, plan, i);
    for (int i = 0; i < plan->root_count; i++)
        put_root(writer, plan, &plan->roots[i]);
    put_record(writer, 0x2C, 0);
}

/* --- known answer --- */

static const char *root_kind(int kind)
{
    static const char *const names[ROOT_KINDS] = {"system class", "static", "thread", "local"};
    return names[kind];
}

static gen_object object_of(const void *data, int64_t number)
{
    const hp_plan *plan = data;
    const hp_object *object = &plan->objects[number];
    gen_object found = {.size = object->size,
                        .id = object->address,
                        .type = object->class == C_BYTES ? "byte[]" : classes[object->class].type};
    for (int i = 0; i < plan->root_count; i++)
        if (plan->roots[i].object == number)
            found.root_kinds |= 1u << plan->roots[i].kind;
    found.strong_root = found.root_kinds != 0;
    return found;
}

static int64_t reference_count(const void *data, int64_t number)
{
    const hp_plan *plan = data;
    int64_t count = 0;
    for (int i = 0; i < plan->reference_count; i++)
        count += plan->references[i].keeps && plan->references[i].from == number;
    return count;
}

static int64_t reference_of(const void *data, int64_t number, int64_t which)
{
    const hp_plan *plan = data;
    int i = 0;
    while (!plan->references[i].keeps || plan->references[i].from != number || which--)
        i++;
    return plan->references[i].to;
}

void gen_hprof_answer(const gen_options *options, gen_json *json)
{
    const hp_plan *plan = plan_of(options);
    const gen_graph_view view = {.plan = plan,
                                 .count = plan->count,
                                 .object = object_of,
                                 .reference_count = reference_count,
                                 .reference = reference_of,
                                 .root_kind = root_kind};
    gen_answer_graph(json, &view, plan->reference_count, CLASSES);
}
