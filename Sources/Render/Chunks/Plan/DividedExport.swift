// DividedExport: the part that all units of an export and their join have in common, and the description of a unit: values that the planning worker makes and
// later workers read. Nothing here is probed or decided again.
internal import Libav
package import Media
package import MediaTime
package import Source
internal import Text

/// The common part of an export's units.
package struct DividedExport: Codable {
    /// The builds of the libraries that planned it: units of others would not fit.
    var build: String
    /// The kind of processor that planned it, where the bytes must be the same each time: encoders choose their code by it, and some
    /// compute other bytes with another. Nil: units of all kinds are joined.
    var processor: String?
    /// The source's container time of asset time 0.
    package var origin: Time
    /// The parts of the source, in output order.
    package var segments: Segments
    package var fileType: FileType
    package var video: VideoPlan
    /// The colours of the output's first frame.
    package var color: FoundColor
    /// The audio tracks that are encoded.
    package var audio: [AudioPlan]
    /// Whether damage is an error.
    package var strict: Bool
    /// Whether the request's fallback is used, and the render mode.
    package var isFallback: Bool
    package var render: RenderMode
    /// Warnings of the plan.
    package var warnings: [Warning]
    /// How many chunks there are.
    var chunks: Int
    /// Whether more than one thread may encode a chunk.
    var mayUseThreads: Bool
    /// How the chunks share bits; nil: each is encoded at the preset's quality, whatever that takes.
    package var sharing: SharedBits?
}

/// How the chunks of an export share its bits: where the rounds of its encoding are.
package struct SharedBits: Codable {
    /// The kind of output.
    package enum Stage: String, Codable {
        /// The video at the preset's quality, which may fit.
        case asPreset
        /// The first pass of each chunk.
        case analysing
        /// The second pass of each chunk, with its share of the bits.
        case encoding
    }
    var stage: Stage
    /// The size limit, and what earlier rounds have shown.
    package var limit: SizeLimit
    /// The quality of first passes, as a rate factor; nil: the encoder needs none.
    package var quality: Double?

    /// Creates a value of its parts.
    package init(stage: Stage, limit: SizeLimit, quality: Double? = nil) {
        (self.stage, self.limit, self.quality) = (stage, limit, quality)
    }
}

extension DividedExport {
    /// Throws where this process has other libraries than the one that planned, since they were replaced meanwhile, or where it runs on
    /// a processor of another kind, and the bytes must be the same.
    package func checkBuild(
        _ present: String = LibavBuild.identity, processor here: String = LibavBuild.processor
    ) throws(MediaError) {
        if let processor, processor != here {
            throw MediaError(
                .operationInterrupted,
                "make a part of the export: it was planned on a processor of another kind, and its bytes must not depend on that",
                remedy: "ask without --reproducible")
        }
        guard present != build else { return }
        throw MediaError(
            .operationInterrupted,
            "make a part of the export: the codecs' libraries were replaced since it was planned",
            remedy: "retry the job: it starts again with the new libraries")
    }

    /// How a plan that was made again differs, as a sentence; nil: it does not.
    package func difference(from plan: ExportPlan) throws(MediaError) -> String? {
        guard let video = plan.video, plan.segments == segments, plan.origin == origin,
            plan.fileType == fileType,
            try UnitCoding.value(video).encoded == UnitCoding.value(self.video).encoded
        else { return "the plan of the export is another than that of its units" }
        return nil
    }
}

/// The description of a unit's work.
package enum UnitWork: Hashable, Codable {
    /// An interval of the video.
    case video(Chunk)
    /// The first pass of an interval of the video.
    case statistics(Chunk)
    /// The audio of a source track.
    case audio(track: Int)
}

/// The facts that the join must know of a unit besides its packets.
package struct UnitDetails: Hashable, Codable {
    /// Its packets.
    package var packets: Int
    /// The earliest presentation time, and where the last frame ends, in ticks; nil: it has no packets.
    package var shown: Range<Int64>?
    /// Reorder delay in frames.
    package var delay: Int
    /// The bytes of its packets.
    package var bytes: Int64 = 0
    /// The effect of its packets on the decoder's buffer; nil: it has no limit.
    package var buffer: DecoderBuffer.Passage?
    /// The findings of a first pass; nil: it is none, or its log has a form that is not known.
    package var statistics: ChunkStatistics?
    /// Why it was encoded in one pass, though it has statistics; nil: it was not.
    package var onePass: String?
    /// Warnings of its stages, with how often each was given.
    package var warnings: [CountedWarning]

    /// Creates a value of its parts.
    package init(
        packets: Int, shown: Range<Int64>? = nil, delay: Int, bytes: Int64 = 0,
        buffer: DecoderBuffer.Passage? = nil, statistics: ChunkStatistics? = nil, onePass: String? = nil,
        warnings: [CountedWarning]
    ) {
        (self.packets, self.shown, self.delay, self.bytes) = (packets, shown, delay, bytes)
        (self.buffer, self.statistics, self.onePass, self.warnings) = (buffer, statistics, onePass, warnings)
    }
}
