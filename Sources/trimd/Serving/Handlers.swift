// Handlers: decodes each request, calls the service, and encodes the response. It runs on each connection's own queue; long
// calls respond from another queue, and paths are opened on a lane of the caller. The table in MethodAccess is checked first.
// It has no state. An invalid request gets an error with a stable code and never ends the daemon.
internal import Dispatch
internal import Media
internal import MediaTime
internal import Platform
internal import Text
internal import Wire

/// Dispatches the methods that arrive on a socket.
struct Handlers: Sendable {
    let services: Services
    /// The peer of a connection; tests replace it.
    var identify: @Sendable (Connection) -> PeerCredentials = { $0.peer }

    /// Serves one client.
    func serve(_ connection: Connection) {
        connection.start(
            onMessage: { connection, message, descriptors in
                // Clients neither notify nor respond: only requests are handled.
                guard case .request(let id, let method, let params) = message else { return }
                let peer = identify(connection)
                let call = Call(connection: connection, id: id, params: params, caller: services.caller(peer))
                call.attempt { try handle(method, call, peer, descriptors) }
            },
            onEnd: { connection, _ in services.forget(connection) })
    }

    /// Checks the access table, then calls the method. Descriptors that the method does not take are closed here.
    private func handle(
        _ name: String, _ call: Call, _ peer: PeerCredentials, _ descriptors: Descriptors
    ) throws {
        guard let method = Method(rawValue: name) else { throw Refused(Handlers.unknown(name)) }
        try call.caller.check(method)
        guard MethodAccess.of(method).opensPaths else { return try handle(method, call) }
        try open(method, call, services.access(peer, descriptors))
    }

    private func handle(_ method: Method, _ call: Call) throws {
        let caller = call.caller
        switch method {
        case .hello:
            try call.checkEmpty(method)
            call.answer(services.server.hello())
        case .serverStatus:
            try call.checkEmpty(method)
            call.answer(try services.server.status(caller))
        case .serverMetrics:
            try call.checkEmpty(method)
            call.answer(try services.server.metrics())
        case .serverDoctor:
            try call.checkEmpty(method)
            services.server.doctor(caller) { call.answer($0) }
        case .serverNodes:
            try call.checkEmpty(method)
            call.answer(NodesResult(try services.server.nodes.reports(for: caller.viewer)))
        case .serverDrain: services.server.drain(try call.read(DrainParams.self)) { call.answer($0) }
        case .presetList:
            try call.checkEmpty(method)
            call.answer(services.server.presetList())
        case .jobGet: call.answer(try services.jobs.job(try call.read(JobParams.self).id, caller))
        case .jobList:
            call.answer(Handlers.page(try services.jobs.jobs(try call.read(ListParams.self), caller)))
        case .jobLog: call.answer(try services.jobs.log(try call.read(LogParams.self), caller))
        case .jobCancel:
            try services.jobs.cancel(try call.read(JobParams.self).id, caller) { call.answer($0) }
        case .jobHold: call.answer(try services.jobs.hold(try call.read(JobParams.self).id, caller))
        case .jobRelease: call.answer(try services.jobs.release(try call.read(JobParams.self).id, caller))
        case .jobRemove: call.answer(try services.jobs.remove(try call.read(JobParams.self).id, caller))
        case .spoolOpen:
            try call.checkEmpty(method)
            call.answer(try services.spool.open(for: caller, call.client))
        case .spoolWrite: call.answer(try services.spool.write(try call.read(SpoolWriteParams.self), caller))
        case .spoolRead: call.answer(try services.spool.read(try call.read(SpoolReadParams.self), caller))
        case .eventsSince:
            let params = try call.read(EventsParams.self)
            try services.server.events(params, caller, from: call.connection) { call.answer($0) }
        case .jobWatch: try watch(call)
        case .assetProbe, .assetCheck, .assetFrame, .assetSheet, .assetVerify, .assetThumbnails,
            .assetWaveform, .assetSegment, .assetCues, .jobSubmit, .jobPlan, .jobRetry, .jobModify:
            throw Refused(
                .internalError("\(method.rawValue) opens paths, and the table of callers does not say so"))
        }
    }

    /// The methods that open paths. The connection's next request waits until they are open.
    private func open(_ method: Method, _ call: Call, _ access: CallerAccess) throws {
        let client = call.client
        switch method {
        case .jobSubmit:
            submit(try call.read(SubmitParams.self), call, access)
        case .jobRetry:
            let id = try call.read(JobParams.self).id
            opening(call) {
                try services.jobs.validateRetry(id, call.caller, access)
            } then: {
                call.answer(try services.jobs.retry(id, $0))
            }
        case .jobModify:
            let params = try call.read(ModifyParams.self)
            opening(call) {
                try services.jobs.validateModify(params, call.caller, access)
            } then: {
                call.answer(try services.jobs.modify(params, $0, call.caller))
            }
        case .jobPlan:
            let params = try call.read(SubmitParams.self)
            opening(call) {
                try services.jobs.plan(params, access, for: client) {
                    call.answer($0.checked(as: PlanReport.self))
                }
            }
        case .assetProbe:
            let params = try call.read(ProbeParams.self)
            opening(call) {
                try services.assets.probe(params, access, for: client) {
                    call.answer($0.checked(as: Asset.self))
                }
            }
        case .assetCheck:
            let params = try call.read(CheckParams.self)
            opening(call) {
                try services.assets.check(params, access, for: client) {
                    call.answer($0.checked(as: CompatibilityReport.self))
                }
            }
        case .assetFrame:
            let params = try call.read(FrameParams.self)
            opening(call) { try services.assets.frame(params, access, for: client) { call.answer($0) } }
        case .assetSheet:
            let params = try call.read(SheetParams.self)
            opening(call) { try services.assets.sheet(params, access, for: client) { call.answer($0) } }
        case .assetVerify:
            let params = try call.read(VerifyParams.self)
            opening(call) { try services.assets.verify(params, access, for: client) { call.answer($0) } }
        case .assetThumbnails:
            let params = try call.read(ThumbnailsParams.self)
            opening(call) { try services.assets.thumbnails(params, access, for: client) { call.answer($0) } }
        case .assetWaveform:
            let params = try call.read(WaveformParams.self)
            opening(call) {
                try services.assets.waveform(params, access, for: client) {
                    call.answer($0.checked(as: WaveformReport.self))
                }
            }
        case .assetSegment:
            let params = try call.read(SegmentParams.self)
            opening(call) { try services.assets.segment(params, access, for: client) { call.answer($0) } }
        case .assetCues:
            let params = try call.read(CuesParams.self)
            opening(call) {
                try services.assets.cues(params, access, for: client) {
                    call.answer($0.checked(as: CuesReport.self))
                }
            }
        default:
            throw Refused(
                .internalError("\(method.rawValue) opens no paths, and the table of callers says so"))
        }
    }

    /// Accepts a job. If other jobs took all the offered names of its output meanwhile, it looks for more.
    private func submit(_ params: SubmitParams, _ call: Call, _ access: CallerAccess, tries: Int = 50) {
        opening(call) {
            try services.jobs.validate(params, call.caller, access)
        } then: { validated in
            do throws(MediaError) {
                let job = try services.jobs.submit(params, validated, call.caller, from: call.connection)
                services.spool.note(job.id, uses: [params.input, params.output])
                call.answer(job)
            } catch {
                // A name that the user gave has no alternative.
                guard error.code == .fileAlreadyExists, tries > 1, let validated,
                    validated.request.output.name == nil
                else { throw error }
                submit(params, call, access, tries: tries - 1)
            }
        }
    }

    private func opening(_ call: Call, _ open: @escaping @Sendable () throws -> Void) {
        opening(call, open) { _ in }
    }

    /// Opens the paths of a request on a lane of the caller, then continues on the connection's queue.
    private func opening<Opened: Sendable>(
        _ call: Call, _ open: @escaping @Sendable () throws -> Opened,
        then: @escaping @Sendable (Opened) throws -> Void
    ) {
        let isOver = Once()
        call.connection.pause()
        services.lanes.run(for: call.caller.uid) {
            let opened = Result { try open() }
            call.connection.queue.async {
                guard isOver.take() else { return }
                call.attempt { try then(try opened.get()) }
                call.connection.resume()
            }
        } tooLong: {
            guard isOver.take() else { return }
            call.refuse(RemoteError(ShortRequests.noAnswer))
            call.connection.resume()
        }
    }

    /// Responds with the present state, then sends it again as the first change notification.
    private func watch(_ call: Call) throws {
        let params = try call.read(WatchParams.self)
        if let interval = params.interval, !interval.isNumeric || interval < .zero {
            throw MediaError(.invalidTime, "the interval \(interval) is not a length of time")
        }
        let boundaries = params.boundaries ?? []
        if let wrong = boundaries.first(where: { !$0.isNumeric || $0 < .zero }) {
            throw MediaError(.invalidTime, "the boundary \(wrong) is no time of an asset: those begin at 0")
        }
        guard boundaries.count <= Boundaries.most else {
            throw MediaError(
                .invalidRequest,
                "\(boundaries.count) boundaries are named, and at most \(Boundaries.most) can be")
        }
        // Checked before the watch begins: a job that the caller may not see is an error.
        _ = try services.jobs.watched(params, call.caller)
        services.jobs.hub.watch(call.connection, call.caller, params) {
            do throws(MediaError) {
                let present = Handlers.page(try services.jobs.watched(params, call.caller))
                call.answer(present)
                let method = Notification.jobChanged.rawValue
                for report in present { call.connection.send(.notification(method: method, params: report)) }
            } catch { call.refuse(RemoteError(error)) }
        }
    }

    /// As many reports as fit in one line; the client asks for the rest.
    static func page(_ reports: [JobReport], limit: Int = 900 << 10) -> [JSONValue] {
        var bytes = 0
        var page: [JSONValue] = []
        for report in reports {
            guard let value = try? JSONValue(encoding: report) else { continue }
            bytes += value.encoded.count + 1
            if bytes > limit, !page.isEmpty { break }
            page.append(value)
        }
        return page
    }

    private static func unknown(_ name: String) -> RemoteError {
        let near = nearestNames(to: name, in: Method.allCases.map(\.rawValue))
        let error = MediaError(
            .operationNotSupported, "there is no method '\(name.prefix(64))'",
            remedy: near.first.map { "did you mean '\($0)'?" })
        return RemoteError(error, kind: .methodNotFound)
    }
}
