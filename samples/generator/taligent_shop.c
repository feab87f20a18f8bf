#include "taligent_shop.h"

#include <stdlib.h>
#include <string.h>

static const char *const type_names[TAL_TYPE_COUNT] = {
    [TAL_NOVTBL] = "novtbl",
    [TAL_NOTYPE] = "notype",
    [TAL_ORDER] = "TOrder",
    [TAL_RUSH_ORDER] = "TRushOrder",
    [TAL_ORDER_EVENT] = "TOrderEvent",
    [TAL_PRICE_ENTRY] = "TPriceEntry",
    [TAL_PDF_WRITER] = "TPdfWriter",
    [TAL_CUSTOMER] = "TCustomer",
    [TAL_CUSTOMER_LIST] = "TArrayOf<TCustomer const*, TAllocator<TCustomer const*> >",
    [TAL_CURSOR] = "TIterator<TOrder const>",
    [TAL_NUMBER] = "THybridNumber",
    [TAL_TEXT] = "TStandardText",
    [TAL_RIGHTS] = "TPermissions",
    [TAL_REQUEST] = "TRequest",
    [TAL_CALLBACK] = "TCallback<void (unsigned long)>",
    [TAL_LOCK] = "TLocalSemaphore",
    [TAL_CATALOG] = "TCatalog",
};

static const TalSite sites[] = {
    {TAL_LEAK,
     0,
     112,
     0,
     TAL_ORDER_EVENT,
     TAL_ORDER_EVENT,
     false,
     {"operator new(unsigned int)", "TOrderService::PlaceOrder(TOrder&)", "TShop::Run(int)"},
     {"TOrderEvent::~TOrderEvent()", "TOrderService::Confirm(const TOrder&)", "TShop::Run(int)"}},
    {TAL_SLOW,
     0,
     160,
     0,
     TAL_NOVTBL,
     TAL_NOVTBL,
     false,
     {"TPdfWriter::Grow(unsigned long)", "TPdfWriter::Write(const TStandardText&)",
      "TInvoice::Print(TPdfWriter&)"},
     {"TPdfWriter::Close()", "TInvoice::Print(TPdfWriter&)"}},
    {TAL_CACHE,
     0,
     96,
     16,
     TAL_PRICE_ENTRY,
     TAL_PRICE_ENTRY,
     false,
     {"operator new(unsigned int)", "TPriceCache::Fill(const TCatalog&)",
      "TPriceCache::Lookup(long)"},
     {"TPriceEntry::~TPriceEntry()", "TPriceCache::Evict(long)"}},
    {TAL_CHURN,
     12,
     120,
     24,
     TAL_ORDER,
     TAL_RUSH_ORDER,
     false,
     {"operator new(unsigned int)", "TOrderService::NewOrder(long, bool)"},
     {"TOrder::~TOrder()", "TOrderService::Archive(TOrder*)"}},
    {TAL_CHURN,
     9,
     80,
     16,
     TAL_CUSTOMER,
     TAL_CUSTOMER,
     false,
     {"TCustomerRepository::Find(long) const", "TCustomerRepository::operator[](long)"},
     {"TCustomer::~TCustomer()", "TCustomerRepository::Release(TCustomer*)"}},
    {TAL_CHURN,
     6,
     40,
     40,
     TAL_CUSTOMER_LIST,
     TAL_CUSTOMER_LIST,
     false,
     {"operator new(unsigned int)",
      "TArrayOf<TCustomer const*, TAllocator<TCustomer const*> >::Clone() const",
      "TCustomerRepository::All()"},
     {"TArrayOf<TCustomer const*, TAllocator<TCustomer const*> >::~TArrayOf()"}},
    {TAL_CHURN,
     6,
     64,
     0,
     TAL_REQUEST,
     TAL_REQUEST,
     true,
     {"TRequestQueue::Post(const TRequest&)"},
     {"TRequest::~TRequest()", "TWorker::Serve(TRequestQueue&)"}},
    {TAL_CHURN,
     5,
     32,
     0,
     TAL_CALLBACK,
     TAL_CALLBACK,
     true,
     {"TTimer::After(unsigned long, TCallback<void (unsigned long)>*)"},
     {"TTimer::Fire()", "TTimer::Loop(void*)"}},
    {TAL_CHURN,
     5,
     200,
     56,
     TAL_NOVTBL,
     TAL_NOTYPE,
     false,
     {"TTieredTextBuffer::Reserve(unsigned long)", "TTieredTextBuffer::operator<<(const long)",
      "TTieredTextBuffer::operator<<(const int)"},
     {"TTieredTextBuffer::~TTieredTextBuffer()"}},
    {TAL_CHURN,
     3,
     24,
     0,
     TAL_RIGHTS,
     TAL_RIGHTS,
     false,
     {"operator new(unsigned int)", "TPermissions::operator|(const TPermissions&) const",
      "TSession::Login(const TStandardText&)"},
     {"TPermissions::~TPermissions()", "operator||(const TPermissions&, bool)",
      "TSession::Logout()"}},
    {TAL_TEMPORARY,
     5,
     16,
     0,
     TAL_NUMBER,
     TAL_NUMBER,
     false,
     {"THybridNumber::THybridNumber(const long)", "TPrice::Round(int) const"},
     {"THybridNumber::~THybridNumber()", "TPrice::Round(int) const"}},
    {TAL_TEMPORARY,
     3,
     28,
     4,
     TAL_CURSOR,
     TAL_CURSOR,
     false,
     {"TOrderBook::CreateIterator() const", "TOrderBook::Total() const"},
     {"TIterator<TOrder const>::~TIterator()", "TOrderBook::Total() const"}},
    {TAL_TEMPORARY,
     2,
     56,
     8,
     TAL_TEXT,
     TAL_NOTYPE,
     false,
     {"TStandardText::TStandardText(const char*)", "TLog::Trace(const char*, ...)"},
     {"TStandardText::~TStandardText()", "TLog::Trace(const char*, ...)"}},
};
enum {
    SITE_COUNT = sizeof sites / sizeof sites[0],
    CALLER_COUNT = 16,
};

static const TalOld old_blocks[TAL_SHOP_OLD_BLOCKS] = {
    {48, TAL_LOCK, false},  {48, TAL_LOCK, true},    {320, TAL_CATALOG, false},
    {64, TAL_NOVTBL, true}, {64, TAL_NOVTBL, false}, {40, TAL_CUSTOMER_LIST, true},
    {24, TAL_NOTYPE, true}, {120, TAL_ORDER, false}, {72, TAL_CALLBACK, false},
};

static const char *const callers[CALLER_COUNT] = {
    "TShop::Serve()",  "TPay::Confirm()",    "TBasket::Add(int)", "TBasket::Sum()",
    "TView::Draw()",   "TView::Scroll()",    "TReport::Build()",  "TStock::Take(long)",
    "TStock::Count()", "TMail::Send()",      "TImport::Row()",    "TImport::Run()",
    "TTimer::Tick()",  "TJob::operator()()", "TLogin::Check()",   "TLink::Poll()",
};

const char *taligent_type_name(TalType type)
{
    return type_names[type];
}

static bool crawl_join(TalCrawl *crawl)
{
    size_t length = 0;
    for (int i = 0; i < crawl->count; i++) {
        length += strlen(crawl->frames[i]) + 1;
    }
    crawl->text = malloc(length + 1);
    if (!crawl->text) {
        return false;
    }
    char *end = crawl->text;
    for (int i = 0; i < crawl->count; i++) {
        size_t part = strlen(crawl->frames[i]);
        if (i) {
            *end++ = '|';
        }
        memcpy(end, crawl->frames[i], part);
        end += part;
    }
    *end = '\0';
    crawl->length = (size_t)(end - crawl->text);
    return true;
}

// The site's own frames, then callers (the variant's digits say which), then main.
static bool crawl_init(TalCrawl *crawl, const char *const *frames, int site, int variant,
                       int at_least)
{
    while (crawl->count < TAL_SITE_FRAMES && frames[crawl->count]) {
        crawl->frames[crawl->count] = frames[crawl->count];
        crawl->count++;
    }
    unsigned digits = (unsigned)variant;
    for (int i = 0; crawl->count + 1 < at_least || (!at_least && digits); i++) {
        unsigned caller = digits ? digits - 1 : (unsigned)(site + i * 5);
        crawl->frames[crawl->count++] = callers[caller % CALLER_COUNT];
        digits = digits ? (digits - 1) / CALLER_COUNT : 0;
    }
    crawl->frames[crawl->count++] = "main";
    return crawl_join(crawl);
}

static bool crawls_init(TalCrawl **crawls, const TalShop *shop, bool deleters, int frames)
{
    size_t count = (size_t)shop->site_count * (size_t)shop->variants;
    *crawls = calloc(count, sizeof **crawls);
    for (size_t i = 0; *crawls && i < count; i++) {
        int site = (int)(i / (size_t)shop->variants);
        int variant = (int)(i % (size_t)shop->variants);
        TalCrawl *crawl = *crawls + i;
        const TalSite *words = &sites[site];
        if (!crawl_init(crawl, deleters ? words->deleters : words->frames, site, variant, frames)) {
            return false;
        }
        size_t first = i - (size_t)variant;
        while (strcmp((*crawls)[first].text, crawl->text)) {
            first++;
        }
        crawl->id = (int)first;
    }
    return *crawls != NULL;
}

bool taligent_shop_init(TalShop *shop, int variants, int frames)
{
    static const char *const old_deleter[TAL_SITE_FRAMES] = {"TStartUp::Forget(void*)",
                                                             "TShop::Open()"};
    *shop = (TalShop){
        .sites = sites, .site_count = SITE_COUNT, .old = old_blocks, .variants = variants};
    return crawls_init(&shop->crawls, shop, false, frames) &&
           crawls_init(&shop->deleters, shop, true, frames) &&
           crawl_init(&shop->old_deleter, old_deleter, 0, 0, 0);
}

static void crawls_free(TalCrawl *crawls, const TalShop *shop)
{
    for (int i = 0; crawls && i < shop->site_count * shop->variants; i++) {
        free(crawls[i].text);
    }
    free(crawls);
}

void taligent_shop_free(TalShop *shop)
{
    crawls_free(shop->crawls, shop);
    crawls_free(shop->deleters, shop);
    free(shop->old_deleter.text);
}

int taligent_shop_variant(const TalShop *shop, int site, unsigned number)
{
    TalStory story = sites[site].story;
    return story == TAL_CHURN || story == TAL_TEMPORARY ? (int)(number % (unsigned)shop->variants)
                                                        : 0;
}
