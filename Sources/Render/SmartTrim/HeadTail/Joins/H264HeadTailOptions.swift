// Options that open x264 so that its output fits an existing stream.
internal import Codecs

/// Options of x264 (`x264-params`) for head and tail of a stream with these parameter sets. Colours, aspect ratio and timebase
/// are separate encoder settings and come from the track.
struct H264HeadTailOptions: Equatable, Sendable {
    /// Why x264 cannot write such a stream.
    enum Refusal: Equatable, Sendable {
        case noSets, severalSizes, layers, sliceGroups, profile(Int), separateColourPlanes, rgb, depth(Int)
    }
    /// For `x264-params`.
    var parameters: [String: String]

    /// `key=value` joined by colons, in key order.
    var text: String { parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ":") }

    /// Why head and tail of this source cannot be encoded; nil if they can.
    static func refusal(_ sets: H264ParameterSets) -> Refusal? {
        guard let first = sets.sequences.first?.set, !sets.pictures.isEmpty else { return .noSets }
        if sets.hasExtensions { return .layers }
        if sets.sequences.contains(where: { $0.set.width != first.width || $0.set.height != first.height }) {
            return .severalSizes
        }
        guard [66, 77, 100, 110, 122, 244].contains(first.profile) else { return .profile(first.profile) }
        if first.separateColourPlane { return .separateColourPlanes }
        // Matrix 0 is none (ITU-T H.264, table E-5); FFmpeg has another encoder for it.
        if first.chromaFormat == 3, first.vui?.matrix == 0 { return .rgb }
        if sets.pictures.contains(where: { $0.set.sliceGroups > 1 }) { return .sliceGroups }
        return first.lumaDepth == first.chromaDepth && [8, 10].contains(first.lumaDepth)
            ? nil : .depth(first.lumaDepth)
    }

    /// Candidates whose sets may equal the source's byte for byte, the most likely first. The caller opens each and compares.
    /// - Parameter said: the options x264 wrote into the first packet, if any.
    static func matching(_ sets: H264ParameterSets, said: [String: String] = [:]) -> [H264HeadTailOptions] {
        guard refusal(sets) == nil, let sequence = sets.sequences.first?.set,
            let picture = sets.pictures.first?.set
        else { return [] }
        var candidates: [H264HeadTailOptions] = []
        for pyramid in pyramids(sequence, said) {
            for bframes in bframes(sequence, hasPyramid: pyramid != "none", said) {
                var parameters = common(sequence, picture)
                parameters["b-pyramid"] = pyramid
                parameters["bframes"] = String(bframes)
                parameters["crf"] = String(picture.initialQP)
                parameters["sps-id"] = String(sequence.id)
                candidates.append(H264HeadTailOptions(parameters: parameters))
                if picture.initialQP == 26 {
                    parameters["stitchable"] = "1"
                    candidates.append(H264HeadTailOptions(parameters: parameters))
                }
            }
        }
        return candidates
    }

    /// Options for sets with a different id.
    static func renumbered(_ sets: H264ParameterSets, id: Int, crf: Int, said: [String: String] = [:])
        -> H264HeadTailOptions?
    {
        guard var options = matching(sets, said: said).first else { return nil }
        options.parameters["sps-id"] = String(id)
        // FFmpeg decodes lossless pictures incorrectly when they follow others in one stream.
        let isLossless = sets.sequences.first?.set.losslessBypass == true
        options.parameters["crf"] = isLossless ? "0" : String(crf)
        options.parameters["stitchable"] = "1"
        return options
    }

    /// Disables features that decoders handle differently where a stream names an old x264 build.
    mutating func avoidFaultsOfOldBuilds() {
        parameters["8x8dct"] = "0"
        parameters["direct"] = "none"
    }

    private static func common(_ sequence: H264SequenceSet, _ picture: H264PictureSet) -> [String: String] {
        var parameters = [
            "keyint": String(HeadTailSetup.groupLength), "scenecut": "0", "open-gop": "0", "nal-hrd": "none",
            // Lookahead is useless for a few frames at constant quality.
            "mbtree": "0", "rc-lookahead": "0", "b-adapt": "0",
            "cabac": picture.isCABAC ? "1" : "0", "8x8dct": picture.transform8x8 ? "1" : "0",
            "ref": String(min(16, max(1, picture.references0))),
            "weightp": picture.weightedPrediction ? "1" : "0",
            "weightb": picture.weightedBiprediction == 2 ? "1" : "0",
            // Psychovisual optimisation would shift the offset.
            "psy": "0", "chroma-qp-offset": String(picture.chromaQPOffset),
            "constrained-intra": picture.constrainedIntra ? "1" : "0",
            "level": sequence.level == 9 ? "1b" : "\(sequence.level / 10).\(sequence.level % 10)",
            "force-cfr": sequence.vui?.isFixedRate == true ? "1" : "0",
        ]
        // The frames give the field order.
        if !sequence.frameMBsOnly { parameters["interlaced"] = "1" }
        return parameters
    }

    /// x264 delays one frame for B-frames and two with a B-pyramid.
    private static func pyramids(_ sequence: H264SequenceSet, _ said: [String: String]) -> [String] {
        if let mode = said["b_pyramid"] { return [["1": "strict", "2": "normal"][mode] ?? "none"] }
        if sequence.pocType == 2 { return ["none"] }
        switch sequence.vui?.maxReorder {
        case .some(0), .some(1): return ["none"]
        default: return sequence.referenceFrames < 4 ? ["strict"] : ["normal", "strict"]
        }
    }

    /// The number of B-frames with which x264 writes this many bits of the picture order count.
    private static func bframes(_ sequence: H264SequenceSet, hasPyramid: Bool, _ said: [String: String])
        -> [Int]
    {
        if let number = said["bframes"].flatMap({ Int($0) }), (0...16).contains(number) { return [number] }
        if sequence.pocType == 2 || sequence.vui?.maxReorder == 0 { return [0] }
        let fits = (1...16).filter { count in
            let span = (count + 2) * (hasPyramid ? 2 : 1) * 2 * 2
            return max(4, Int.bitWidth - span.leadingZeroBitCount) == sequence.log2MaxPocLsb
        }
        return [fits.first { $0 > 1 } ?? fits.first ?? (hasPyramid ? 3 : 2)]
    }
}
