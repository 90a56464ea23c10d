// The routes of the page: its own files, and what it asks of trimd. Each request that needs trimd has a connection of its own, which
// ends with the client's: trimd then ends the work. Called on the connections' threads.
internal import Lists
internal import Media
internal import Platform
internal import Text
internal import TrimClient
internal import Wire

/// The page.
struct Site: Sendable {
    let gate: Gate
    /// The process that comes after this one; nil: it is not known.
    let successor: PageSuccessor?
    let files: PageFiles
    let library: Library
    /// The daemon's socket.
    let socket: String
    let cache: PreviewCache
    /// The drafts of files.
    let drafts: DraftFolder
    /// The folder of outputs, with a slash at its end; nil: beside each file.
    let folder: String?
    /// The format in which ranges are saved beside each file; nil: they are kept in the browser only.
    let saving: ListFormat?
    /// Which files need the PIN; nil: none.
    let restriction: Restriction?
    /// The pictures for exports.
    let artwork: ArtworkFolder

    /// Answers a request.
    func answer(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = gate.check(request) { return refusal }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(
            String.init)
        guard parts.first == "api" else { return page(request) }
        do throws(MediaError) {
            switch (request.method, parts.count > 1 ? parts[1] : "") {
            case ("GET", "awake") where parts.count == 2: return awake(request)
            case ("POST", "session") where parts.count == 2: return try begin(request)
            case ("GET", "library") where parts.count == 2: return list(request)
            case ("POST", "unlock") where parts.count == 2: return try unlock(request)
            case ("POST", "lock") where parts.count == 2: return lock(request)
            case ("GET", "events") where parts.count == 2: return events(request)
            case (_, "assets") where parts.count == 4: return try asset(parts[2], parts[3], request)
            case ("POST", "jobs") where parts.count == 4: return try order(parts[2], parts[3], request)
            default: return .text(404, "there is nothing at this address")
            }
        } catch { return Site.failure(error) }
    }

    /// Whether a request may bring a picture: one of the page's own, for artwork.
    func takesPicture(_ request: HTTPRequest) -> Bool {
        request.path.hasSuffix("/artwork") && gate.check(request) == nil
    }

    /// Whether a request is of somebody with a session, or came through the proxy.
    func hasSeat(_ request: HTTPRequest) -> Bool {
        gate.token == nil || gate.session(of: request) != nil
    }

    /// A connection to trimd that ends with the request's client.
    func connect(_ request: HTTPRequest) throws(MediaError) -> DaemonConnection {
        let daemon = DaemonConnection(
            path: socket, interrupts: Interrupts(watching: request.socket), remedy: "start it again")
        try daemon.connect()
        return daemon
    }

    private func list(_ request: HTTPRequest) -> HTTPResponse {
        let items = library.items().map { item -> JSONValue in
            [
                "id": .string(item.id), "name": .string(item.name), "size": .int(item.size),
                "version": .string(item.version),
            ]
        }
        return Site.json(
            200,
            [
                "items": .array(items), "save": saving.map { .string($0.rawValue) } ?? .null,
                "restriction": restriction.map {
                    [
                        "years": .int(Int64($0.limit.years)),
                        "open": .bool($0.isOpen(gate.session(of: request))),
                    ]
                } ?? .null,
            ])
    }

    /// JSON that no cache keeps.
    static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status, "application/json", .bytes(value.encoded), [("Cache-Control", "no-store")])
    }

    /// An error of trimd, as the page shows it.
    static func failure(_ error: MediaError) -> HTTPResponse {
        let status =
            switch error.code {
            case .invalidRequest, .invalidTime, .invalidPreset, .presetNotFound, .outputTypeNotValid: 400
            case .permissionDenied, .contentIsProtected, .playlist: 403
            case .fileNotFound, .jobNotFound: 404
            case .fileAlreadyExists, .outputIsInput, .jobStateNotValid: 409
            case .noDaemon, .queueUnavailable, .serverBusy, .limitReached: 503
            default: 422
            }
        let value = (try? JSONValue(encoding: error)) ?? .null
        return json(status, ["error": value])
    }

    /// The body of a request, as an object.
    static func object(_ request: HTTPRequest) throws(MediaError) -> [String: JSONValue] {
        do throws(WireError) {
            guard let object = try JSONValue(parsing: request.body).object else {
                throw WireError.malformed("it is no object")
            }
            return object.dictionary
        } catch { throw MediaError(.invalidRequest, "the request is not JSON: \(error)") }
    }

    /// Decodes parameters.
    static func read<Params: Decodable>(_ value: [String: JSONValue]) throws(MediaError) -> Params {
        do throws(WireError) { return try JSONValue.object(value).decode(as: Params.self) } catch {
            throw MediaError(.invalidRequest, "\(error)")
        }
    }
}
