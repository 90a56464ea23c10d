// The form of one track in the output: samples with four-byte lengths and all parameter sets in the track's header, whatever the
// form of the source; and encoders for head and tail whose sets equal the source's or use other ids. Confined to the lane's
// queue.
internal import Libav
internal import Media
internal import MediaTime

/// The common form of copied and encoded samples.
struct SmartTrimFormat {
    /// Codec parameters for the muxer.
    let parameters: CodecParameters
    /// How the parameter sets of head and tail fit the source's: `match` (identical), `ids` (other ids); nil if nothing is
    /// encoded or the codec has none.
    var scheme: JoinScheme? { edges?.scheme }
    /// Reorder delay of decoders, in frames.
    let delay: Int
    private let track: Track
    private let codec: BitstreamCodec?
    private let framing: NALFraming
    private let sets: SmartTrimParameterSets
    private let edges: SmartTrimParameterSets.Edges?
    /// The x264 build that decoders must know to decode copied samples correctly: each sync sample names it, including those of
    /// head and tail, which decode alike with any build. Nil if it makes no difference.
    private let build: Int?
    /// Parameter sets repeated in copied sync samples, where readers may begin at any of them.
    private let repeated: [[UInt8]]
    /// Bytes inserted before copied sync samples without a header, and before encoded ones.
    private let lead: [UInt8], edgeLead: [UInt8]
    /// Whether a sample has its own header.
    private let isLed: ([UInt8]) -> Bool

    init(source: SourceFile, track: Track, fileType: FileType, plan: SmartTrimTrackPlan) throws(MediaError) {
        let (stored, first) = try SmartTrimFormat.read(source, track)
        self.track = track
        codec = BitstreamCodec(track.codec)
        let depth = max(plan.delay, stored.reorderDepth)
        let bytes = stored.extradata
        framing = codec.map { NALFraming(extradata: bytes, codec: $0) } ?? .annexB
        sets = SmartTrimParameterSets(codec, extradata: bytes)
        try SmartTrimFormat.checkSize(sets, track, fileType)
        build = SmartTrimFormat.build(of: track, sets)
        if track.codec == "mpeg4",
            MPEG4HeadTail.header(of: StoredStream(header: bytes, first: first))?.isPacked == true
        {
            throw MediaError(
                .spliceFailed,
                "track \(track.index) cannot be copied: its B-frames are packed with other frames, which only AVI allows",
                track: track.index, remedy: "use a preset that encodes")
        }
        let needsEdges = plan.hasEdges
        edges =
            needsEdges
            ? try sets.edges(
                HeadTailSetup(track: track, delay: depth), to: StoredStream(header: bytes, first: first),
                framing: framing, avoidsMatch: plan.avoidsMatch, avoidsFaults: build != nil)
            : nil
        delay = max(depth, edges?.delay ?? 0)
        isLed = HeadTailCodecs.named(track.codec)?.hasHeader ?? { _ in true }
        // A transport stream can carry a header only before each sync sample.
        let kept = fileType == .ts ? SmartTrimFormat.header(track.codec, bytes, first) : []
        lead = edges?.join?.copiedLead ?? kept
        edgeLead = edges?.join.map { $0.scheme == .match ? kept : $0.encodedLead } ?? []
        var header: [UInt8]?
        if codec == .h264 || codec == .hevc, needsEdges || framing != .lengthPrefixed(4) {
            guard let joined = sets.header(adding: edges) else {
                throw HeadTailSetup(track: track, delay: depth).refused(
                    "its parameter sets are damaged or missing")
            }
            header = joined
        }
        repeated = fileType == .ts && codec == .h264 ? SmartTrimFormat.units(header ?? bytes) : []
        let tag: String? =
            switch codec {
            case .h264 where fileType.hasEditLists: "avc1"
            case .hevc where fileType.hasEditLists: "hvc1"
            default: nil
            }
        let isRetimed =
            fileType.hasEditLists && delay > 0
            && (plan.cutsLastFrame || SmartTrimFormat.namesOtherRate(track))
        let scale = Int64(plan.timebase.denominator)
        let codec = codec
        parameters = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            var joined = try CodecParameters(
                stored, extradata: header, tag: tag, picture: track.video.map(StoredVideoFormat.init))
            if needsEdges, !PictureBoxes.keepsDolbyVision(track, hasEdges: true) {
                joined = try joined.withoutDolbyVision()
            }
            guard isRetimed, codec == .h264 || codec == .hevc else { return joined }
            // Where the last frame is cut, the timing in the stream is no longer the frame rate, and readers that trust it would
            // show that frame for too long. The tick rate becomes that of the track; samples do not change.
            if codec == .hevc {
                let retimed = try BitstreamFilter(
                    "hevc_metadata", joined, options: [("tick_rate", "\(scale)/1")]
                ).extradata
                return try CodecParameters(
                    joined, extradata: HEVCParameterSets(extradata: retimed[...]).hvcC(), tag: tag)
            }
            // FFmpeg's filter cannot clear fixed_frame_rate in a set, so this does.
            let sets = H264ParameterSets(extradata: joined.extradata[...])
            let loose = sets.retimed(fieldsPerSecond: Int(scale) * 2)
            let retimed = try BitstreamFilter(
                "h264_metadata", try CodecParameters(joined, extradata: loose.avcC(), tag: tag),
                options: [("tick_rate", "\(scale * 2)/1"), ("fixed_frame_rate_flag", "0")]
            ).extradata
            // The filters return Annex B (start codes).
            return try CodecParameters(
                joined, extradata: H264ParameterSets(extradata: retimed[...]).avcC(), tag: tag)
        }
    }

    /// Whether the stream names a rate far above its frame rate; readers would apply it to the last frame.
    private static func namesOtherRate(_ track: Track) -> Bool {
        guard let format = track.video, let named = format.nominalRate, let rate = format.frameRate else {
            return false
        }
        return named.value > rate.value * 2
    }

    private static func build(of track: Track, _ sets: SmartTrimParameterSets) -> Int? {
        guard let build = track.video?.x264Build, case .h264(let sets) = sets,
            X264Build.changesDecoding(build, sets)
        else { return nil }
        return build
    }

    /// Throws if only the source's container gives the frame size, and the output's container cannot.
    private static func checkSize(
        _ sets: SmartTrimParameterSets, _ track: Track, _ fileType: FileType
    ) throws(MediaError) {
        guard fileType == .ts, case .h264(let sets) = sets, let set = sets.sequences.first?.set,
            let format = track.video, (set.width, set.height) != (format.width, format.height)
        else { return }
        throw MediaError(
            .spliceFailed,
            "track \(track.index) cannot be copied to .ts: its frames are \(set.width)x\(set.height), and only its container crops them to \(format.width)x\(format.height)",
            track: track.index, remedy: "choose .mp4, .mov or .mkv")
    }

    /// Reads the codec parameters and the first sample, which may hold encoder information.
    private static func read(_ source: SourceFile, _ track: Track) throws(MediaError) -> (
        CodecParameters, [UInt8]
    ) {
        try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            let demuxer: Demuxer
            do throws(OpenFailure) { demuxer = try Demuxer(source, quick: true) } catch {
                throw LibavError("opening \(source.name)", cause: "\(error)")
            }
            let parameters = try CodecParameters(demuxer, track: track.index)
            demuxer.select(track: track.index)
            let packet = try Packet()
            while case .packet = demuxer.read(into: packet) {
                if packet.track == track.index { return (parameters, packet.bytes) }
            }
            return (parameters, [])
        }
    }

    /// Converts a copied sample to the common form.
    func adapt(_ packet: Packet, isFirstAfterOther: Bool) throws(MediaError) {
        // Where another sequence header came before it, each key frame must carry its own.
        if track.codec == "av1", edges != nil, packet.isKey, !isLed(packet.bytes) {
            throw HeadTailSetup(track: track, delay: delay).refused(
                "its key frames do not carry its sequence header")
        }
        if packet.isKey, !lead.isEmpty {
            let bytes = packet.bytes
            guard !isLed(bytes) else { return }
            return try media(.spliceFailed, track: track.index) { () throws(LibavError) in
                try packet.replaceBytes(lead + bytes)
            }
        }
        guard let codec, codec != .mpeg2 else { return }
        if packet.isKey || framing != .lengthPrefixed(4) {
            let bytes = packet.bytes
            guard sets.knowsSets(in: bytes, framing) else {
                throw MediaError(
                    .spliceFailed, "track \(track.index) cannot be copied: its parameter sets change",
                    track: track.index, remedy: "use --render encode")
            }
            var adapted = framing == .lengthPrefixed(4) ? bytes : plain(bytes, codec)
            // Its leading pictures are encoded before it or left out, so a decoder must not trust its references to earlier
            // frames.
            if isFirstAfterOther, codec == .hevc,
                AccessUnit.classify(adapted[...], codec: codec, framing: .lengthPrefixed(4)).randomAccess
                    == .open
            {
                adapted = HEVCRenumbering.brokenLink(adapted[...], framing: .lengthPrefixed(4))
            }
            if packet.isKey { adapted = led(adapted) }
            guard adapted != bytes else { return }
            try media(.spliceFailed, track: track.index) { () throws(LibavError) in
                try packet.replaceBytes(adapted)
            }
        }
    }

    /// Converts an encoded sample to the common form, except for its times.
    func complete(_ packet: Packet) throws(MediaError) {
        guard packet.isKey, !repeated.isEmpty || build != nil || !edgeLead.isEmpty else { return }
        try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            try packet.replaceBytes(edgeLead + led(packet.bytes))
        }
    }

    /// Adds the x264 build that decoders must know and, where readers may begin at any sync sample, all parameter sets. FFmpeg's
    /// filter adds them only to the first IDR picture once it has seen some; delimiters must come first, and the muxer makes
    /// them.
    private func led(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = build.map { X264Build.put($0, into: bytes, framing: .lengthPrefixed(4)) } ?? bytes
        guard !repeated.isEmpty else { return bytes }
        let units = NALUnits(bytes[...], framing: .lengthPrefixed(4)).filter {
            ![7, 8, 9].contains(($0.first ?? 0) & 31)
        }
        return NALFraming.lengthPrefixed(4).join(repeated.map { $0[...] } + units) ?? bytes
    }

    /// The header of a codec that may store it in the stream, from wherever the source has one.
    private static func header(_ codec: String, _ header: [UInt8], _ first: [UInt8]) -> [UInt8] {
        let stored = StoredStream(header: header, first: first)
        return switch codec {
        case "mpeg4": MPEG4HeadTail.header(of: stored)?.bytes ?? []
        case "mpeg1video", "mpeg2video": MPEG12HeadTail.header(of: stored)
        default: []
        }
    }

    /// The parameter sets in a header.
    private static func units(_ header: [UInt8]) -> [[UInt8]] {
        let sets = H264ParameterSets(extradata: header[...])
        return sets.sequences.map(\.nal) + sets.pictures.map(\.nal)
    }

    /// Removes parameter sets and access unit delimiters, which belong to the other framing.
    private func plain(_ bytes: [UInt8], _ codec: BitstreamCodec) -> [UInt8] {
        let kept = NALUnits(bytes[...], framing: framing).filter { unit in
            let first = unit.first ?? 0
            return codec == .h264 ? !(7...9 ~= first & 31) : !(32...35 ~= first >> 1 & 63)
        }
        return NALFraming.lengthPrefixed(4).join(kept) ?? bytes
    }

    /// The SEI of the source's frames in head and tail; nil if it is not understood.
    func messages() -> SourceSEI? {
        guard let codec, codec != .mpeg2 else { return nil }
        return SourceSEI(codec: codec, framing: framing)
    }

    /// Opens an encoder for head or tail.
    /// - Parameter isInFrame: its first picture is the second field of a frame.
    func edge(isInFrame: Bool = false) throws(MediaError) -> HeadTailEncoder {
        guard var edges else {
            throw HeadTailSetup(track: track, delay: delay).refused("no encoder was prepared")
        }
        let order = track.isBottomFieldFirst.map {
            HeadTailEncoder.Fields(isBottomFirst: $0, isInFrame: isInFrame)
        }
        if let order { edges.setup = HeadTailSetup.fields(edges.setup, order) }
        let encoder = try HeadTailEncoder(edges, codec: codec, fields: order)
        guard encoder.extradata == edges.extradata else {
            throw HeadTailSetup(track: track, delay: delay).refused("its encoder is not the same twice")
        }
        return encoder
    }
}

extension StoredVideoFormat {
    /// Creates the format from what probing found.
    fileprivate init(_ format: VideoFormat) {
        self.init(width: format.width, height: format.height)
        pixelFormat = format.pixelFormat
        (primaries, transfer, matrix) = (format.color.primaries, format.color.transfer, format.color.matrix)
        range = format.color.range
    }
}
