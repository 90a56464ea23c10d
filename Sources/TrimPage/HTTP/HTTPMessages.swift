// A request and a response, as values: nothing of libmicrohttpd is seen beyond HTTPServer.
internal import Platform

/// A request, with its whole body.
struct HTTPRequest: Sendable {
    var method: String
    /// The path, decoded; the address's arguments are apart.
    var path: String
    var arguments: [String: String] = [:]
    /// Headers by their names in lower case, as far as they are used.
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// The client's socket: readable once the client has hung up. Borrowed for the length of the request.
    var socket: Int32 = -1

    /// The arguments that are used.
    static let arguments = [
        "ticket", "at", "width", "key", "start", "end", "duration", "buckets", "track", "subtitles",
        "keyframes",
    ]
    /// The headers that are used.
    static let headers = [
        "host", "origin", "x-trim-session", "range", "content-type", "sec-fetch-site", "last-event-id",
    ]
}

/// A body that comes piece by piece, on the connection's own thread.
protocol HTTPStream: AnyObject {
    /// Waits for the next piece; nil: the end.
    func next() -> [UInt8]?
}

/// A response.
struct HTTPResponse {
    /// The bytes of the answer.
    enum Body {
        case bytes([UInt8])
        /// A part of an open file, which the response closes.
        case file(Int32, offset: UInt64, count: UInt64)
        case stream(any HTTPStream)
    }

    var status: Int
    var headers: [(String, String)]
    var body: Body

    init(_ status: Int, _ type: String, _ body: Body, _ headers: [(String, String)] = []) {
        self.status = status
        self.headers = [("Content-Type", type)] + headers
        self.body = body
    }

    /// A response of text.
    static func text(_ status: Int, _ words: String) -> HTTPResponse {
        HTTPResponse(status, "text/plain; charset=utf-8", .bytes(Array((words + "\n").utf8)))
    }

    /// The name of the header that says where scripts, styles and media come from.
    static let policyName = "Content-Security-Policy"
    /// From here only, and nobody may frame the page; a script may also ask another origin, where one is named.
    static func policy(connecting origin: String? = nil) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
            + "connect-src 'self'\(origin.map { " " + $0 } ?? ""); worker-src 'none'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    }

    /// Headers of every response but the policy: types are not guessed, addresses are not told to others.
    static let common = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
