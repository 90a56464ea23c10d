// Encodes one interval of an output's video: decodes and selects, filters, and encodes, each in a stage on a thread of its own with
// bounded queues between them. Owns the stages; its owner owns the queue of packets. Chains share nothing: several can work on
// intervals of one plan at once, or one after another. It writes no file, and knows no other track.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// The encoding of an interval of the output.
final class VideoChain: Sendable {
    private let decoding: VideoDecodingStage
    private let filtering: VideoFilteringStage
    private let burning: VideoBurningStage?
    private let encoding: VideoEncodingStage

    /// A chain that sends its packets to a queue, in decoding order, and ends it.
    /// - Parameter opened: called before the first packet; not at all where the interval has no frames.
    init(
        _ work: VideoWork, to packets: LaneQueue<Packet>, opened: @escaping @Sendable (EncodedFormat) -> Void
    ) {
        // Decoded frames are large: one waits while one is processed.
        let decoded = BoundedQueue<PlacedFrame, MediaError>(capacity: 1)
        let filtered = BoundedQueue<PlacedFrame, MediaError>(capacity: 1)
        let color = VideoColor(work.part?.color.chain)
        decoding = VideoDecodingStage(work, color, to: decoded)
        filtering = VideoFilteringStage(work: work, color: color, input: decoded, output: filtered)
        burning =
            work.plan.burned == nil && work.subtitles == nil
            ? nil
            : VideoBurningStage(
                work: work, color: color, input: filtered,
                output: BoundedQueue<PlacedFrame, MediaError>(capacity: 1))
        encoding = VideoEncodingStage(
            work: work, color: color, input: burning?.output ?? filtered, packets: packets, opened: opened)
    }

    /// Starts the stages.
    /// - Parameter ended: called when the packets have ended, normally or with a failure.
    func start(ended: @escaping @Sendable (MediaError?) -> Void) {
        Stage.start("video.decode") { [decoding] () throws(MediaError) in
            try decoding.run()
        } failed: { [decoding] in
            decoding.frames.end($0)
        }
        Stage.start("video.filter") { [filtering] () throws(MediaError) in
            try filtering.run()
        } failed: { [filtering] in
            filtering.input.abandon()
            filtering.output.end($0)
        }
        if let burning {
            Stage.start("video.burn") { () throws(MediaError) in
                try burning.run()
            } failed: {
                burning.input.abandon()
                burning.output.end($0)
            }
        }
        Stage.start("video.encode") { [encoding] () throws(MediaError) in
            try encoding.run()
            ended(nil)
        } failed: { [encoding] in
            encoding.input.abandon()
            encoding.packets.end($0)
            ended($0)
        }
    }

    /// Stops all stages.
    func abandon() {
        encoding.packets.abandon()
        encoding.input.abandon()
        burning?.input.abandon()
        filtering.input.abandon()
        decoding.abandon()
    }
}
