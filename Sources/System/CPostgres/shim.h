// libpq, PostgreSQL's client library, by its headers alone: the library is opened when a queue needs it, so that trimd runs without.
#pragma once
#include <dlfcn.h>
#include <postgresql/libpq-fe.h>
#include <stddef.h>

/// The functions of libpq that are called, each in the type of its declaration.
#define TRIM_LIBPQ(each) \
    each(PQclear) each(PQcmdTuples) each(PQconnectdbParams) each(PQconninfoFree) each(PQconninfoParse) \
    each(PQconsumeInput) each(PQerrorMessage) each(PQfinish) each(PQflush) each(PQfreemem) \
    each(PQgetisnull) each(PQgetlength) each(PQgetResult) each(PQgetvalue) each(PQisBusy) \
    each(PQnfields) each(PQnotifies) each(PQntuples) each(PQresultErrorField) each(PQresultStatus) \
    each(PQsendPrepare) each(PQsendQuery) each(PQsendQueryParams) each(PQsendQueryPrepared) each(PQsetnonblocking) \
    each(PQsetNoticeProcessor) each(PQsocket) each(PQstatus)

struct trim_libpq {
#define TRIM_MEMBER(name) __typeof__(name) *name;
    TRIM_LIBPQ(TRIM_MEMBER)
#undef TRIM_MEMBER
};

/// Looks all functions up in a library that is open; returns the name of the first that is missing, or NULL.
static inline const char *trim_libpq_load(void *library, struct trim_libpq *functions) {
#define TRIM_LOAD(name) \
    if (!(functions->name = (__typeof__(name) *)dlsym(library, #name))) return #name;
    TRIM_LIBPQ(TRIM_LOAD)
#undef TRIM_LOAD
    return NULL;
}

static inline void trim_libpq_no_notice(void *nothing, const char *message) {}

/// Keeps a connection from writing the server's notices to stderr.
static inline void trim_libpq_silence(struct trim_libpq functions, PGconn *connection) {
    functions.PQsetNoticeProcessor(connection, trim_libpq_no_notice, NULL);
}
