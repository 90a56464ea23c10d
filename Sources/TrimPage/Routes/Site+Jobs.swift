// Orders on jobs, and their events. Only jobs of the named files are shown, and take orders.
internal import Media
internal import Platform
internal import Text
internal import TrimClient
internal import Wire

extension Site {
    private static let orders: [String: Method] = [
        "cancel": .jobCancel, "retry": .jobRetry, "hold": .jobHold, "release": .jobRelease,
        "remove": .jobRemove,
    ]

    /// Gives a job an order, or tells its log.
    func order(_ id: String, _ word: String, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let id = Int64(id) else { throw MediaError(.jobNotFound, "'\(id.prefix(20))' is not a job ID") }
        let daemon = try connect(request)
        let job: JobReport = try daemon.call(.jobGet, JobParams(id: id))
        guard isShown(job, request) else {
            throw MediaError(.jobNotFound, "there is no job \(id) of these files")
        }
        if word == "verify" { return try verify(job, daemon, request) }
        if word == "log" {
            let log: LogResult = try daemon.call(.jobLog, LogParams(id: id))
            return Site.json(200, ["text": .string(log.text)])
        }
        guard let method = Site.orders[word] else { return .text(404, "there is nothing at this address") }
        let answer = try OpenedFiles.order(method, id, to: daemon)
        if method == .jobRemove { ArtworkFolder.clear(job.artwork) }
        return Site.json(200, Site.value(job: answer))
    }

    /// Whether a finished export is exactly the part that was asked for: both files are decoded.
    private func verify(
        _ job: JobReport, _ daemon: DaemonConnection, _ request: HTTPRequest
    ) throws(MediaError) -> HTTPResponse {
        guard job.sourceCount == nil else {
            throw MediaError(
                .operationNotSupported, "an output of several files cannot be compared with them here",
                remedy: "`trimctl verify` compares it with a list of them in FFmpeg's concat format")
        }
        let known = Site.rangeKeys.union(["options"])
        var params = try Site.object(request).filter { known.contains($0.key) }
        if params.isEmpty, let range = job.requested {
            params = ["start": Site.value(range.start), "end": Site.value(range.end)]
        }
        (params["path"], params["output"]) = (.string(job.input), .string(job.output))
        let wanted: VerifyParams = try Site.read(params)
        let report = try OpenedFiles.passing(job.input, output: job.output, artwork: job.output, to: daemon) {
            files throws(MediaError) in
            try daemon.call(.assetVerify, wanted, passing: files, returning: JSONValue.self)
        }
        return Site.json(200, report)
    }

    static func value(_ report: some Encodable) -> JSONValue { (try? JSONValue(encoding: report)) ?? .null }

    /// A job, with the names of its files in requests.
    static func value(job: JobReport) -> JSONValue {
        guard var object = value(job).object?.dictionary else { return .null }
        object["inputID"] = .string(Library.key(of: job.input))
        object["outputID"] = .string(Library.key(of: job.output))
        return .object(object)
    }

    /// The events of all jobs of the named files, from their present state on: a client that comes back misses nothing.
    func events(_ request: HTTPRequest) -> HTTPResponse {
        let after = EventFeed.id(after: request.headers["last-event-id"])
        return HTTPResponse(
            200, "text/event-stream", .stream(EventFeed(self, request, after: after)),
            [("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")])
    }
}

/// Server-sent events. Used on the thread of its connection.
final class EventFeed: HTTPStream {
    private let site: Site
    private let request: HTTPRequest
    private var daemon: DaemonConnection?
    private var id: Int64
    private var isFirst = true
    private var names: [Int64: Bool] = [:]
    /// The files as they were when they were last looked at.
    private var files = ""
    private var nextLook = ContinuousClock.now

    /// A comment is sent in this time at the latest, so that both sides notice when the other has gone.
    private static let interval = Duration.seconds(5)

    init(_ site: Site, _ request: HTTPRequest, after id: Int64) {
        self.site = site
        self.request = request
        self.id = id
    }

    /// The number that a browser has seen last, where it may be one of ours; else they begin anew.
    static func id(after text: String?) -> Int64 {
        guard let id = text.flatMap({ Int64($0) }), 0..<1 << 53 ~= id else { return 0 }
        return id
    }

    func next() -> [UInt8]? {
        do throws(MediaError) {
            if isFirst { return try begin() }
            guard let daemon else { return nil }
            guard try daemon.waitForEvent(within: EventFeed.interval) else { return nil }
            let text = daemon.takeEvents().map(words).joined() + changedFiles()
            return Array((text.isEmpty ? ": still here\n\n" : text).utf8)
        } catch {
            daemon = nil
            return Array(event("lost", Site.value(error)).utf8)
        }
    }

    /// The present state; the browser comes back a second after a connection has ended.
    private func begin() throws(MediaError) -> [UInt8] {
        isFirst = false
        let daemon = try site.connect(request)
        let jobs = try daemon.watch(nil)
        _ = daemon.takeEvents()
        self.daemon = daemon
        files = site.library.state
        var text = "retry: 1000\n\n"
        text += event("jobs", .array(jobs.filter(isShown).map { Site.value(job: $0) }))
        return Array(text.utf8)
    }

    /// An event where a file came, went or changed; nothing otherwise, and more often than each few seconds.
    private func changedFiles() -> String {
        guard ContinuousClock.now >= nextLook else { return "" }
        nextLook = .now + EventFeed.interval
        let now = site.library.state
        guard now != files else { return "" }
        files = now
        return event("files", .empty)
    }

    private func isShown(_ job: JobReport) -> Bool {
        let isShown = site.isShown(job, request)
        names[job.id] = isShown
        if isShown, job.status == .completed {
            site.library.add(output: job.output)
            ArtworkFolder.clear(job.artwork)
        }
        return isShown
    }

    private func words(_ event: DaemonConnection.Event) -> String {
        switch event {
        case .changed(let job): isShown(job) ? self.event("job", Site.value(job: job)) : ""
        case .progress(let progress):
            names[progress.id] == true ? self.event("progress", Site.value(progress)) : ""
        // The page asks for none.
        case .boundary: ""
        case .draining(let isOn): self.event("draining", ["draining": .bool(isOn)])
        }
    }

    private func event(_ name: String, _ value: JSONValue) -> String {
        id += 1
        return "id: \(id)\nevent: \(name)\ndata: \(String(decoding: value.encoded, as: UTF8.self))\n\n"
    }
}
