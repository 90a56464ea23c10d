// Finds the colours of an output: decodes and filters its first frame, once for all of its chunks. Runs on the caller's thread; the
// stages run on their own.
internal import Libav
internal import Media
internal import MediaTime
internal import Source
internal import Synchronization

extension FoundColor {
    /// The colours of the output of this work; nil: it shows nothing.
    static func find(_ work: VideoWork) throws(MediaError) -> FoundColor? {
        let decoded = BoundedQueue<PlacedFrame, MediaError>(capacity: 1)
        let filtered = BoundedQueue<PlacedFrame, MediaError>(capacity: 1)
        let color = VideoColor()
        let decoding = VideoDecodingStage(work, color, to: decoded)
        let filtering = VideoFilteringStage(work: work, color: color, input: decoded, output: filtered)
        Stage.start("video.decode") { () throws(MediaError) in
            try decoding.run()
        } failed: {
            decoding.frames.end($0)
        }
        Stage.start("video.filter") { () throws(MediaError) in
            try filtering.run()
        } failed: {
            filtering.input.abandon()
            filtering.output.end($0)
        }
        defer {
            filtered.abandon()
            decoded.abandon()
            decoding.abandon()
        }
        guard let first = try filtered.receive(), let chain = color.chain.withLock({ $0 }) else { return nil }
        return FoundColor(chain: chain, light: color.light(of: first.frame))
    }
}
