// Whether the decoder's buffer holds over all chunks of a track: which are made again, with which beginning and reserve, and what is
// said of those that miss the limits however often they are made. Pure.
internal import Media
internal import MediaTime
internal import Text

/// The check of the decoder's buffer over a track's chunks.
struct BufferCheck {
    let buffer: DecoderBuffer
    /// The reserve of each further attempt.
    private let reserves: [Double]

    /// - Parameter encoder: by FFmpeg's name. x264 and x265 keep limits that they are told of but for a few per cent; others treat
    ///   them as wishes, and get no more attempts than it takes to begin with what the predecessors leave.
    init(_ buffer: DecoderBuffer, encoder: String) {
        self.buffer = buffer
        reserves = ["libx264", "libx265"].contains(encoder) ? [0, 0.05, 0.15, 0.35] : [0, 0.05]
    }

    /// How full an encoder assumes the buffer to be unless it is told: `DecoderBuffer.usualStart` as a share.
    private static let usualShare = 0.9

    /// The result of a check.
    struct Result {
        /// The chunks to make again, by their places in the row.
        var corrected: [(index: Int, chunk: Chunk)] = []
        /// The underflows that no further attempt would mend: the place in the row, and the share of the buffer that is missing.
        var missed: [(index: Int, chunk: Chunk, share: Double)] = []
    }

    /// Checks all chunks, in order, each with what it does to the buffer.
    func check(_ chunks: [(chunk: Chunk, passage: DecoderBuffer.Passage?)]) -> Result {
        var result = Result()
        var fullness = buffer.usualStart
        for (index, part) in chunks.enumerated() {
            guard let passage = part.passage else { return Result() }
            let lowest = passage.lowest(from: fullness)
            if lowest < 0 {
                if let chunk = corrected(part.chunk, from: fullness) {
                    result.corrected.append((index, chunk))
                } else {
                    result.missed.append((index, part.chunk, -Double(lowest) / Double(buffer.size)))
                }
            }
            // The fullness that a chunk made again leaves is seen then.
            fullness = max(passage.left(from: fullness), 0)
        }
        return result
    }

    /// The chunk with the beginning that its predecessors leave and the next reserve; nil: it has had all attempts.
    private func corrected(_ chunk: Chunk, from fullness: Int64) -> Chunk? {
        let left = Double(fullness) / Double(buffer.size)
        var attempt = chunk.corrections
        // One that assumed no more than there is missed by itself: the same beginning would give the same bytes.
        if attempt == 0, chunk.buffered ?? BufferCheck.usualShare <= left { attempt = 1 }
        guard attempt < reserves.count else { return nil }
        let reserve = reserves[attempt]
        var next = chunk
        // An encoder needs something for its first frame.
        next.buffered = max(reserve + 0.02, left)
        next.reserve = reserve > 0 ? reserve : nil
        next.corrections = attempt + 1
        return next
    }
}

extension BufferCheck.Result {
    /// The warning about underflows that remain; nil: there are none.
    func warning(_ plan: VideoPlan) -> Warning? {
        guard let worst = missed.max(by: { $0.share < $1.share }) else { return nil }
        let tenths = max(1, Int((worst.share * 1000).rounded()))
        let many = quantity(missed.count, "chunk")
        return Warning(
            .bufferUnderflow,
            "\(plan.settings.encoder) exceeds the highest bit rate in \(many) of the video, however often it is encoded: "
                + "by up to \(tenths / 10).\(tenths % 10) % of the decoder's buffer; devices that keep to it may stall there",
            time: plan.timebase.time(ofTicks: worst.chunk.shown.lowerBound), track: plan.track.index)
    }
}
