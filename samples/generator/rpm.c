#include "rpm.h"

static const uint64_t START_STAMP = 0x444d20df;

enum {
    DUMP_INTERVAL = 60000, // milliseconds
    DUMP_TIME = 541,
    UNKNOWN_ID = 0xdead0,
    ROOT_WITHOUT_OBJECT = 0x7ff018,
};

static void hex_word(Writer *writer, uint64_t number)
{
    writer_char(writer, ' ');
    writer_hex(writer, number);
}

static void write_domain(const RpmPlan *plan, const RpmLayout *layout, int domain, bool end,
                         Writer *writer)
{
    static const char *const names[RPM_MAX_DOMAINS] = {"Shop.exe", "Shop Updater.exe",
                                                       "Shop Printer.exe", "Shop 4.exe"};
    writer_text(writer, end ? "c " : "a 2 ");
    writer_text(writer, names[domain]);
    if (!layout->no_stamps) {
        hex_word(writer, START_STAMP + (uint64_t)(plan->options.dump * DUMP_INTERVAL) +
                             (end ? DUMP_TIME : 0));
    }
    writer_end_line(writer);
}

static void write_type(const RpmPlan *plan, int domain, int type, Writer *writer)
{
    if (!plan->types[type].name) {
        return;
    }
    writer_char(writer, 't');
    hex_word(writer, rpm_plan_type_id(plan, domain, type));
    writer_char(writer, ' ');
    writer_text(writer, plan->types[type].name);
    writer_end_line(writer);
}

static void write_root(const RpmPlan *plan, const RpmRoot *root, Writer *writer)
{
    writer_char(writer, 'r');
    hex_word(writer, root->object >= 0 ? rpm_plan_object(plan, root->object).id
                                       : (uint64_t)ROOT_WITHOUT_OBJECT);
    hex_word(writer, (uint64_t)root->kind);
    hex_word(writer, root->flags);
    if (root->container >= 0) {
        hex_word(writer, rpm_plan_type_id(plan, root->domain, root->container));
    }
    writer_end_line(writer);
}

// A type is declared before its first object of the section, if not behind all of them.
static void write_object(const RpmPlan *plan, const RpmLayout *layout, int64_t index,
                         bool *declared, Writer *writer)
{
    RpmObject object = rpm_plan_object(plan, index);
    if (!declared[object.type] && !layout->types_last && !plan->types[object.type].late) {
        declared[object.type] = true;
        write_type(plan, object.domain, object.type, writer);
    }
    writer_char(writer, 'o');
    hex_word(writer, object.id);
    hex_word(writer, rpm_plan_type_id(plan, object.domain, object.type));
    hex_word(writer, (uint64_t)object.size);
    int64_t count = rpm_plan_reference_count(plan, index);
    for (int64_t i = 0; i < count; i++) {
        int64_t target = rpm_plan_reference(plan, index, i);
        hex_word(writer, target >= 0 ? rpm_plan_object(plan, target).id : (uint64_t)UNKNOWN_ID);
    }
    writer_end_line(writer);
    RpmRoot root;
    for (int i = 0; rpm_plan_root(plan, index, i, &root); i++) {
        if (!root.early && root.domain == object.domain) {
            write_root(plan, &root, writer);
        }
    }
}

// Roots before their objects, or behind them all: those of other sections and of nothing.
static void write_other_roots(const RpmPlan *plan, int domain, bool early, Writer *writer)
{
    for (int i = 0; i < plan->root_count; i++) {
        const RpmRoot *root = &plan->roots[i];
        bool apart = root->object < 0 || plan->objects[root->object].domain != root->domain;
        if (root->domain == domain && (early ? root->early : apart)) {
            write_root(plan, root, writer);
        }
    }
}

static void write_section(const RpmPlan *plan, const RpmLayout *layout, int domain, Writer *writer)
{
    bool declared[64] = {false};
    write_domain(plan, layout, domain, false, writer);
    write_other_roots(plan, domain, true, writer);
    for (int64_t i = 0; i < plan->count; i++) {
        if (plan->options.domains == 1 || plan->objects[i].domain == domain) {
            write_object(plan, layout, i, declared, writer);
        }
    }
    write_other_roots(plan, domain, false, writer);
    writer_end_line(writer); // blank lines occur
    for (int i = 0; i < plan->type_count; i++) {
        if (!declared[i]) {
            write_type(plan, domain, i, writer);
        }
    }
    if (layout->torn && domain + 1 == plan->options.domains) {
        writer_text(writer, "o 1c");
        return;
    }
    write_domain(plan, layout, domain, true, writer);
}

void rpm_write(const RpmPlan *plan, const RpmLayout *layout, Writer *writer)
{
    for (int i = 0; i < plan->options.domains; i++) {
        write_section(plan, layout, i, writer);
    }
}
