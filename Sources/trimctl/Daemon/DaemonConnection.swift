// The daemon as a command talks to it: calls by the API's types, errors as MediaError, notifications in a queue, and a
// new connection where the old one broke. One thread. It knows the methods, not what a command makes of them.
internal import CLinux
internal import Media
internal import Platform
internal import Text
internal import Wire

/// A connection to a daemon that can be made anew.
final class DaemonConnection {
    /// What a daemon tells by itself.
    enum Event {
        case changed(JobReport)
        case progress(JobProgress)
        /// Whether jobs are started has changed.
        case draining(Bool)
    }

    /// Where it listens.
    let path: String
    /// Ctrl-C and its like end every wait.
    let interrupts: Interrupts
    /// A lost daemon may come back; a private one does not.
    let mayReturn: Bool
    private var client: Client?
    private var events: [Event] = []
    /// What it said of itself when it was connected to.
    private var hello: HelloResult?

    /// Whether it has rights of its own, and acts for this user on what the user opens: `OpenedFiles`.
    var wantsDescriptors: Bool {
        let own = PeerCredentials.own.uid
        return own != 0 && own != hello?.user
    }

    /// How long an answer that needs no work may take.
    private static let patience = Duration.seconds(30)

    /// A daemon at a path; not yet connected.
    init(path: String, interrupts: Interrupts, mayReturn: Bool = true) {
        self.path = path
        self.interrupts = interrupts
        self.mayReturn = mayReturn
    }

    /// Connects, and compares versions; what listens there must answer in that time.
    @discardableResult
    func connect(within patience: Duration = DaemonConnection.patience) throws(MediaError) -> HelloResult {
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
            throw DaemonError.translated(error, path: path)
        }
        guard hello.protocolVersion == HelloResult.currentProtocol else {
            throw MediaError(
                .noDaemon,
                "trimd \(hello.version) on \(path) speaks version \(hello.protocolVersion) of the protocol, trimctl "
                    + "\(trimdVersion) version \(HelloResult.currentProtocol)",
                remedy: "install both from one release")
        }
        self.hello = hello
        return hello
    }

    /// Calls a method that may take its time; Ctrl-C ends it.
    func call<Result: Decodable>(
        _ method: Method, _ params: some Encodable = Empty(), passing descriptors: [Int32] = [],
        returning type: Result.Type = Result.self
    ) throws(MediaError) -> Result {
        try answer { client throws(WireError) in
            try client.call(method.rawValue, params: params, passing: descriptors, returning: type)
        }
    }

    /// Calls a method that changes something: Ctrl-C does not leave it in doubt, but waits for the answer.
    func commit<Result: Decodable>(
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

    /// What the daemon told since the last time, in order.
    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Waits until the daemon tells something, or the user wants to stop; false for the latter.
    func waitForEvent() throws(MediaError) -> Bool {
        guard events.isEmpty else { return true }
        guard let client else { throw DaemonError.lost }
        do throws(WireError) {
            _ = try client.waitForNotification()
            return true
        } catch {
            if case .interrupted = error { return false }
            throw DaemonError.translated(error, path: path)
        }
    }

    /// Where there is something to read, readable; nil without a connection.
    var descriptor: Int32? { client?.descriptor }

    /// Takes in what the daemon has told, without waiting.
    func takeIn() throws(MediaError) {
        _ = try answer { client throws(WireError) in try client.waitForNotification(timeout: .zero) }
    }

    /// Waits a moment; false where the user wants to stop meanwhile.
    func pause(milliseconds: Int32) -> Bool {
        trim_poll(-1, 0, 0, interrupts.descriptor ?? -1, milliseconds) & 4 == 0
    }

    private func answer<Result>(_ body: (Client) throws(WireError) -> Result) throws(MediaError) -> Result {
        guard let client else { throw DaemonError.lost }
        do throws(WireError) {
            return try body(client)
        } catch {
            throw DaemonError.translated(error, path: path)
        }
    }

    /// A notification that does not fit is one of a newer daemon: left out.
    private func take(_ method: String, _ params: JSONValue) {
        switch Notification(rawValue: method) {
        case .jobChanged: if let job = try? params.decode(as: JobReport.self) { events.append(.changed(job)) }
        case .jobProgress:
            if let progress = try? params.decode(as: JobProgress.self) { events.append(.progress(progress)) }
        case .serverDraining:
            if let told = try? params.decode(as: ServerDraining.self) {
                events.append(.draining(told.draining))
            }
        // Nothing here asks for boundaries.
        case .jobBoundary, nil: break
        }
    }
}
