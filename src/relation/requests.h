/* The relation of requests, for databases of many recordings. SQL over one recording has a view
 * instead, so it is not among mp_relations. */
#ifndef MP_RELATION_REQUESTS_H
#define MP_RELATION_REQUESTS_H

#include "relation/relation.h"

/* Requests of a server, and the objects that each left behind. */
extern const mp_relation mp_relation_requests;

#endif
