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

    /// Whether a job is shown: that of a named file, as far as that may be shown.
    func isShown(_ job: JobReport, _ request: HTTPRequest) -> Bool {
        guard library.holds(job.input) else { return false }
        guard let restriction, !restriction.isOpen(gate.pinSecret(request)) else { return true }
        // Without the file its rating is not known.
        guard let item = library.item(at: job.input) else { return false }
        do throws(MediaError) { return try ageIfClosed(item, request) == nil } catch { return false }
    }

    /// The age that a file asks for, if that is above the limit and the PIN was not given.
    private func ageIfClosed(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> AgeRating? {
        guard let restriction, !restriction.isOpen(gate.pinSecret(request)) else { return nil }
        let age = try restriction.age(of: item.version) { () throws(MediaError) in
            try rating(of: item, request, depth: 4)
        }
        guard let age, age > restriction.limit else { return nil }
        return age
    }

    /// The highest rating of a file and of those that it was exported from: an output need not carry it.
    private func rating(
        of item: Library.Item, _ request: HTTPRequest, depth: Int
    ) throws(MediaError) -> AgeRating? {
        let asset: Media.Asset = try Site.decoded(
            try ask(.assetProbe, ProbeParams(path: item.path), item, request))
        var highest = AgeRating(of: asset)
        guard depth > 0 else { return highest }
        let jobs: [JobReport] = try connect(request).call(.jobList, ListParams(limit: 1000))
        for job in jobs where job.output == item.path && job.input != item.path {
            guard let source = library.item(at: job.input) else { continue }
            let age = try rating(of: source, request, depth: depth - 1)
            if let age, age > highest ?? age || highest == nil { highest = age }
        }
        return highest
    }

    /// Takes the PIN; the browser keeps a cookie that opens the files.
    func unlock(_ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let restriction else { return .text(404, "nothing is restricted here") }
        let pin = try Site.object(request)["pin"]?.string ?? ""
        switch restriction.open(pin) {
        case .opened(let secret):
            var answer = Site.json(200, ["open": true])
            answer.headers.append(
                ("Set-Cookie", "\(gate.pinCookie)=\(secret); Path=/; HttpOnly; SameSite=Strict"))
            return answer
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
        restriction?.close(gate.pinSecret(request))
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
