// The form of one track in the output: samples with four-byte lengths and all parameter sets in the track's header, whatever the
// form of the source; and encoders for head and tail whose sets equal the source's or use other ids. Immutable; its encoders
// belong to those who open them.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// The common form of copied and encoded samples.
struct SmartTrimFormat: Sendable {
    /// Codec parameters for the muxer.
    let parameters: CodecParameters
    /// How the parameter sets of head and tail fit the source's: `match` (identical), `ids` (other ids); nil if nothing is
    /// encoded or the codec has none.
    var scheme: JoinScheme? { join?.scheme }
    /// Reorder delay of decoders, in frames.
    let delay: Int
    private let track: Track
    private let codec: any VideoCodec.Type
    private let framing: NALFraming
    private let sets: (any ParameterSets)?
    private let join: HeadTailJoin?
    /// The x264 build that decoders must know to decode copied samples correctly: each sync sample names it, including those of
    /// head and tail, which decode alike with any build. Nil if it makes no difference.
    private let build: Int?
    /// Parameter sets repeated in copied sync samples, where readers may begin at any of them.
    private let repeated: [[UInt8]]
    /// Bytes inserted before copied sync samples without a header, and before encoded ones.
    private let lead: [UInt8], encodedLead: [UInt8]

    init(source: SourceFile, track: Track, fileType: FileType, plan: SmartTrimTrackPlan) throws(MediaError) {
        let (stored, first) = try SmartTrimFormat.read(source, track)
        self.track = track
        codec = track.videoCodec
        let depth = max(plan.delay, stored.reorderDepth)
        let stream = StoredStream(header: stored.extradata, first: first)
        framing = codec.framing(extradata: stream.header)
        sets = codec.parameterSets(extradata: stream.header)
        try SmartTrimFormat.checkSize(sets, track, fileType)
        build = track.video?.x264Build.flatMap { [sets] in sets?.needBuild($0) == true ? $0 : nil }
        if let why = codec.copyRefusal(stream) {
            throw MediaError(
                .spliceFailed, "track \(track.index) cannot be copied: \(why)", track: track.index,
                remedy: "use a preset that encodes")
        }
        let setup = HeadTailSetup(track: track, delay: depth)
        join =
            plan.hasHeadOrTail
            ? try SmartTrimFormat.join(
                setup, to: stream,
                JoinOptions(framing: framing, avoidsMatch: plan.avoidsMatch, avoidsFaults: build != nil))
            : nil
        delay = max(depth, join?.delay ?? 0)
        // Without a header of the container, one can be only before each sync sample.
        let kept = fileType.hasNoHeader ? codec.header(of: stream) : []
        lead = join?.copiedLead ?? kept
        encodedLead = join.map { $0.scheme == .match ? kept : $0.encodedLead } ?? []
        var header: [UInt8]?
        if let sets, plan.hasHeadOrTail || framing != .lengthPrefixed(4) {
            let added = join.map(\.addedSets) ?? []
            guard let added, let joined = sets.header(adding: added) else {
                throw setup.refused("its parameter sets are damaged or missing")
            }
            header = joined
        }
        repeated =
            fileType.hasNoHeader
            ? codec.parameterSets(extradata: header ?? stream.header)?.repeatedUnits ?? [] : []
        let tag = fileType.isISOMedia ? codec.movieTag : nil
        let isRetimed =
            fileType.hasEditLists && delay > 0
            && (plan.cutsLastFrame || SmartTrimFormat.namesOtherRate(track))
        let scale = Int64(plan.timebase.denominator)
        let (sets, needsVision) = (sets, plan.hasHeadOrTail)
        parameters = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            var joined = try CodecParameters(
                stored, extradata: header, tag: tag, in: fileType.muxer,
                video: track.video.map { StoredVideoFormat($0, profile: track.profile) })
            if needsVision, !VideoBoxes.keepsDolbyVision(track, hasHeadOrTail: true) {
                joined = try joined.withoutDolbyVision()
            }
            // Where the last frame is cut, the timing in the stream is no longer the frame rate, and readers that trust it would
            // show that frame for too long. The tick rate becomes that of the track; samples do not change.
            guard isRetimed, let sets = sets as? any TimedParameterSets else { return joined }
            return try type(of: sets).retimed(joined, scale: scale, tag: tag)
        }
    }

    private static func join(
        _ setup: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        guard let codec = setup.track.videoCodec as? any HeadTailCodec.Type else {
            throw HeadTailSetup.noEncoder(for: setup.track)
        }
        var join = try codec.join(setup, to: stored, options)
        if join.extradata.isEmpty { join.extradata = try setup.header(of: join.setup) }
        return join
    }

    /// Whether the stream names a rate far above its frame rate; readers would apply it to the last frame.
    private static func namesOtherRate(_ track: Track) -> Bool {
        guard let format = track.video, let named = format.nominalRate, let rate = format.frameRate else {
            return false
        }
        return named.value > rate.value * 2
    }

    /// Throws if only the source's container gives the frame size, and the output's container cannot.
    private static func checkSize(
        _ sets: (any ParameterSets)?, _ track: Track, _ fileType: FileType
    ) throws(MediaError) {
        guard fileType.hasNoHeader, let size = sets?.codedSize, let format = track.video,
            size != (format.width, format.height)
        else { return }
        throw MediaError(
            .spliceFailed,
            "track \(track.index) cannot be copied to .\(fileType.rawValue): its frames are \(size.width)x\(size.height), and only its container crops them to \(format.width)x\(format.height)",
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
            demuxer.goToMainParameters(of: track.index)
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
        if codec.needsOwnHeaders, join != nil, packet.isKey, !codec.hasHeader(packet.bytes) {
            throw HeadTailSetup(track: track, delay: delay).refused(
                "its key frames do not carry its sequence header")
        }
        if packet.isKey, !lead.isEmpty {
            let bytes = packet.bytes
            guard !codec.hasHeader(bytes) else { return }
            return try media(.spliceFailed, track: track.index) { () throws(LibavError) in
                try packet.replaceBytes(lead + bytes)
            }
        }
        guard let sets, packet.isKey || framing != .lengthPrefixed(4) else { return }
        let bytes = packet.bytes
        guard sets.knowsSets(in: bytes, framing) else {
            throw MediaError(
                .spliceFailed, "track \(track.index) cannot be copied: its parameter sets change",
                track: track.index, remedy: "use --render encode")
        }
        var adapted = framing == .lengthPrefixed(4) ? bytes : withoutStructure(bytes)
        if isFirstAfterOther { adapted = codec.afterOther(adapted, framing: .lengthPrefixed(4)) }
        if packet.isKey { adapted = led(adapted) }
        guard adapted != bytes else { return }
        try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            try packet.replaceBytes(adapted)
        }
    }

    /// Samples that decoding cannot begin with are not looked at, and stay as they are.
    var leavesDependentSamples: Bool { sets == nil || framing == .lengthPrefixed(4) }

    /// Converts an encoded sample to the common form, except for its times.
    func complete(_ packet: Packet) throws(MediaError) {
        guard packet.isKey, !repeated.isEmpty || build != nil || !encodedLead.isEmpty else { return }
        try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            try packet.replaceBytes(encodedLead + led(packet.bytes))
        }
    }

    /// Adds the x264 build that decoders must know and, where readers may begin at any sync sample, all parameter sets. FFmpeg's
    /// filter adds them only to the first IDR picture once it has seen some; delimiters must come first, and the muxer makes
    /// them.
    private func led(_ bytes: [UInt8]) -> [UInt8] {
        guard let codec = codec as? any NALCodec.Type else { return bytes }
        let bytes = build.map { codec.naming($0, in: bytes) } ?? bytes
        guard !repeated.isEmpty else { return bytes }
        let units = NALUnits(bytes[...], framing: .lengthPrefixed(4)).filter { !codec.part($0).isStructure }
        return NALFraming.lengthPrefixed(4).join(repeated.map { $0[...] } + units) ?? bytes
    }

    /// Removes parameter sets and access unit delimiters, which belong to the other framing.
    private func withoutStructure(_ bytes: [UInt8]) -> [UInt8] {
        guard let codec = codec as? any NALCodec.Type else { return bytes }
        let kept = NALUnits(bytes[...], framing: framing).filter { !codec.part($0).isStructure }
        return NALFraming.lengthPrefixed(4).join(kept) ?? bytes
    }

    /// The SEI of the source's frames in head and tail; nil if the codec has none.
    func messages() -> SourceSEI? {
        (codec as? any NALCodec.Type).map { SourceSEI(codec: $0, framing: framing) }
    }

    /// Opens an encoder for head or tail.
    /// - Parameters:
    ///   - isInFrame: its first picture is the second field of a frame.
    ///   - size: of its frames in pixels, where keyframes say it; nil: the track's.
    func headTailEncoder(
        isInFrame: Bool = false, size: (width: Int, height: Int)? = nil
    ) throws(MediaError) -> HeadTailEncoder {
        guard var join, let codec = codec as? any HeadTailCodec.Type else {
            throw HeadTailSetup(track: track, delay: delay).refused("no encoder was prepared")
        }
        if let size { (join.setup.width, join.setup.height) = size }
        let order = track.isBottomFieldFirst.map {
            HeadTailEncoder.Fields(isBottomFirst: $0, isInFrame: isInFrame)
        }
        if let order { join.setup = codec.beginning(join.setup, with: order) }
        let encoder = try HeadTailEncoder(join, codec: codec as? any NALCodec.Type, fields: order)
        guard encoder.extradata == join.extradata else {
            throw HeadTailSetup(track: track, delay: delay).refused("its encoder is not the same twice")
        }
        return encoder
    }
}

extension StoredVideoFormat {
    /// Creates the format from what probing found.
    fileprivate init(_ format: VideoFormat, profile: String?) {
        self.init(width: format.width, height: format.height)
        self.profile = profile
        pixelFormat = format.pixelFormat
        (primaries, transfer, matrix) = (format.color.primaries, format.color.transfer, format.color.matrix)
        range = format.color.range
        hasAlpha = format.hasAlpha
    }
}
