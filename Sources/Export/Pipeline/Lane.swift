// What every lane offers the muxer: how its track is to be opened, then its packets in decoding order. A lane runs on
// queues of its own and owns everything on the way from the source to its packets.
internal import Libav
internal import Media
internal import MediaTime

/// How the muxer opens a lane's track.
struct LaneOpening: Sendable {
    /// What goes into the container's header.
    enum Coding: Sendable {
        /// An encoder that was opened.
        case encoder(Encoder)
        /// What the source says, or was made from it.
        case stored(CodecParameters)
    }
    var coding: Coding
    /// Seconds per tick of the lane's packets.
    var timebase: Timebase
    /// The source track.
    var track: Track
    /// What the result says of the track; counted on by the muxer.
    var result: TrackResult
}

/// One track on its way.
protocol Lane: AnyObject, Sendable {
    /// The source track.
    var track: Track { get }
    /// One opening, then the end; the end alone where the track has nothing in the range.
    var opening: BoundedQueue<LaneOpening> { get }
    /// The packets, in decoding order.
    var packets: BoundedQueue<Packet> { get }
    /// Starts the lane's stages.
    func start()
    /// Tells all stages to stop.
    func abandon()
}

/// A lane whose work is done on one queue.
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
        } failed: { [opening, packets] in
            packets.end($0)
            opening.end($0)
        }
    }

    func abandon() { packets.abandon() }
}
