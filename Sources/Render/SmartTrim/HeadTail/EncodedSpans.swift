// The heads and tails of a track, encoded ahead of the lane that writes them: several at once, each on a thread of its own, begun
// in the order in which the output needs them. Their bytes do not depend on how many are made at once, since each has an encoder
// with its own fixed number of threads. They are not units of work with files of their own: one takes about a second, which is
// less than it costs to keep it over a crash.
internal import Dispatch
internal import Libav
internal import Media
internal import Source
internal import Synchronization

/// Encodes spans ahead of their receiver; every span has a queue, and the receiver takes one queue after the other.
package final class EncodedSpans: Sendable {
    /// Sends a packet; false: the receiver takes no more.
    typealias Send = (Packet) -> Bool
    /// Encodes the span of an index.
    typealias Make = @Sendable (_ index: Int, _ send: Send) throws(MediaError) -> Void

    /// Packets of one span that wait at most.
    private static let longestQueue = 256
    /// Bytes that may wait in all queues before another span is begun.
    private static let mostBytes = 16 << 20
    /// Spans at once: each feeds an encoder of several threads.
    private static let most = 4
    /// Pixels of a frame of all spans at once: two spans of 4K, so that their decoders and encoders fit into memory.
    private static let mostPixels = 18 << 20

    private struct State {
        /// The next span to begin.
        var next = 0
        /// Bytes of the packets that wait.
        var bytes = 0
        var finished = 0
        /// Threads that wait for the receiver.
        var sleeping = 0
        var isAbandoned = false
    }
    private let state = Mutex(State())
    private let mayBegin = DispatchSemaphore(value: 0)
    private let queues: [BoundedQueue<Packet, MediaError>]
    private let make: Make

    /// - Parameters:
    ///   - count: number of spans.
    ///   - make: called once for each span, on different threads.
    init(_ count: Int, make: @escaping Make) {
        queues = (0..<count).map { _ in BoundedQueue(capacity: EncodedSpans.longestQueue) }
        self.make = make
    }

    /// How many spans are encoded at once.
    /// - Parameters:
    ///   - count: number of spans.
    ///   - pixels: size of a frame.
    ///   - processors: those that the worker may use.
    package static func atOnce(_ count: Int, pixels: Int, processors: Int) -> Int {
        max(1, min(count, processors, most, mostPixels / max(1, pixels)))
    }

    /// Whether all spans are encoded: whoever takes the packets only copies from now on.
    var areFinished: Bool { state.withLock { $0.finished == queues.count } }

    /// Starts the threads. One is enough: only where there is none, the first span has failed.
    func start(atOnce: Int) {
        for number in 0..<min(atOnce, queues.count) {
            Stage.start("video.headTail") { [self] () throws(MediaError) in
                while let index = begin() { run(index) }
            } failed: { [self] error in
                if number == 0, let index = begin() { finish(index, error) }
            }
        }
    }

    /// Passes the packets of a span to `body` until it returns false. Throws the error of the span.
    /// - Returns: whether all packets were taken.
    func receive(_ index: Int, _ body: (Packet) throws(MediaError) -> Bool) throws(MediaError) -> Bool {
        while let packet = try queues[index].receive() {
            let bytes = packet.size
            let sleeping = state.withLock { state in
                state.bytes -= bytes
                defer { if state.bytes < EncodedSpans.mostBytes { state.sleeping = 0 } }
                return state.bytes < EncodedSpans.mostBytes ? state.sleeping : 0
            }
            for _ in 0..<sleeping { mayBegin.signal() }
            guard try body(packet) else { return false }
        }
        return true
    }

    /// Stops all threads.
    func abandon() {
        let sleeping = state.withLock { state in
            state.isAbandoned = true
            defer { state.sleeping = 0 }
            return state.sleeping
        }
        for _ in 0..<sleeping { mayBegin.signal() }
        for queue in queues { queue.abandon() }
    }

    /// Takes the next span; waits while too much waits for the receiver. Nil: there is none.
    private func begin() -> Int? {
        while true {
            let (index, waits) = state.withLock { state -> (Int?, Bool) in
                guard !state.isAbandoned, state.next < queues.count else { return (nil, false) }
                guard state.bytes < EncodedSpans.mostBytes else {
                    state.sleeping += 1
                    return (nil, true)
                }
                defer { state.next += 1 }
                return (state.next, false)
            }
            guard waits else { return index }
            mayBegin.wait()
        }
    }

    private func run(_ index: Int) {
        do throws(MediaError) {
            try make(index) { packet in
                let bytes = packet.size
                state.withLock { $0.bytes += bytes }
                return queues[index].send(packet)
            }
            finish(index, nil)
        } catch { finish(index, error) }
    }

    private func finish(_ index: Int, _ error: MediaError?) {
        state.withLock { $0.finished += 1 }
        queues[index].end(error)
    }
}
