// Files above the owner's rating: nothing of them leaves the program, neither facts, pictures, segments nor bytes, before the PIN.
internal import Media
internal import Platform
internal import Text
internal import TrimClient
internal import Wire

extension Site {
    /// The answer to a request about a file that needs the PIN first; nil: it may be shown.
    func refusal(of item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse? {
        guard let age = try ageIfClosed(item, request) else { return nil }
        return Site.json(
            423,
            [
                "error": [
                    "code": "locked", "message": .string("\(item.name) is for \(age.years) and older"),
                    "remedy": "give the PIN",
                ]
            ])
    }

    /// Whether a job is shown: that of a named file, as far as that and its output may be shown.
    func isShown(_ job: JobReport, _ request: HTTPRequest) -> Bool {
        guard library.holds(job.input) else { return false }
        guard let restriction, !restriction.isOpen(gate.session(of: request)) else { return true }
        guard job.sourceCount == nil else { return false }
        // Without the file its rating is not known.
        guard let item = library.item(at: job.input) else { return false }
        do throws(MediaError) {
            guard try ageIfClosed(item, request) == nil else { return false }
            guard let output = Library.named(job.output) else { return true }
            return try ageIfClosed(output, request) == nil
        } catch { return false }
    }

    /// Refuses to write over a file that may not be shown.
    func checkOutput(_ path: String, _ request: HTTPRequest) throws(MediaError) {
        guard restriction != nil, let item = Library.named(path),
            try ageIfClosed(item, request) != nil
        else { return }
        throw MediaError(
            .permissionDenied, "write over \(item.name): it is restricted",
            remedy: "give the PIN, or another name")
    }

    /// The age that a file asks for, if that is above the limit and the PIN was not given.
    private func ageIfClosed(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> AgeRating? {
        guard let restriction, !restriction.isOpen(gate.session(of: request)) else { return nil }
        let age = try restriction.age(of: item.version) { () throws(MediaError) in
            var seen: Set<String> = []
            return try rating(of: item, request, seen: &seen)
        }
        guard let age = age ?? (restriction.isUnratedOpen ? nil : .highest), age > restriction.limit else {
            return nil
        }
        return age
    }

    /// The highest rating of a file and of those that it was exported from: an output need not carry it. A source that is gone is known
    /// no more, and the highest rating stands for it.
    private func rating(
        of item: Library.Item, _ request: HTTPRequest, seen: inout Set<String>
    ) throws(MediaError) -> AgeRating? {
        guard seen.insert(item.path).inserted else { return nil }
        let asset: Media.Asset = try Site.decoded(
            try ask(.assetProbe, ProbeParams(path: item.path), item, request))
        var highest = AgeRating(of: asset)
        // Of an output of several files only the first is known here.
        guard let sources = try sources(of: item, request) else { return .highest }
        for source in sources {
            let age =
                if let item = Library.named(source) { try rating(of: item, request, seen: &seen) } else {
                    AgeRating.highest as AgeRating?
                }
            if let age, age > highest ?? age || highest == nil { highest = age }
        }
        return highest
    }

    /// The files that a file was exported from, by the jobs on record; nil: they are not all known.
    private func sources(of item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> Set<String>? {
        let daemon = try connect(request)
        var found: Set<String> = []
        var page = ListParams(limit: 1000)
        while true {
            let jobs: [JobReport] = try daemon.call(.jobList, page)
            let own = jobs.filter { $0.output == item.path && $0.input != item.path }
            if own.contains(where: { $0.sourceCount != nil }) { return nil }
            found.formUnion(own.map(\.input))
            guard jobs.count >= 1000, let last = jobs.map(\.id).min() else { return found }
            page.after = last
        }
    }

    /// Takes the PIN, which opens the files for a session.
    func unlock(_ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let restriction else { return .text(404, "nothing is restricted here") }
        let pin = try Site.object(request)["pin"]?.string ?? ""
        guard let session = gate.session(of: request) else {
            return .text(403, "the PIN opens the files for a session, and there is none")
        }
        switch restriction.open(pin, for: session) {
        case .opened: return Site.json(200, ["open": true])
        case .wrong:
            return Site.json(403, ["error": ["code": "pinWrong", "message": "this is not the PIN"]])
        case .wait(let seconds):
            return Site.json(
                429,
                [
                    "error": [
                        "code": "pinWait", "message": .string("too many wrong PINs"),
                        "remedy": .string("try again in \(seconds) s"),
                    ]
                ])
        }
    }

    /// Closes again what this browser opened.
    func lock(_ request: HTTPRequest) -> HTTPResponse {
        if let session = gate.session(of: request) { restriction?.close(session) }
        return Site.json(200, ["open": false])
    }

    /// Decodes an answer of trimd.
    static func decoded<Value: Decodable>(_ value: JSONValue) throws(MediaError) -> Value {
        do { return try value.decode(as: Value.self) } catch {
            throw MediaError(
                .internalError, "trimd's answer is not understood: \(error)",
                remedy: "install all programs from one release")
        }
    }
}
