// How libx264 must be set up so that what it makes fits an H.264 track: the same picture, no more reordering and buffering
// than the track declares, and parameter sets that are the track's own or carry ids of their own. Pure.
internal import Libav
internal import Media
internal import MediaTime

/// The set-up of an encoder for the ends of one H.264 track.
struct H264Edge {
    let sequence: H264Sequence
    let picture: H264Picture
    private let track: Track

    /// Judges a track; throws the reason where libx264 cannot write what fits.
    init(_ sets: H264ParameterSets, track: Track) throws(MediaError) {
        func refused(_ why: String) -> MediaError {
            MediaError(
                .spliceFailed, "the ends of track \(track.index) cannot be encoded to fit: \(why)", track: track.index,
                remedy: "use --render encode, or --render copy")
        }
        guard let first = sets.sps.first.flatMap(H264Sequence.init), let picture = sets.pps.first.flatMap(H264Picture.init)
        else { throw refused("its parameter sets are damaged or missing") }
        for set in sets.sps {
            guard let other = H264Sequence(set), other.widthInBlocks == first.widthInBlocks,
                other.heightInBlocks == first.heightInBlocks, other.bitDepth == first.bitDepth
            else { throw refused("it has several picture sizes") }
        }
        guard [66, 77, 100, 110, 122].contains(first.profile) else { throw refused("its profile is \(first.profile)") }
        guard !picture.hasSliceGroups else { throw refused("it has slice groups") }
        guard first.bitDepth == first.chromaBitDepth, [8, 10].contains(first.bitDepth), 1...2 ~= first.chromaFormat else {
            throw refused("its pictures have \(first.bitDepth) bits and chroma format \(first.chromaFormat)")
        }
        guard first.isFrameOnly else { throw refused("it is interlaced") }
        sequence = first
        self.picture = picture
        self.track = track
    }

    /// Pictures that may be held back.
    private func reordering(_ measured: Int) -> Int { min(sequence.reorderFrames ?? measured, max(measured, 0)) }

    /// The set-up with parameter sets of an id of their own.
    func setup(id: Int, delay: Int) -> VideoEncoderSetup {
        var options: [String] = ["sps-id=\(id)", "stitchable=1"] + common(delay)
        options.append("ref=\(max(1, min(sequence.refFrames, 16)))")
        return setup(options, crf: quality)
    }

    /// The quality of the ends: a little better than what lies beside them.
    private var quality: Int { 16 }

    private func common(_ delay: Int) -> [String] {
        let depth = reordering(delay)
        var options = [
            "keyint=infinite", "scenecut=0", "open-gop=0", "cabac=\(picture.usesCABAC ? 1 : 0)",
            "8x8dct=\(picture.uses8x8 ? 1 : 0)", "aud=0", "annexb=1",
            "bframes=\(depth == 0 ? 0 : 3)", "b-pyramid=\(depth > 1 ? "normal" : "none")",
            "weightp=\(picture.usesWeightedPrediction ? 1 : 0)",
            "constrained-intra=\(picture.isConstrainedIntra ? 1 : 0)",
        ]
        if depth == 0 { options.append("bframes=0") }
        options.append("level=\(Double(sequence.level) / 10)")
        return options
    }

    private func setup(_ options: [String], crf: Int) -> VideoEncoderSetup {
        let format = track.video
        // A tick of the stream's timing is half a frame.
        let rate =
            sequence.timing.flatMap { timing in
                timing.units > 0 ? Ratio(Int64(timing.scale), Int64(timing.units) * 2) : nil
            } ?? format?.frameRate ?? Ratio(25)
        let timebase =
            Timebase(numerator: Int32(clamping: rate.denominator), denominator: Int32(clamping: rate.numerator)) ?? .milliseconds
        var setup = VideoEncoderSetup(
            encoder: "libx264", width: format?.width ?? 0, height: format?.height ?? 0,
            pixelFormat: format?.pixelFormat ?? "yuv420p", timebase: timebase, frameRate: rate,
            keyframeInterval: 100_000)
        setup.sampleAspect = format?.sampleAspect ?? Ratio(1)
        setup.isFullRange = format?.color.range == "pc"
        setup.primaries = format?.color.primaries
        setup.transfer = format?.color.transfer
        setup.matrix = format?.color.matrix
        let profile =
            switch sequence.profile {
            case 66: "baseline"
            case 77: "main"
            case 110: "high10"
            case 122: "high422"
            default: "high"
            }
        setup.options = [
            ("preset", "veryfast"), ("profile", profile), ("crf", "\(crf)"),
            ("x264-params", options.joined(separator: ":")),
        ]
        return setup
    }
}
