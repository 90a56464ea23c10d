// One track's form in the output: samples with four-byte lengths and every parameter set in the track's header, whichever
// the source's form was; and encoders for its ends whose sets go beside the source's. Lives on the lane's queue.
internal import Libav
internal import Media
internal import MediaTime

/// The common form of copied and encoded samples.
struct SpliceFormat {
    /// What the container is told.
    let parameters: CodecParameters
    /// How the ends' parameter sets were brought beside the source's: `match`, `ids`; nil where nothing is encoded.
    private(set) var scheme: String?
    /// Pictures decoders hold back.
    private(set) var delay: Int
    private let track: Track
    private let framing: NALFraming?
    private let sets: H264ParameterSets
    private let setup: VideoEncoderSetup?
    private let edgeSets: H264ParameterSets?

    init(
        source: SourceFile, track: Track, fileType: FileType, plan: SpliceTrackPlan
    ) throws(MediaError) {
        let needsEdges = plan.plan.head != nil || plan.plan.tail != nil
        let stored = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            let demuxer: Demuxer
            do throws(OpenFailure) { demuxer = try Demuxer(source, quick: true) } catch {
                throw LibavError("opening \(source.name)", cause: "\(error)")
            }
            return try CodecParameters(demuxer, track: track.index)
        }
        self.track = track
        delay = max(plan.delay, plan.plan.delay, stored.reorderDepth)
        let bytes = stored.extradata
        framing = ["h264", "hevc"].contains(track.codec) ? NALFraming(extradata: bytes, codec: track.codec) : nil
        sets = track.codec == "h264" ? H264ParameterSets(bytes) : H264ParameterSets([])
        var extradata: [UInt8]?
        var setup: VideoEncoderSetup?
        var edgeSets: H264ParameterSets?
        if track.codec == "h264" {
            var joined = sets
            if needsEdges {
                let edge = try H264Edge(sets, track: track)
                let taken = sets.ids
                guard let id = (1...30).first(where: { !taken.contains($0) }) else {
                    throw MediaError(.spliceFailed, "track \(track.index) uses all ids of parameter sets", track: track.index)
                }
                let made = edge.setup(id: id, delay: delay)
                setup = made
                let own = H264ParameterSets(try EdgeEncoder(made, codec: track.codec).extradata)
                joined.sps += own.sps
                joined.pps += own.pps
                edgeSets = own
                scheme = "ids"
            }
            if needsEdges || framing != .lengthPrefixed(4) { extradata = joined.avcC }
        } else if needsEdges {
            throw MediaError(
                .spliceFailed, "the ends of track \(track.index) cannot be encoded: nothing here writes \(track.codec) that fits",
                track: track.index, remedy: "cut at sync samples, or use --render copy or encode")
        }
        self.setup = setup
        self.edgeSets = edgeSets
        let tag: String? = fileType.hasEditLists ? (track.codec == "h264" ? "avc1" : track.codec == "hevc" ? "hvc1" : nil) : nil
        let scale = plan.timebase.denominator
        let isRetimed = plan.plan.cutsLastFrame && fileType.hasEditLists && self.delay > 0
        parameters = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            let joined = try CodecParameters(stored, extradata: extradata, tag: tag)
            guard isRetimed, let filter = SpliceFormat.headerFilter(track.codec, scale) else { return joined }
            // The filter answers with start codes.
            let retimed = try BitstreamFilter.extradata(of: joined, through: filter.name, options: filter.options)
            return try CodecParameters(joined, extradata: H264ParameterSets(retimed, .annexB).avcC, tag: tag)
        }
    }

    /// Where the last frame is cut, the stream's own timing is not the frame rate any more, and readers that believe it
    /// would show the last frame for too long. It becomes the track's ticks; no sample is touched.
    private static func headerFilter(
        _ codec: String, _ scale: Int32
    ) -> (name: String, options: [(String, String)])? {
        switch codec {
        case "h264": ("h264_metadata", [("tick_rate", "\(Int64(scale) * 2)/1"), ("fixed_frame_rate_flag", "0")])
        default: nil
        }
    }

    /// Brings a copied sample into the common form.
    func adapt(_ packet: Packet, isFirstAfterEdge: Bool) throws(MediaError) {
        guard let framing, track.codec == "h264" else { return }
        if packet.isKey || framing != .lengthPrefixed(4) {
            let units = Array(NALUnits(packet.bytes, framing))
            for unit in units where [7, 8].contains((unit.first ?? 0) & 31) {
                guard sets.sps.contains(Array(unit)) || sets.pps.contains(Array(unit)) else {
                    throw MediaError(
                        .spliceFailed, "track \(track.index) cannot be copied: its parameter sets change",
                        track: track.index, remedy: "use --render encode")
                }
            }
            guard framing != .lengthPrefixed(4) else { return }
            // Parameter sets and access unit delimiters belong to the other framing.
            let kept = units.filter { ![7, 8, 9].contains(($0.first ?? 0) & 31) }
            try media(.spliceFailed, track: track.index) { () throws(LibavError) in
                try packet.replaceBytes(NALUnits.lengthPrefixed(kept))
            }
        }
    }

    /// An encoder for one end.
    func edge() throws(MediaError) -> EdgeEncoder {
        guard let setup else { throw MediaError(.spliceFailed, "no encoder was prepared") }
        let encoder = try EdgeEncoder(setup, codec: track.codec)
        guard H264ParameterSets(encoder.extradata) == edgeSets else {
            throw MediaError(.spliceFailed, "the encoder's parameter sets differ from one end to the other")
        }
        return encoder
    }
}
