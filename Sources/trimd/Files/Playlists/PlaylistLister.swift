// PlaylistLister: has the names in a playlist listed by a sealed worker of its own, which reads the text and no media: the worker that
// reads the film may be in the film's hands. trimd itself looks at the first bytes alone. It blocks; call it on a lane.
internal import Dispatch
internal import Glibc
internal import Media
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

/// Lists the files that playlists name.
struct PlaylistLister: Sendable {
    /// The files that one playlist names.
    struct Names: Hashable, Sendable {
        /// Whether they are playlists themselves.
        var arePlaylists: Bool
        /// Their names relative to its folder, in bytes: equal texts may be other names.
        var names: Set<[UInt8]>
    }

    /// The names in an open playlist; the second is its name, for messages.
    let names: @Sendable (OpenedFile, String) -> Result<Names, MediaError>

    /// How long a worker may take: less than a lane waits.
    private static let timeLimit = DispatchTimeInterval.seconds(20)

    /// Lists nothing.
    static let none = PlaylistLister { _, name in
        .failure(MediaError(.playlist, "\(name) is a playlist, and is not taken here"))
    }

    /// Whether a file begins as a playlist does.
    static func isPlaylist(_ file: OpenedFile) -> Bool {
        guard let bytes = try? file.read(PlaylistSignature.length, at: 0) else { return false }
        return PlaylistSignature.isAtStart(of: bytes)
    }

    /// Lists with workers of a pool.
    static func workers(of pool: WorkerPool) -> PlaylistLister {
        PlaylistLister { file, name in
            Result { () throws(MediaError) in try list(file, name, by: try pool.take()) }
        }
    }

    private static func list(
        _ file: OpenedFile, _ name: String, by worker: Worker
    ) throws(MediaError) -> Names {
        // It serves this one request, whatever its end.
        defer { worker.kill() }
        let output = try MemoryFile()
        let outcome = Mutex<Worker.Outcome?>(nil)
        let isAnswered = DispatchSemaphore(value: 0)
        let answer: @Sendable (Worker.Outcome) -> Void = { found in
            outcome.withLock { $0 = $0 ?? found }
            isAnswered.signal()
        }
        var client = Worker.Client(then: answer)
        client.onAnswer = answer
        worker.serve(
            .names, WorkerNames(name: name), passing: [file.descriptor, output.descriptor], client)
        guard isAnswered.wait(timeout: .now() + timeLimit) == .success, let found = outcome.withLock(\.self)
        else {
            throw MediaError(.limitReached, "the names in the playlist \(name) could not be read in time")
        }
        let listed = try found.read(as: ListedNames.self).get()
        let bytes = try output.read(upTo: WorkerNames.mostBytes)
        guard bytes.count == listed.bytes else {
            throw MediaError(.workerCrashed, "the worker's list of names is not the one that it reported")
        }
        return Names(
            arePlaylists: listed.arePlaylists,
            names: Set(bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }))
    }
}
