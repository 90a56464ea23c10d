// HTTP by libmicrohttpd, with a thread for each connection. Requests are read whole, within limits, before they are answered; slow
// connections time out, and surplus ones are closed. It knows no routes.
//
// `unsafe` here: the library's callbacks and pointers, valid for the length of a call or of their request.
internal import CMicrohttpd
internal import Glibc
internal import Media

/// A server on a listening socket.
@safe final class HTTPServer {
    /// The most connections at once, and the seconds that one may be idle.
    static let mostConnections: UInt32 = 256, idleSeconds: UInt32 = 15
    /// The most bytes of a request's body, and of its headers.
    static let largestBody = 256 << 10, largestPicture = 8 << 20, largestHeaders = 32 << 10

    private let respond: @Sendable (HTTPRequest) -> HTTPResponse
    private let takesPicture, hasSeat: @Sendable (HTTPRequest) -> Bool
    private var daemon: OpaquePointer?
    fileprivate let slow = SlowClients()

    /// A server that answers with a function, called on the connections' threads. Another says, by the headers alone, whether a body
    /// may have the size of a picture, and a third whether a request is of somebody whose connection is kept where many strangers come.
    init(
        takesPicture: @escaping @Sendable (HTTPRequest) -> Bool,
        hasSeat: @escaping @Sendable (HTTPRequest) -> Bool,
        _ respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) {
        self.takesPicture = takesPicture
        self.hasSeat = hasSeat
        self.respond = respond
    }

    /// Serves a listening socket, from now to the end of the process; the server must live as long.
    func start(on listener: Int32) throws(MediaError) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe daemon = trim_http_start(
            listener, HTTPServer.mostConnections, HTTPServer.idleSeconds, HTTPServer.largestHeaders, received,
            completed, changed, context)
        guard unsafe daemon != nil else {
            throw MediaError(
                .internalError, "the HTTP server cannot be started",
                remedy: "free some memory, then try again")
        }
    }

    /// A request on its way in.
    fileprivate final class Incoming {
        var request: HTTPRequest
        var isTooLarge = false
        /// The most bytes of the body.
        let limit: Int

        init(_ request: HTTPRequest, limit: Int) {
            self.request = request
            self.limit = limit
        }
    }

    fileprivate func incoming(_ request: HTTPRequest) -> Incoming {
        Incoming(request, limit: takesPicture(request) ? HTTPServer.largestPicture : HTTPServer.largestBody)
    }

    fileprivate func answer(_ incoming: Incoming) -> HTTPResponse {
        slow.stopWaiting(for: incoming.request.socket, hasSeat: hasSeat(incoming.request))
        return incoming.isTooLarge ? .text(413, "the request is too large") : respond(incoming.request)
    }
}

/// Called first with the headers, then with each part of the body, then to be answered.
private func received(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ bytes: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>?, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context = unsafe context, let connection = unsafe connection, let path = unsafe path,
        let method = unsafe method, let count = unsafe count, let state = unsafe state
    else { return MHD_Result.NO }
    guard let begun = unsafe state.pointee else {
        var request = HTTPRequest(
            method: unsafe String(cString: method), path: unsafe String(cString: path))
        for name in HTTPRequest.arguments {
            if let value = unsafe trim_http_argument(connection, name) {
                request.arguments[name] = unsafe String(cString: value)
            }
        }
        for name in HTTPRequest.headers {
            if let value = unsafe trim_http_header(connection, name) {
                request.headers[name] = unsafe String(cString: value)
            }
        }
        request.socket = unsafe trim_http_socket(connection)
        let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        unsafe state.pointee = Unmanaged.passRetained(server.incoming(request)).toOpaque()
        return MHD_Result.YES
    }
    let incoming = unsafe Unmanaged<HTTPServer.Incoming>.fromOpaque(begun).takeUnretainedValue()
    if unsafe count.pointee > 0 {
        if unsafe incoming.request.body.count + count.pointee > incoming.limit {
            incoming.isTooLarge = true
        } else if let bytes = unsafe bytes {
            unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: count.pointee) {
                unsafe incoming.request.body += UnsafeBufferPointer(start: $0, count: count.pointee)
            }
        }
        unsafe count.pointee = 0
        return MHD_Result.YES
    }
    let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    return unsafe send(server.answer(incoming), on: connection)
}

private func completed(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let state = unsafe state, let begun = unsafe state.pointee else { return }
    unsafe Unmanaged<HTTPServer.Incoming>.fromOpaque(begun).release()
    unsafe state.pointee = nil
    // The next request of the connection is awaited.
    guard let context = unsafe context, let connection = unsafe connection else { return }
    unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().slow.wait(
        for: trim_http_socket(connection))
}

/// Called when a connection begins, and when it ends.
private func changed(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
    guard let context = unsafe context, let connection = unsafe connection else { return }
    let slow = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().slow
    let socket = unsafe trim_http_socket(connection)
    if trim_http_begins(code) != 0 { slow.wait(for: socket) } else { slow.end(socket) }
}

private func send(_ answer: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
    let made: OpaquePointer?
    switch answer.body {
    case .bytes(let bytes):
        unsafe made = unsafe bytes.withUnsafeBytes {
            unsafe trim_http_bytes($0.baseAddress, $0.count)
        }
    case .file(let file, let offset, let count):
        unsafe made = MHD_create_response_from_fd_at_offset64(count, file, offset)
        if unsafe made == nil { close(file) }
    case .stream(let stream):
        let held = unsafe Unmanaged.passRetained(HeldStream(stream)).toOpaque()
        unsafe made = trim_http_stream(readStream, held, releaseStream)
    }
    guard let made = unsafe made else { return MHD_Result.NO }
    defer { unsafe MHD_destroy_response(made) }
    let policy =
        answer.headers.contains { $0.0 == HTTPResponse.policyName }
        ? [] : [(HTTPResponse.policyName, HTTPResponse.policy())]
    for (name, value) in HTTPResponse.common + policy + answer.headers {
        unsafe MHD_add_response_header(made, name, value)
    }
    return unsafe MHD_queue_response(connection, UInt32(answer.status), made)
}

/// A stream, with the rest of a piece that did not fit.
private final class HeldStream {
    let stream: any HTTPStream
    var rest: ArraySlice<UInt8> = []

    init(_ stream: any HTTPStream) { self.stream = stream }
}

private func readStream(
    _ held: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ most: Int
) -> Int {
    guard let held = unsafe held, let buffer = unsafe buffer else { return trim_http_end }
    let source = unsafe Unmanaged<HeldStream>.fromOpaque(held).takeUnretainedValue()
    if source.rest.isEmpty {
        guard let piece = source.stream.next() else { return trim_http_end }
        source.rest = piece[...]
    }
    let part = source.rest.prefix(most)
    for (index, byte) in part.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
    source.rest = source.rest.dropFirst(part.count)
    return part.count
}

private func releaseStream(_ held: UnsafeMutableRawPointer?) {
    if let held = unsafe held { unsafe Unmanaged<HeldStream>.fromOpaque(held).release() }
}
