// How a tab begins: the page's files, the session in exchange for the token, and where it goes on when the program is started again.
internal import Media
internal import Text
internal import Wire

/// The process that comes after this one, and the one before it.
struct PageSuccessor: Sendable {
    let next: PageState
    /// Where the tabs are that may come from the process before; nil: they do not know this one.
    let before: PageAddress?
}

extension Site {
    /// A file of the page; its scripts may ask whether the next process is there.
    func page(_ request: HTTPRequest) -> HTTPResponse {
        var answer = files.answer(request)
        let next = successor?.next.next.origin
        answer.headers.append((HTTPResponse.policyName, HTTPResponse.policy(connecting: next)))
        return answer
    }

    /// Begins a session. Whatever a browser keeps for this address is not of this page: it goes with the first.
    func begin(_ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        let isFirst = !gate.sessions.isUsed
        // A tab that was loaded again has one.
        let token = try Site.object(request)["token"]?.string
        let known = token == nil ? gate.session(of: request) : nil
        guard let session = known ?? gate.begin(token ?? "") else {
            return .text(403, "open the address that `trimctl page` printed: it has the key of this page")
        }
        var answer: [String: JSONValue] = ["session": .string(session)]
        if let state = successor?.next {
            answer["next"] = ["origin": .string(state.next.origin), "token": .string(state.token)]
        }
        var response = Site.json(200, .object(answer))
        if isFirst, gate.token != nil { response.headers.append(("Clear-Site-Data", "\"storage\"")) }
        return response
    }

    /// Says to the tabs of the process before that this one is here.
    func awake(_ request: HTTPRequest) -> HTTPResponse {
        guard let before = successor?.before?.origin, request.headers["origin"] == before else {
            return .text(403, "requests of other sites are refused")
        }
        var answer = HTTPResponse.text(200, "here")
        answer.headers += [("Access-Control-Allow-Origin", before), ("Cache-Control", "no-store")]
        return answer
    }
}
