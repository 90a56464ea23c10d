// Who may use the page: whoever knows the token of its address, which is exchanged for a cookie; asked for by the page's own name, so
// that another site's name that leads here (DNS rebinding) does not, and not on behalf of another site. Behind a reverse proxy the
// proxy knows who asks, and the Unix socket says who may be the proxy. A value; any thread.
internal import Media

/// The check of each request.
struct Gate: Sendable {
    /// The names and ports that requests may be addressed to.
    let hosts: Set<String>
    /// The secret of the address, and that of the cookie; nil: behind a proxy.
    let token: String?
    private let session: String
    private let cookie: String
    /// The name of the cookie of a browser that gave the PIN.
    let pinCookie: String

    /// A gate of a page on this machine.
    init(port: UInt16) {
        hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        token = Gate.secret()
        session = Gate.secret()
        cookie = "trim-page-\(port)"
        pinCookie = "trim-pin-\(port)"
    }

    /// A gate behind a reverse proxy with these names.
    init(hosts: [String]) {
        self.hosts = Set(hosts.map { $0.lowercased() })
        (token, session, cookie) = (nil, "", "")
        pinCookie = "trim-pin"
    }

    /// The refusal of a request, or the exchange of the token; nil: it may go on.
    func check(_ request: HTTPRequest) -> HTTPResponse? {
        guard let host = request.headers["host"]?.lowercased(), hosts.contains(host) else {
            return .text(421, "this address is not the page's; use the one that `trimctl page` printed")
        }
        if let origin = request.headers["origin"]?.lowercased(),
            origin != "http://" + host && (token != nil || origin != "https://" + host)
        {
            return .text(403, "requests of other sites are refused")
        }
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none",
            request.path != "/"
        {
            return .text(403, "requests of other sites are refused")
        }
        let changes = request.method != "GET" && request.method != "HEAD"
        // A browser names the origin of each post; a form of another site cannot send these types.
        if changes,
            request.headers["origin"] == nil || !Gate.types.contains(request.headers["content-type"] ?? "")
        {
            return .text(403, "the request does not come from the page")
        }
        guard let token else { return nil }
        if Gate.isSame(session, value(of: cookie, in: request.headers["cookie"] ?? "")) { return nil }
        guard request.method == "GET", request.path == "/", let shown = request.arguments["token"],
            Gate.isSame(token, shown)
        else {
            return .text(403, "open the address that `trimctl page` printed: it has the key of this page")
        }
        // By a page of its own: a redirect would still count as the other site's, and go without the cookie.
        return HTTPResponse(
            200, "text/html; charset=utf-8",
            .bytes(
                Array(
                    "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=/\"><link rel=\"icon\" href=\"/icon.svg\"><title>trimd</title>"
                        .utf8)),
            [
                ("Set-Cookie", "\(cookie)=\(session); Path=/; HttpOnly; SameSite=Strict"),
                ("Cache-Control", "no-store"),
            ])
    }

    /// The types of what is posted.
    private static let types: Set<String> = ["application/json", "image/jpeg", "image/png"]

    /// The secret of a browser that gave the PIN; empty: it did not.
    func pinSecret(_ request: HTTPRequest) -> String {
        value(of: pinCookie, in: request.headers["cookie"] ?? "")
    }

    private func value(of name: String, in cookies: String) -> String {
        for part in cookies.split(separator: ";") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == name { return String(pair[1]) }
        }
        return ""
    }

    /// Compares in a time that does not depend on where they differ.
    static func isSame(_ one: String, _ other: String) -> Bool {
        let (a, b) = (Array(one.utf8), Array(other.utf8))
        guard a.count == b.count, !a.isEmpty else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// 192 random bits, from the kernel.
    static func secret() -> String {
        var source = SystemRandomNumberGenerator()
        return (0..<3).map { _ in
            let text = String(source.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }
}
