// The parameter sets of a copied track and of its encoded head and tail, in one header. Schemes, in this order: the sets of head
// and tail equal the source's byte for byte, or they use unused ids. Never the same id with other content: a decoder that seeks
// from one part to the other would keep the wrong set.
internal import Libav
internal import Media

/// A track's parameter sets, by codec.
enum SmartTrimParameterSets {
    case h264(H264ParameterSets)
    case hevc(HEVCParameterSets)
    /// Every sync sample carries its own, or there are none.
    case none

    /// The encoder of head and tail, and how its sets fit.
    struct Edges {
        var setup: VideoEncoderSetup
        /// `match` or `ids`; nil if the codec has no sets in the header.
        var scheme: JoinScheme?
        /// The encoder's extradata: the same for head and tail.
        var extradata: [UInt8]
        /// New ids for the encoder's output.
        var renumbering: HEVCRenumbering?
        /// How codecs without sets in a header are joined.
        var join: HeadTailJoin?
        /// Reorder delay of the encoder's output, in frames: a source that does not state its own may need less.
        var delay: Int {
            switch BitstreamCodec(codec) {
            case .h264:
                H264ParameterSets(extradata: extradata[...]).sequences.compactMap(\.set.vui?.maxReorder)
                    .max() ?? 0
            case .hevc:
                HEVCParameterSets(extradata: extradata[...]).sequences
                    .compactMap { HEVCSequenceSet($0[...])?.maxReorder }.max() ?? 0
            case .mpeg2, nil: join?.delay ?? 0
            }
        }
        /// The track's codec.
        fileprivate var codec: String
    }

    /// Constant quality of head and tail: slightly better than common settings, since they are short.
    private static let quality = 16

    init(_ codec: BitstreamCodec?, extradata: [UInt8]) {
        switch codec {
        case .h264: self = .h264(H264ParameterSets(extradata: extradata[...]))
        case .hevc: self = .hevc(HEVCParameterSets(extradata: extradata[...]))
        case .mpeg2, nil: self = .none
        }
    }

    /// The header of the output: the source's sets, then those of head and tail.
    func header(adding edges: Edges?) -> [UInt8]? {
        switch self {
        case .h264(let sets):
            guard let edges, edges.scheme == .ids else { return sets.avcC() }
            return sets.avcC(adding: H264ParameterSets(extradata: edges.extradata[...]))
        case .hevc(let sets):
            guard let edges else { return sets.hvcC() }
            guard let renumbered = edges.renumbering?.apply(edges.extradata[...], framing: .annexB) else {
                return nil
            }
            return sets.hvcC(adding: HEVCParameterSets(extradata: renumbered[...]))
        case .none: return nil
        }
    }

    /// Whether the header holds all sets that a sample carries.
    func knowsSets(in bytes: [UInt8], _ framing: NALFraming) -> Bool {
        switch self {
        case .h264(let sets):
            var more = sets
            more.add(bytes[...], framing: framing)
            return more.sequences.count == sets.sequences.count && more.pictures.count == sets.pictures.count
        case .hevc(let sets):
            var more = sets
            more.add(bytes[...], framing: framing)
            return more.sequences.count == sets.sequences.count && more.pictures.count == sets.pictures.count
        case .none: return true
        }
    }

    /// Prepares the encoder of head and tail.
    /// - Parameters:
    ///   - avoidsMatch: uses its own sets even where the source's would fit.
    ///   - avoidsFaults: avoids features that old x264 builds coded wrongly and decoders decode accordingly.
    func edges(
        _ setup: HeadTailSetup, to stored: StoredStream, framing: NALFraming, avoidsMatch: Bool,
        avoidsFaults: Bool
    ) throws(MediaError) -> Edges {
        switch self {
        case .h264(let sets):
            return try h264(
                sets, setup, SEIFilter.options(stored.first[...], framing: framing), avoidsMatch: avoidsMatch,
                avoidsFaults: avoidsFaults)
        case .hevc(let sets): return try hevc(sets, setup)
        case .none:
            guard let codec = HeadTailCodecs.named(setup.track.codec) else {
                throw HeadTailSetup.noEncoder(for: setup.track)
            }
            let join = try codec.join(setup, to: stored)
            return Edges(
                setup: join.setup, scheme: join.scheme, extradata: try setup.header(of: join.setup),
                join: join, codec: setup.track.codec)
        }
    }

    private func h264(
        _ sets: H264ParameterSets, _ setup: HeadTailSetup, _ said: [String: String], avoidsMatch: Bool,
        avoidsFaults: Bool
    ) throws(MediaError) -> Edges {
        if let refusal = H264HeadTailOptions.refusal(sets) { throw setup.refused(refusal.sentence) }
        guard let sequence = sets.sequences.first?.set, let id = sets.unusedID else {
            throw setup.refused("all ids of parameter sets are taken")
        }
        if !avoidsMatch, !avoidsFaults, sets.sequences.count == 1, sets.pictures.count == 1 {
            for candidate in H264HeadTailOptions.matching(sets, said: said) {
                let made = setup.h264(candidate, sequence)
                guard let encoder = try? HeadTailEncoder(made) else { continue }
                let own = H264ParameterSets(extradata: encoder.extradata[...])
                if own.sequences == sets.sequences, own.pictures == sets.pictures {
                    return Edges(
                        setup: made, scheme: .match, extradata: encoder.extradata, codec: setup.track.codec)
                }
            }
        }
        guard
            var options = H264HeadTailOptions.renumbered(
                sets, id: id, crf: SmartTrimParameterSets.quality, said: said)
        else {
            throw setup.refused("its parameter sets are damaged")
        }
        if avoidsFaults { options.avoidFaultsOfOldBuilds() }
        let made = setup.h264(options, sequence)
        return Edges(
            setup: made, scheme: .ids, extradata: try HeadTailEncoder(made).extradata,
            codec: setup.track.codec)
    }

    private func hevc(_ sets: HEVCParameterSets, _ setup: HeadTailSetup) throws(MediaError) -> Edges {
        guard let sequence = sets.sequences.first.flatMap({ HEVCSequenceSet($0[...]) }),
            let ids = sets.unusedIDs
        else {
            throw setup.refused("its parameter sets are damaged or use all ids")
        }
        guard sequence.chromaFormat == 1, [8, 10].contains(sequence.lumaDepth),
            sequence.lumaDepth == sequence.chromaDepth
        else { throw setup.refused("its pixels are \(setup.track.video?.pixelFormat ?? "unusual")") }
        let made = setup.hevc(sequence, quality: SmartTrimParameterSets.quality)
        return Edges(
            setup: made, scheme: .ids, extradata: try HeadTailEncoder(made).extradata, renumbering: ids,
            codec: setup.track.codec)
    }
}

extension H264HeadTailOptions.Refusal {
    /// The reason, as the end of a sentence.
    var sentence: String {
        switch self {
        case .noSets: "its parameter sets are damaged or missing"
        case .severalSizes: "it has several frame sizes"
        case .layers: "it has layers or views"
        case .sliceGroups: "it has slice groups"
        case .profile(let number): "its profile is number \(number)"
        case .separateColourPlanes: "its colour planes are coded apart"
        case .depth(let bits): "its frames have \(bits) bits"
        }
    }
}
