// Further files for a worker, the most that it may write, and what it took of the machine. Any thread.
internal import CLinux
internal import Media
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

extension Worker {
    /// Passes duplicates of further files of its request.
    func pass(_ descriptors: [Int32]) throws(MediaError) {
        let message = Message.notification(method: DaemonNotification.files.rawValue, params: .empty)
        do throws(SystemError) {
            _ = try connection.send(message, passing: descriptors)
        } catch { throw MediaError(.limitReached, "passing files to a worker: \(error)") }
    }

    /// Opens files of a playlist, as it asks. A worker that is not sealed as required gets none.
    func open(_ request: SegmentRequest) {
        let isSealed = setup.policy == .bestEffort || state.withLock { $0.seal?.missing.isEmpty == true }
        let isTooEarly = state.withLock { state in
            defer { state.isOpening = true }
            return state.isOpening || state.answer != nil
        }
        guard (1...SegmentRequest.most).contains(request.names.count), isSealed, !isTooEarly else {
            return nonsense("a request of \(request.names.count) files")
        }
        guard let folder = state.withLock({ $0.client?.folder }) else {
            let why = MediaError(.playlist, "a playlist is not taken here")
            return give(request.names.map { _ in .failure(why) })
        }
        folder.open(request.names) { [weak self] answers in self?.give(answers) }
    }

    private func give(_ answers: [SourceFolder.Answer]) {
        state.withLock { $0.isOpening = false }
        // It asks for what its source does not name: it does not serve its request any more.
        for case .failure(let error) in answers where error.code == .sandboxViolation {
            answer(.failure(error))
            return kill()
        }
        var files: [OpenedFile] = []
        let reply = SegmentAnswer(
            files: answers.map { answer in
                switch answer {
                case .success(let file):
                    files.append(file)
                    return SegmentAnswer.File(identity: file.identity.version)
                case .failure(let error): return SegmentAnswer.File(error: error)
                }
            })
        do {
            let message = try Message.notification(
                method: DaemonNotification.segments.rawValue, params: JSONValue(encoding: reply))
            _ = try connection.send(message, passing: files.map(\.descriptor))
        } catch {
            answer(.failure(MediaError("passing files to a worker", error)))
            kill()
        }
        withExtendedLifetime(files) {}
    }

    /// Limits the size of the files that the process writes from now on; a larger write fails with EFBIG.
    func limitOutput(to bytes: Int64) throws(SystemError) {
        let pid = identity.pid
        try SystemError.check("limiting the output of", "worker \(pid)") {
            trim_limit_file_size(pid, UInt64(clamping: bytes))
        }
    }

    /// Whether it has taken all that was sent to it, or has gone.
    var hasTakenAll: Bool { !connection.hasUnsent }

    /// The most memory that the process had resident, in bytes; 0 before it has gone.
    var peakMemory: Int64 { state.withLock { $0.peak } }
}
