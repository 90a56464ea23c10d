// A command's connection to the daemon: typed calls, errors as MediaError, a queue of notifications, and reconnection. One
// thread. It knows the methods, not how commands use them.
internal import CLinux
package import Media
package import MediaTime
package import Platform
internal import Text
package import Wire

/// A connection to a daemon that can reconnect.
package final class DaemonConnection {
    /// A notification from the daemon.
    package enum Event {
        case changed(JobReport)
        case progress(JobProgress)
        /// A job has passed a time that was asked for.
        case boundary(JobBoundary)
        /// Draining started or ended.
        case draining(Bool)
    }

    /// The daemon's socket path.
    package let path: String
    /// Ctrl-C and other signals end every wait.
    package let interrupts: Interrupts
    /// Whether a lost daemon may return; a private one does not.
    package let mayReturn: Bool
    /// The remedy if no daemon answers; nil: there is none.
    package let remedy: String?
    /// A folder in the daemon's state for what is piped: its files are the daemon's own, and only it can open them.
    package var spool: String?
    private var client: Client?
    private var events: [Event] = []
    /// The daemon's answer to `hello`.
    private var hello: HelloResult?

    /// Whether it runs as another user, and accesses files through descriptors that this user opens: `OpenedFiles`.
    package var wantsDescriptors: Bool {
        let own = PeerCredentials.own.uid
        return own != 0 && own != hello?.user
    }

    /// Whether it runs as another user than this one, who need not be able to read what this one keeps for itself.
    package var runsAsAnotherUser: Bool { hello?.user != PeerCredentials.own.uid }

    /// Timeout of a quick call.
    package static let patience = Duration.seconds(30)

    /// Creates a connection to a path; not yet connected.
    package init(path: String, interrupts: Interrupts, mayReturn: Bool = true, remedy: String? = nil) {
        self.path = path
        self.interrupts = interrupts
        self.mayReturn = mayReturn
        self.remedy = remedy
    }

    /// Connects and compares versions; the peer must answer within this time.
    @discardableResult
    package func connect(within patience: Duration = DaemonConnection.patience) throws(MediaError)
        -> HelloResult
    {
        client = nil
        events = []
        let hello: HelloResult
        do throws(WireError) {
            let client = try Client(path: path)
            client.interrupt = interrupts.descriptor
            client.onNotification = { [weak self] method, params in self?.take(method, params) }
            hello = try client.call(
                Method.hello.rawValue, timeout: patience, returning: HelloResult.self)
            self.client = client
        } catch {
            throw DaemonError.translated(error, path: path, remedy: remedy)
        }
        guard hello.protocolVersion == HelloResult.currentProtocol else {
            throw MediaError(
                .noDaemon,
                "trimd \(hello.version) on \(path) speaks version \(hello.protocolVersion) of the protocol, this "
                    + "program (\(trimdVersion)) version \(HelloResult.currentProtocol)",
                remedy: "install both from one release")
        }
        self.hello = hello
        return hello
    }

    /// Calls a method without a timeout; Ctrl-C ends it.
    package func call<Result: Decodable>(
        _ method: Method, _ params: some Encodable = Empty(), passing descriptors: [Int32] = [],
        returning type: Result.Type = Result.self
    ) throws(MediaError) -> Result {
        try answer { client throws(WireError) in
            try client.call(method.rawValue, params: params, passing: descriptors, returning: type)
        }
    }

    /// Calls a method whose answer comes with files; Ctrl-C ends it.
    package func callForFiles<Result: Decodable>(
        _ method: Method, _ params: some Encodable, passing descriptors: [Int32] = [],
        returning type: Result.Type = Result.self
    ) throws(MediaError) -> (Result, Descriptors) {
        try answer { client throws(WireError) in
            try client.callForFiles(
                method.rawValue, params: params, passing: descriptors, returning: type)
        }
    }

    /// Calls a method that changes state: Ctrl-C does not abort it, so the outcome is known.
    package func commit<Result: Decodable>(
        _ method: Method, _ params: some Encodable, passing descriptors: [Int32] = [],
        returning type: Result.Type = Result.self
    ) throws(MediaError) -> Result {
        try answer { client throws(WireError) in
            client.interrupt = nil
            defer { client.interrupt = interrupts.descriptor }
            return try client.call(
                method.rawValue, params: params, passing: descriptors, timeout: Self.patience, returning: type
            )
        }
    }

    /// Returns the events since the last call, in order.
    package func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Waits for an event; false if the user interrupts.
    /// - Parameter limit: the longest wait, after which there may be no event; nil: without end.
    package func waitForEvent(within limit: Duration? = nil) throws(MediaError) -> Bool {
        guard events.isEmpty else { return true }
        guard let client else { throw DaemonError.lost }
        do throws(WireError) {
            _ = try client.waitForNotification(timeout: limit)
            return true
        } catch {
            if case .interrupted = error { return false }
            throw DaemonError.translated(error, path: path, remedy: remedy)
        }
    }

    /// Readable when data has arrived; nil without a connection.
    package var descriptor: Int32? { client?.descriptor }

    /// Receives pending notifications, without blocking.
    package func takeIn() throws(MediaError) {
        _ = try answer { client throws(WireError) in try client.waitForNotification(timeout: .zero) }
    }

    /// Waits for this time; false if the user interrupts.
    package func pause(milliseconds: Int32) -> Bool {
        trim_poll(-1, 0, 0, interrupts.descriptor ?? -1, milliseconds) & 4 == 0
    }

    private func answer<Result>(_ body: (Client) throws(WireError) -> Result) throws(MediaError) -> Result {
        guard let client else { throw DaemonError.lost }
        do throws(WireError) {
            return try body(client)
        } catch {
            throw DaemonError.translated(error, path: path, remedy: remedy)
        }
    }

    /// An unknown notification comes from a newer daemon: it is ignored.
    private func take(_ method: String, _ params: JSONValue) {
        switch Notification(rawValue: method) {
        case .jobChanged: if let job = try? params.decode(as: JobReport.self) { events.append(.changed(job)) }
        case .jobProgress:
            if let progress = try? params.decode(as: JobProgress.self) { events.append(.progress(progress)) }
        case .serverDraining:
            if let notification = try? params.decode(as: ServerDraining.self) {
                events.append(.draining(notification.draining))
            }
        case .jobBoundary:
            if let passed = try? params.decode(as: JobBoundary.self) { events.append(.boundary(passed)) }
        case nil: break
        }
    }
}

// The calls about files that all clients make, with the descriptors that a daemon of another user needs.
extension DaemonConnection {
    /// The content of a file.
    package func probe(_ params: ProbeParams) throws(MediaError) -> Media.Asset {
        try OpenedFiles.passing(params.path, to: self) { files throws(MediaError) in
            try call(.assetProbe, params, passing: files)
        }
    }

    /// Which presets are valid for a file.
    package func check(_ params: CheckParams) throws(MediaError) -> CompatibilityReport {
        try OpenedFiles.passing(params.path, to: self) { files throws(MediaError) in
            try call(.assetCheck, params, passing: files)
        }
    }

    /// The plan of a request; nothing is exported.
    package func plan(_ request: SubmitParams) throws(MediaError) -> PlanReport {
        try passing(request) { files throws(MediaError) in try call(.jobPlan, request, passing: files) }
    }

    /// Submits a request; the job is on the daemon's disk when this returns.
    package func submit(_ request: SubmitParams) throws(MediaError) -> JobReport {
        try passing(request) { files throws(MediaError) in try commit(.jobSubmit, request, passing: files) }
    }

    private func passing<Result>(
        _ request: SubmitParams, _ body: ([Int32]) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        try OpenedFiles.passing(
            request.input, output: request.output ?? request.input, artwork: request.metadata?.artwork,
            subtitles: request.options?.burnedFile, to: self, body)
    }
}

// Waits for a lost daemon to return.
extension DaemonConnection {
    /// How a wait for a lost daemon ended.
    package enum Return {
        /// It has returned, and the connection is open.
        case connected
        /// It was interrupted.
        case stopped
        /// It stayed away.
        case away
    }

    /// How long to wait for a lost daemon.
    package static let patienceWithLost = Duration.seconds(30)

    /// Waits for a lost daemon to return.
    /// - Parameter isStopping: asked when a stop request arrives: whether to wait no longer.
    package func awaitReturn(
        within patience: Duration = patienceWithLost, _ isStopping: () throws(MediaError) -> Bool
    ) throws(MediaError) -> Return {
        let deadline = Deadline(after: patience)
        while !deadline.hasPassed {
            do throws(MediaError) {
                try connect()
                return .connected
            } catch {
                if error.code != .noDaemon, error.code != .operationCancelled { throw error }
            }
            if !pause(milliseconds: 200), try isStopping() { return .stopped }
        }
        return .away
    }

    /// Waits for a lost daemon to return; false if the user interrupts. `say` gets a message for the user.
    package func reconnect(_ say: (String) -> Void) throws(MediaError) -> Bool {
        say(DaemonError.losing)
        switch try awaitReturn({ () throws(MediaError) in true }) {
        case .connected: return true
        case .stopped: return false
        case .away: throw DaemonError.lost
        }
    }
}

// Watches jobs page by page: a response is one line of bounded length, and holds only the first of many jobs. Each call adds
// the jobs it names to this connection's notifications.
extension DaemonConnection {
    /// Maximum jobs named in one call.
    private static let mostNamed = 500

    /// Watches jobs (nil: all, including later ones) and returns the current state of each named job.
    package func watch(
        _ ids: [Int64]?, interval: Time? = nil, boundaries: [Time]? = nil
    ) throws(MediaError) -> [JobReport] {
        guard let ids else {
            return try call(.jobWatch, WatchParams(interval: interval, boundaries: boundaries))
        }
        var rest = ids[...]
        var present: [JobReport] = []
        while !rest.isEmpty {
            let named = Array(rest.prefix(DaemonConnection.mostNamed))
            let page: [JobReport] = try call(
                .jobWatch, WatchParams(ids: named, interval: interval, boundaries: boundaries))
            let known = Set(page.map(\.id))
            let count = rest.count
            rest.removeAll { known.contains($0) }
            guard rest.count < count else {
                throw MediaError(.internalError, "trimd does not say what job \(named[0]) is")
            }
            present += page
        }
        return present
    }
}

extension JobReport {
    /// The job with the daemon's drain state.
    package func draining(_ isOn: Bool) -> JobReport {
        var job = self
        job.draining = isOn && status == .waiting ? true : nil
        return job
    }
}
