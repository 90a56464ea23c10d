// The encoding stage of a video chain. Owns its encoder, which opens with the first frame and is confined to the stage's thread.
// It forgets the packets that it has sent, and does not know the container.
internal import Libav
internal import Media
internal import MediaTime
internal import Source
internal import Synchronization

/// Encodes the frames of an interval.
struct VideoEncodingStage: Sendable {
    let work: VideoWork
    let color: VideoColor
    let input: BoundedQueue<PlacedFrame, MediaError>
    let packets: LaneQueue<Packet>
    /// Called once, before the first packet.
    let opened: @Sendable (EncodedFormat) -> Void

    /// Encodes all frames.
    func run() throws(MediaError) {
        var encoder: VideoEncoder?
        while let element = try input.receive() {
            let current: VideoEncoder
            if let encoder { current = encoder } else { current = try open(like: element.frame) }
            encoder = current
            if element.frame.hasCaptions, work.plan.settings.encoder != "libx264" { warnOfCaptions() }
            guard try push(element, to: current) else { return input.abandon() }
        }
        if let encoder { _ = try push(nil, to: encoder) }
        packets.end()
    }

    /// FFmpeg passes captions only to x264.
    private func warnOfCaptions() {
        work.diagnostics.warn(
            Warning(
                .captionsLost,
                "the video has closed captions, which \(work.plan.settings.encoder) does not write; H.264 presets and passthrough keep them",
                track: work.track.index))
    }

    private func open(like first: Frame) throws(MediaError) -> VideoEncoder {
        let chain = color.chain.withLock { $0 }
        let light = work.part?.color.light ?? color.light(of: first)
        let (made, format) = try media(.encodeFailed, track: work.track.index) {
            () throws(LibavError) in
            let made = try VideoEncoder(
                work.plan, color: chain, light: light, threads: work.encodingThreads, part: work.part,
                length: work.length)
            return (made, try made.encoder.format())
        }
        opened(format)
        return made
    }

    /// Encodes one frame, or flushes; false when the receiver takes no more packets.
    private func push(_ frame: PlacedFrame?, to encoder: VideoEncoder) throws(MediaError) -> Bool {
        try media(.encodeFailed, track: work.track.index) { () throws(LibavError) in
            try encoder.send(frame)
            for packet in encoder.take() { guard packets.send(packet) else { return false } }
            return true
        }
    }
}
