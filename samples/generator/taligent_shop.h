// The shop as a C++ program: who allocates what, and who deletes it.
#ifndef GENERATOR_TALIGENT_SHOP_H
#define GENERATOR_TALIGENT_SHOP_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TAL_SITE_FRAMES = 4, // that tell a site from others, innermost first
    TAL_MAX_FRAMES = 64,
    TAL_MAX_VARIANTS = 400,
    TAL_SHOP_OLD_BLOCKS = 9,
};

typedef enum TalStory {
    TAL_LEAK,
    TAL_SLOW,
    TAL_CACHE,
    TAL_CHURN,
    TAL_TEMPORARY,
} TalStory;

// Types as they stand in a deletion.
typedef enum TalType {
    TAL_NOVTBL,
    TAL_NOTYPE,
    TAL_ORDER,
    TAL_RUSH_ORDER,
    TAL_ORDER_EVENT,
    TAL_PRICE_ENTRY,
    TAL_PDF_WRITER,
    TAL_CUSTOMER,
    TAL_CUSTOMER_LIST,
    TAL_CURSOR,
    TAL_NUMBER,
    TAL_TEXT,
    TAL_RIGHTS,
    TAL_REQUEST,
    TAL_CALLBACK,
    TAL_LOCK,
    TAL_CATALOG,
    TAL_TYPE_COUNT,
} TalType;

typedef struct TalSite {
    TalStory story;
    int weight;
    int size;
    int step; // sizes vary by this
    TalType type;
    TalType other; // of one deletion in five
    bool cross;    // deleted by another thread
    const char *frames[TAL_SITE_FRAMES];
    const char *deleters[TAL_SITE_FRAMES];
} TalSite;

typedef struct TalOld {
    int size;
    TalType type;
    bool freed;
} TalOld;

typedef struct TalCrawl {
    const char *frames[TAL_MAX_FRAMES];
    int count;
    char *text; // frames with bars between
    size_t length;
    int id; // of the first crawl with this text
} TalCrawl;

// Every site has `variants` crawls, which differ in their callers.
typedef struct TalShop {
    const TalSite *sites;
    int site_count;
    const TalOld *old;
    int variants;
    TalCrawl *crawls; // site_count * variants
    TalCrawl *deleters;
    TalCrawl old_deleter;
} TalShop;

const char *taligent_type_name(TalType type);

// `frames`: how many a crawl has at least, 0 as the site has it. False: out of memory; to be freed
// in either case.
bool taligent_shop_init(TalShop *shop, int variants, int frames);
void taligent_shop_free(TalShop *shop);

// Which crawl of its site: stories have but one.
int taligent_shop_variant(const TalShop *shop, int site, unsigned number);

#endif
