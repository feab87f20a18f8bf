#include "aqtime_plan.h"

static const AqClass classes[AQ_CLASSES] = {
    {"TOrderEvent", "", "Shop.exe", false, 2},
    {"C++ native memory", "", "ShopPdf.dll", false, 30},
    {"TPriceEntry", "", "Shop.exe", false, 0},
    {"TOrder", "", "Shop.exe", false, 25},
    {"TCustomer", "", "Shop.exe", false, 7},
    {"TShopForm", "", "Shop.exe", false, 0},
    {"Request", "Shop.Net", "Shop.Net.dll", true, 40},
    {"RequestQueue", "Shop.Net", "Shop.Net.dll", true, 0},
    {"String", "System", "mscorlib.dll", true, 300},
    {"Shop.Net.Session", "Shop.Net", "Shop.Net.dll", true, 1},
    {"Memory Overwrite Error", "", "", false, 0},
    {"VCL native memory", "", "Shop.exe", false, 12},
};

static const AqRoutine routines[AQ_ROUTINES] = {
    {"TOrderEvent", "Create", "OrderEvents", "C:\\Shop\\OrderEvents.pas", 41, "Delphi"},
    {"TOrderService", "PlaceOrder", "Orders", "C:\\Shop\\Orders.pas", 155, "Delphi"},
    {"TShopForm", "OrderButtonClick", "Main", "C:\\Shop\\Main.pas", 88, "Delphi"},
    {"", "Shop", "Shop", "", 0, "Delphi"},
    {"TPdfWriter", "TPdfWriter::Grow", "PdfWriter.obj", "C:\\Shop\\PdfWriter.cpp", 52, "C++"},
    {"TPdfWriter", "TPdfWriter::Write", "PdfWriter.obj", "C:\\Shop\\PdfWriter.cpp", 70, "C++"},
    {"TPriceCache", "Fill", "Prices", "C:\\Shop\\Tom's units\\Prices.pas", 55, "Delphi"},
    {"TCustomerRepository", "Find", "Customers", "C:\\Shop\\Customers.pas", 30, "Delphi"},
    {"RequestQueue", "Enqueue", "", "C:\\Shop\\Net\\RequestQueue.cs", 23, "MSIL"},
    {"Session", ".ctor", "", "C:\\Shop\\Net\\Session.cs", 12, "MSIL"},
    {"", "operator new", "", "", 0, "C++"},
    {"TThread", "Execute", "Classes", "", 0, "Delphi"},
    {"TOrderService", "NewOrder", "Orders", "C:\\Shop\\Orders.pas", 98, "Delphi"},
};

static const int stacks[AQ_STACKS][AQ_STACK_FRAMES] = {
    {0, 1, 2, 3},   {10, 4, 5, 3},   {6, 2, 3, -1},   {12, 1, 2, 3},
    {7, 12, 1, 2},  {3, -1, -1, -1}, {8, 11, -1, -1}, {9, 11, -1, -1},
    {9, 8, 11, -1}, {5, 2, 3, -1},   {11, 3, -1, -1},
};

static int add(AqPlan *plan, int class_index, int64_t size, int first, int last, int stack)
{
    int index = plan->object_count++;
    plan->objects[index] = (AqObject){.number = 17 + index * 3,
                                      .class_index = class_index,
                                      .size = size,
                                      .first = first,
                                      .last = last,
                                      .stack = stack,
                                      .thread = classes[class_index].managed};
    return index;
}

static void refer(AqPlan *plan, int from, int to)
{
    int index = plan->reference_count++;
    plan->references[index] = (AqReference){from, to, index % 5 != 1, index % 4 != 2};
}

// The leak grows by four at every Get Results, the slow one by one; the cache is filled once.
static void add_stories(AqPlan *plan)
{
    for (int set = 1; set <= AQ_SETS; set++) {
        for (int i = 0; i < 4; i++) {
            add(plan, 0, 112, set, AQ_SETS, 0);
        }
        add(plan, 1, 160, set, AQ_SETS, 1);
    }
    for (int i = 0; i < 8; i++) {
        add(plan, 2, 80 + 16 * (i % 2), 2, AQ_SETS, 2);
    }
}

static void add_churn(AqPlan *plan)
{
    static const int orders[AQ_SETS] = {6, 9, 2};
    add(plan, 5, 720, 1, AQ_SETS, 5);
    add(plan, 11, 2048, 1, AQ_SETS, 10);
    for (int set = 1; set <= AQ_SETS; set++) {
        for (int i = 0; i < orders[set - 1]; i++) {
            int last = set + i % 2;
            add(plan, 3, 96 + 8 * (i % 3), set, last < AQ_SETS ? last : AQ_SETS, 3);
        }
        add(plan, 4, 64, set, set, 4);
    }
    add(plan, 4, 64, 1, AQ_SETS, 4);
}

// Managed objects, with references: a session keeps a queue of requests, a text is shared, two
// requests refer to one another, and two are an island.
static void add_managed(AqPlan *plan)
{
    int session = add(plan, 9, 56, 1, AQ_SETS, 7);
    int other = add(plan, 9, 56, 1, AQ_SETS, 8);
    plan->objects[session].root = true;
    plan->objects[other].root = true;
    plan->objects[other].no_get = true;
    int queue = add(plan, 7, 40, 1, AQ_SETS, 7);
    int shared = add(plan, 8, 34, 1, AQ_SETS, 7);
    refer(plan, session, queue);
    refer(plan, session, shared);
    refer(plan, other, shared);
    int before = AQ_NOTHING;
    for (int i = 0; i < 6; i++) {
        int request = add(plan, 6, 72, 1 + i / 2, AQ_SETS, 6);
        int text = add(plan, 8, 20 + 6 * i, 1 + i / 2, AQ_SETS, 6);
        refer(plan, queue, request);
        refer(plan, request, text);
        if (i % 2) {
            refer(plan, request, before);
            refer(plan, before, request);
        }
        before = request;
    }
    int island = add(plan, 6, 72, 2, AQ_SETS, 6);
    int companion = add(plan, 6, 72, 3, AQ_SETS, 6);
    plan->objects[companion].no_get = true;
    refer(plan, island, companion);
    refer(plan, companion, island);
    refer(plan, companion, shared);
    refer(plan, island, AQ_NOTHING);
    plan->references[plan->reference_count - 1].in_to = true;
}

void aqtime_plan_init(AqPlan *plan)
{
    *plan = (AqPlan){.classes = classes, .routines = routines, .stacks = stacks};
    add_stories(plan);
    add_churn(plan);
    add_managed(plan);
    add(plan, AQ_OVERWRITE, 4, 3, 3, 9);
}

bool aqtime_alive(const AqObject *object, int set)
{
    return object->first <= set && set <= object->last;
}

int aqtime_class_id(int set, int class_index)
{
    return 1 + (class_index * 5 + set * 4) % AQ_CLASSES;
}

int aqtime_routine_id(int set, int routine)
{
    return 1 + (routine * 3 + set * 2) % AQ_ROUTINES;
}

int aqtime_object_id(const AqPlan *plan, int set, int object)
{
    int id = 1;
    for (int i = 0; i < object; i++) {
        id += aqtime_alive(&plan->objects[i], set);
    }
    return id;
}

// Neither in the order of ID nor the same numbers.
int aqtime_object_record(const AqPlan *plan, int set, int object)
{
    return 2000 + set * 10 - 3 * aqtime_object_id(plan, set, object);
}
