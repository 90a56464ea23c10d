// The files of a playlist, as the daemon opens them: the working threads ask, one at a time, and the thread that watches the daemon
// brings the answers. It waits as long as the daemon takes: when the daemon ends, so does this process.
internal import Dispatch
internal import Export
internal import Libav
internal import Media
internal import Platform
internal import Source
internal import Synchronization
internal import Text
internal import Wire

/// Asks the daemon for files of a playlist.
final class DaemonFiles: FileOpening {
    private let channel: BlockingChannel
    /// Held from a question to its answer.
    private let turn = Mutex(())
    private let answers = Mutex<[(answer: SegmentAnswer?, descriptors: Descriptors)]>([])
    private let came = DispatchSemaphore(value: 0)

    init(_ channel: BlockingChannel) { self.channel = channel }

    /// Takes an answer of the daemon's.
    func receive(_ params: JSONValue, _ descriptors: Descriptors) {
        let answer = try? params.decode(as: SegmentAnswer.self)
        answers.withLock { $0.append((answer, descriptors)) }
        came.signal()
    }

    func open(_ names: [String]) -> [Result<OpenSegment, MediaError>] {
        turn.withLock { _ in
            stride(from: 0, to: names.count, by: SegmentRequest.most).flatMap { first in
                ask(Array(names[first..<min(first + SegmentRequest.most, names.count)]))
            }
        }
    }

    private func ask(_ names: [String]) -> [Result<OpenSegment, MediaError>] {
        func all(_ why: String) -> [Result<OpenSegment, MediaError>] {
            names.map { .failure(MediaError(.inputOutput, "opening \($0): \(why)")) }
        }
        do throws(WireError) {
            try channel.send(
                .notification(WorkerNotification.segments.rawValue, encoding: SegmentRequest(names: names)))
        } catch { return all("\(error)") }
        came.wait()
        let (answer, descriptors) = answers.withLock { $0.removeFirst() }
        guard let answer, answer.files.count == names.count else { return all("the answer makes no sense") }
        var next = 0
        return zip(names, answer.files).map { name, file in
            if let error = file.error { return .failure(error) }
            defer { next += 1 }
            guard let descriptor = descriptors.take(next)?.release(),
                let segment = OpenSegment(adopting: descriptor, identity: file.identity ?? "")
            else { return .failure(MediaError(.inputOutput, "opening \(name): no descriptor came")) }
            return .success(segment)
        }
    }
}
