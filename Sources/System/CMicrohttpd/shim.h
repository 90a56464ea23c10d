// libmicrohttpd, and wrappers for declarations that Swift does not import: the variadic start, and macros.
#pragma once
#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>

/// Starts a server on a listening socket, with a thread for each connection.
/// - handler: called for each part of a request; completed: called once for each request, also where it fails; changed: called when
///   a connection begins and when it ends.
static inline struct MHD_Daemon *trim_http_start(
    int listener, unsigned int connections, unsigned int seconds, size_t memory, MHD_AccessHandlerCallback handler,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback changed, void *context) {
    return MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, handler, context,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT,
        seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, changed, context, MHD_OPTION_END);
}

/// The socket of a connection.
static inline int trim_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// A request's header, or an argument of its address; NULL: there is none.
static inline const char *trim_http_header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}
static inline const char *trim_http_argument(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/// A body of which the bytes are copied.
static inline struct MHD_Response *trim_http_bytes(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// Whether a connection begins.
static inline int trim_http_begins(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/// A body whose length is not known before its end.
static inline struct MHD_Response *trim_http_stream(
    MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read, context, release);
}

static const ssize_t trim_http_end = MHD_CONTENT_READER_END_OF_STREAM;
