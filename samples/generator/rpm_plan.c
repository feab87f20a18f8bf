#include "rpm_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool rpm_plan_init(RpmPlan *plan, const RpmOptions *options)
{
    *plan = (RpmPlan){.options = *options};
    if (options->shape == RPM_SHOP) {
        rpm_shop_init(plan);
        plan->count = plan->object_count;
        return true;
    }
    plan->count = options->objects;
    return rpm_bulk_init(plan);
}

void rpm_plan_free(RpmPlan *plan)
{
    free(plan->ids);
}

RpmObject rpm_plan_object(const RpmPlan *plan, int64_t object)
{
    return plan->options.shape == RPM_SHOP ? plan->objects[object] : rpm_bulk_object(plan, object);
}

int64_t rpm_plan_reference_count(const RpmPlan *plan, int64_t object)
{
    if (plan->options.shape != RPM_SHOP) {
        return rpm_bulk_reference_count(plan, object);
    }
    int64_t count = 0;
    for (int i = 0; i < plan->reference_count; i++) {
        count += plan->references[i].from == object;
    }
    return count;
}

int64_t rpm_plan_reference(const RpmPlan *plan, int64_t object, int64_t number)
{
    if (plan->options.shape != RPM_SHOP) {
        return rpm_bulk_reference(plan, object, number);
    }
    int i = 0;
    for (; plan->references[i].from != object || number; i++) {
        number -= plan->references[i].from == object;
    }
    return plan->references[i].to;
}

bool rpm_plan_root(const RpmPlan *plan, int64_t object, int number, RpmRoot *root)
{
    if (plan->options.shape != RPM_SHOP) {
        return !number && object >= 0 && rpm_bulk_root(plan, object, root);
    }
    for (int i = 0; i < plan->root_count; i++) {
        if (plan->roots[i].object == object && !number--) {
            *root = plan->roots[i];
            return true;
        }
    }
    return false;
}

// Other numbers in each section and dump: they mean nothing across files.
uint64_t rpm_plan_type_id(const RpmPlan *plan, int domain, int type)
{
    int shift = plan->options.dump * 5 + domain * 7;
    return (uint64_t)(1 + (type + shift) % plan->type_count);
}

void rpm_plan_type_name(const RpmPlan *plan, int domain, int type, char name[128])
{
    if (plan->types[type].name) {
        snprintf(name, 128, "%s", plan->types[type].name);
    } else {
        snprintf(name, 128, "<type %" PRIx64 ">", rpm_plan_type_id(plan, domain, type));
    }
}
