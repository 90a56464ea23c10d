// The interface of every lane to the muxer: how to open its track, then its packets in decoding order. A lane runs on its own
// queues and owns everything from the source to its packets.
package import Libav
package import Media
package import MediaTime
package import Source

/// How the muxer opens a lane's track.
package struct LaneOpening: Sendable {
    /// The codec configuration for the container's header.
    package enum Coding: Sendable {
        /// The stream of an encoder.
        case encoded(EncodedFormat)
        /// Stored parameters, from the source or derived from it.
        case stored(CodecParameters)
    }
    package var coding: Coding
    /// Seconds per tick of the lane's packets.
    package var timebase: Timebase
    /// The source track.
    var track: Track
    /// The track's entry in the result; the muxer updates its counts.
    package var result: TrackResult
    /// Ticks of `timebase` by which the container's times are later than those of stored packets: Matroska's CodecDelay.
    var delay: Int64 = 0
}

/// The queue between a lane and the muxer. It ends with the lane's failure, which decides what is tried next.
package typealias LaneQueue<Element: Sendable> = BoundedQueue<Element, AttemptFailure>

extension BoundedQueue where Failure == AttemptFailure {
    /// Ends the queue with an error for which there is no other attempt.
    func end(_ error: MediaError) { end(.other(error)) }
}

/// The processing of one track.
package protocol Lane: AnyObject, Sendable {
    /// The source track.
    var track: Track { get }
    /// One opening, then the end; only the end if the track has nothing in the range.
    var opening: LaneQueue<LaneOpening> { get }
    /// The packets, in decoding order.
    var packets: LaneQueue<Packet> { get }
    /// Starts the lane's stages.
    func start()
    /// Stops all stages.
    func abandon()
}

extension Lane {
    /// A packet to read into: one that was written, or a new one.
    func emptyPacket() throws(MediaError) -> Packet {
        if let used = packets.takeBack() { return used }
        return try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
    }
}

/// A lane that works on one queue.
protocol SingleStageLane: Lane {
    /// The queue's name.
    var stage: String { get }
    /// Opens the track and sends its packets, to the end.
    func work() throws(MediaError)
}

extension SingleStageLane {
    func start() {
        Stage.start(stage) { [self] () throws(MediaError) in
            try work()
        } failed: { [self] in
            end($0)
        }
    }

    /// Works on the caller's thread, before anything is received: the queues must have room for all of it.
    func workToEnd() {
        do throws(MediaError) { try work() } catch { end(error) }
    }

    private func end(_ error: MediaError) {
        packets.end(error)
        opening.end(error)
    }

    func abandon() { packets.abandon() }
}
