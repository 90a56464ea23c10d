// Handlers: from a line of a client's to a function of the service, and back: transport decodes, service
// decides. It runs on each connection's own queue; an answer that takes long comes from another. It keeps no
// state. What a client sends that is wrong becomes an error with a stable word, never an end of the daemon.
internal import Media
internal import MediaTime
internal import Wire

/// The methods as they come from a socket.
struct Handlers: Sendable {
    let service: Service

    /// One request: who sent it and how to answer.
    private struct Call: Sendable {
        let connection: Connection
        let id: RequestID
        let params: JSONValue
        let caller: Caller
        /// What came with it; what no method takes is closed with the last reference.
        let descriptors: Descriptors

        func read<Params: Decodable>(_ type: Params.Type) throws(Refused) -> Params {
            do throws(MediaError) {
                return try Parameters.read(type, params)
            } catch { throw Refused(RemoteError(error, kind: .invalidParams)) }
        }

        /// Throws where a method that takes nothing is given something.
        func checkEmpty(_ method: Method) throws(Refused) {
            guard case .object(let members) = params, let name = members.keys.sorted().first else { return }
            let error = MediaError(
                .invalidRequest, "\(name.prefix(64)): is not a known key; \(method.rawValue) takes nothing")
            throw Refused(RemoteError(error, kind: .invalidParams))
        }

        func answer(_ result: some Encodable) {
            do throws(WireError) {
                connection.send(try Message.response(to: id, encoding: result))
            } catch { refuse(.internalError("the answer cannot be written: \(error)")) }
        }

        func answer(_ result: Result<some Encodable, MediaError>) {
            switch result {
            case .success(let value): answer(value)
            case .failure(let error): refuse(RemoteError(error))
            }
        }

        func answer(_ result: Result<JSONValue, MediaError>) {
            switch result {
            case .success(let value): connection.send(.response(id: id, result: value))
            case .failure(let error): refuse(RemoteError(error))
            }
        }

        func refuse(_ error: RemoteError) { connection.send(.failure(id: id, error: error)) }
    }

    /// A request that gets an error for its answer.
    private struct Refused: Error {
        let error: RemoteError
        init(_ error: RemoteError) { self.error = error }
        init(_ error: MediaError) { self.error = RemoteError(error) }
    }

    /// Serves one client.
    func serve(_ connection: Connection) {
        connection.start(
            onMessage: { connection, message, descriptors in
                // Clients tell nothing and are asked nothing: only requests count.
                guard case .request(let id, let method, let params) = message else { return }
                let caller = Caller(connection.peer)
                handle(
                    method,
                    Call(
                        connection: connection, id: id, params: params, caller: caller,
                        descriptors: descriptors))
            },
            onEnd: { connection, _ in service.forget(connection) })
    }

    private func handle(_ name: String, _ call: Call) {
        do {
            guard let method = Method(rawValue: name) else { throw Refused(Handlers.unknown(name)) }
            try handle(method, call)
        } catch let refused as Refused {
            call.refuse(refused.error)
        } catch let error as MediaError {
            call.refuse(RemoteError(error))
        } catch {
            call.refuse(.internalError("\(error)"))
        }
    }

    private func handle(_ method: Method, _ call: Call) throws {
        let caller = call.caller
        let warrant = { service.warrant(call.connection.peer, call.descriptors) }
        switch method {
        case .hello:
            try call.checkEmpty(method)
            call.answer(service.hello())
        case .serverStatus:
            try call.checkEmpty(method)
            call.answer(try service.status(caller))
        case .serverMetrics:
            try call.checkEmpty(method)
            call.answer(try service.metrics())
        case .serverDoctor:
            try call.checkEmpty(method)
            service.doctor { call.answer($0) }
        case .serverDrain: service.drain(try call.read(DrainParams.self)) { call.answer($0) }
        case .presetList:
            try call.checkEmpty(method)
            call.answer(service.presets())
        case .assetProbe:
            try service.probe(try call.read(ProbeParams.self), warrant()) {
                call.answer($0.checked(as: Asset.self))
            }
        case .assetCheck:
            try service.check(try call.read(CheckParams.self), warrant()) {
                call.answer($0.checked(as: CompatibilityReport.self))
            }
        case .jobSubmit: call.answer(try service.submit(try call.read(SubmitParams.self), caller, warrant()))
        case .jobPlan:
            try service.plan(try call.read(SubmitParams.self), warrant()) {
                call.answer($0.checked(as: PlanReport.self))
            }
        case .jobGet: call.answer(try service.job(try call.read(JobParams.self).id, caller))
        case .jobList:
            call.answer(Handlers.page(try service.jobs(try call.read(ListParams.self), caller)))
        case .jobLog: call.answer(try service.log(try call.read(JobParams.self).id, caller))
        case .jobCancel:
            try service.cancel(try call.read(JobParams.self).id, caller) { call.answer($0) }
        case .jobRetry: call.answer(try service.retry(try call.read(JobParams.self).id, caller))
        case .jobHold: call.answer(try service.hold(try call.read(JobParams.self).id, caller))
        case .jobRelease: call.answer(try service.release(try call.read(JobParams.self).id, caller))
        case .jobRemove: call.answer(try service.remove(try call.read(JobParams.self).id, caller))
        case .eventsSince:
            let params = try call.read(EventsParams.self)
            try service.events(params, caller, from: call.connection) { call.answer($0) }
        case .jobWatch: try watch(call)
        }
    }

    /// Answers with the present state, then tells it once more as the first change, as all later ones will be
    /// told.
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
        // Judged before anything is watched: a job that may not be seen is an error.
        _ = try service.watched(params, call.caller)
        service.hub.watch(call.connection, call.caller, params) {
            do throws(MediaError) {
                let present = Handlers.page(try service.watched(params, call.caller))
                call.answer(present)
                let method = Notification.jobChanged.rawValue
                for report in present { call.connection.send(.notification(method: method, params: report)) }
            } catch { call.refuse(RemoteError(error)) }
        }
    }

    /// As many reports as fit a line; whoever wants the rest asks for what comes after.
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

extension Result<JSONValue, MediaError> {
    /// A worker has read a stranger's file: its answer is passed on only where it is what it should be.
    func checked<Value: Codable>(as _: Value.Type) -> Self {
        flatMap { value in
            do throws(WireError) {
                return .success(try JSONValue(encoding: try value.decode(as: Value.self)))
            } catch {
                return .failure(MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)"))
            }
        }
    }
}
