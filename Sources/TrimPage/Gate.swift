// Who may use the page. The address that is printed has a token behind `#`, which browsers do not send; the page's script exchanges it for
// a session, which it keeps for its tab and names in a header. There is no cookie: cookies know no port, and every server on this machine
// would receive it. A video element cannot send a header: it is given the address of one file with a ticket of its own. Requests are
// asked for by the page's own name, so that another site's name that leads here (DNS rebinding) does not, and not on behalf of another
// site. Behind a reverse proxy the proxy knows who asks, and the Unix socket says who may be the proxy. Any thread.
internal import Media

/// The check of each request.
struct Gate: Sendable {
    /// The names and ports that requests may be addressed to.
    let hosts: Set<String>
    /// The secret of the address; nil: behind a proxy.
    let token: String?
    /// That of the tabs of an earlier process of this page, which go on here.
    private let earlierToken: String?
    /// The sessions of tabs.
    let sessions = Sessions()

    /// A gate of a page at an address of this machine. It is asked for by another name where it is reached through SSH.
    init(_ address: PageAddress, earlierToken: String? = nil) {
        hosts = [address.text, "127.0.0.1:\(address.port)", "localhost:\(address.port)"]
        token = Gate.secret()
        self.earlierToken = earlierToken
    }

    /// A gate behind a reverse proxy with these names.
    init(hosts: [String]) {
        self.hosts = Set(hosts.map { $0.lowercased() })
        (token, earlierToken) = (nil, nil)
    }

    /// The path at which a session begins.
    static let sessionPath = "/api/session"
    /// The path at which tabs of an earlier process see that the page is here again.
    static let awakePath = "/api/awake"

    /// The refusal of a request; nil: it may go on.
    func check(_ request: HTTPRequest) -> HTTPResponse? {
        guard let host = request.headers["host"]?.lowercased(), hosts.contains(host) else {
            return .text(421, "this address is not the page's; use the one that `trimctl page` printed")
        }
        // It says nothing but that the page is here.
        if request.path == Gate.awakePath, request.method == "GET" { return nil }
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
        // The page's own files are the same for everybody; the session is for what it asks of the program.
        guard token != nil, request.path == "/api" || request.path.hasPrefix("/api/"),
            request.path != Gate.sessionPath, session(of: request) == nil
        else { return nil }
        return .text(403, "open the address that `trimctl page` printed: it has the key of this page")
    }

    /// The types of what is posted.
    private static let types: Set<String> = ["application/json", "image/jpeg", "image/png"]

    /// Begins a session for who knows the token, or came through the proxy; nil: the token is wrong.
    func begin(_ shown: String) -> String? {
        guard let token else { return sessions.begin() }
        let isRight = Gate.isSame(token, shown) || earlierToken.map { Gate.isSame($0, shown) } == true
        return isRight ? sessions.begin() : nil
    }

    /// The session of a request, by its header or by a ticket for the file that it asks for; nil: there is none.
    func session(of request: HTTPRequest) -> String? {
        if let session = request.headers[Gate.header] {
            return sessions.isKnown(session) ? session : nil
        }
        guard request.method == "GET" || request.method == "HEAD", let ticket = request.arguments["ticket"]
        else { return nil }
        return sessions.session(of: ticket, at: request.path)
    }

    /// The header that names the session.
    static let header = "x-trim-session"

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
