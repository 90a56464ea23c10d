// The presets of an export after the first: a request that names no preset is encoded where samples cannot be copied, and any
// other fails with the ways that would succeed, each of them tried.
internal import Libav
internal import Media
internal import Render
internal import Source

extension Exporter {
    /// Runs `body` with this export, and once more with the fallback preset where the first one cannot be used. An error of a
    /// preset that copies names what can be used instead.
    func fallingBack<Result>(
        _ body: (Exporter, Diagnostics) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let fallback = encoding
        if let (safer, diagnostics) = afterCrashes { return try body(safer, diagnostics) }
        if request.render == .encode, let fallback { return try body(fallback, Diagnostics()) }
        do throws(MediaError) {
            return try body(self, Diagnostics())
        } catch {
            guard request.preset.isPassthrough, needsEncoding(error) else { throw error }
            guard let fallback, fallback.holdsOutput else { throw explained(error) }
            let diagnostics = Diagnostics()
            diagnostics.warn(
                Warning(
                    .encodedInstead, "\(error.message); encoded \(fallback.encodingWords)",
                    time: error.time, track: error.track))
            let first = error
            do throws(MediaError) {
                return try body(fallback, diagnostics)
            } catch {
                // No preset that encodes can be used either: the first error says why.
                throw error.code == .presetNotValid ? explained(first) : error
            }
        }
    }

    /// After so many deaths an export is encoded whole: an encoder of a head or tail may be what crashes. One death has other causes.
    private static let mostCrashes = 2

    /// This export without heads and tails, and a warning of it, where they may be what processes died of; nil: it is tried as it is.
    private var afterCrashes: (export: Exporter, diagnostics: Diagnostics)? {
        guard crashes >= Exporter.mostCrashes, request.render == .auto else { return nil }
        var export = encoding ?? self
        guard export.request.preset.video != nil else { return nil }
        export.request.render = .encode
        let diagnostics = Diagnostics()
        diagnostics.warn(
            Warning(
                .encodedInstead,
                "the process died \(crashes) times while the ends were encoded as the source is; "
                    + "it was encoded instead with \(export.request.preset.id)"))
        return (export, diagnostics)
    }

    /// Whether an export that copies failed because the media cannot be copied, or not in the requested size.
    private func needsEncoding(_ error: MediaError) -> Bool {
        switch error.code {
        case .presetNotValid, .spliceFailed, .operationNotSupported: true
        case .maximumFileSizeReached: options.limitSize != nil
        default: false
        }
    }

    /// This export with the request's fallback; nil if there is none.
    var encoding: Exporter? {
        guard var preset = request.fallback else { return nil }
        let asset = try? Probe.asset(of: source)
        let own =
            request.output.fileExtension.flatMap(FileType.init(rawValue:))
            ?? asset.flatMap(FileType.init(of:))
        // Audio keeps its type, where there is an encoder for it.
        if let own, own.isAudio || asset?.mainVideo == nil, let fitting = preset.audio?.fitting(own) {
            preset.audio = fitting
        }
        preset.widenFileTypes(first: own)
        var export = self
        (export.request.preset, export.request.fallback, export.isFallback) = (preset, nil, true)
        return export
    }

    /// The preset, as the end of a sentence; of audio alone the codec, which is the file type's.
    private var encodingWords: String {
        let asset = try? Probe.asset(of: source)
        let hasVideo = asset?.mainVideo != nil && options.video != "none"
        guard !hasVideo, let settings = request.preset.audio else { return "with \(request.preset.id)" }
        let track = asset.flatMap { TrackSelection(options, of: $0).audio.first }
        return "to \(track.map { AudioPlan(track: $0, settings: settings).codec } ?? settings.codec)"
    }

    /// Whether the preset writes the file type of the output's name.
    private var holdsOutput: Bool {
        request.output.fileExtension.map(request.preset.allFileTypes.contains) ?? true
    }

    /// Where nothing that trimd does would succeed: a codec that it neither decodes nor can copy anywhere.
    private func lastRemedy(_ error: MediaError) -> String? {
        error.code == .presetNotValid
            ? "neither a preset nor another file type would do; convert it first, such as with ffmpeg" : nil
    }

    /// The error with the ways that would succeed as its remedy.
    private func explained(_ error: MediaError) -> MediaError {
        guard !alternatives.isEmpty else { return error }
        let ways = TriedRemedies(self, after: error).ways
        return MediaError(
            error.code, error.message, time: error.time, track: error.track,
            remedy: ways.isEmpty
                ? lastRemedy(error) ?? error.remedy : "use " + ways.joined(separator: ", or "))
    }
}

extension Preset {
    /// Adds every file type that holds the preset's codecs, that of the source first.
    fileprivate mutating func widenFileTypes(first type: FileType?) {
        func holding(_ codecs: [String?], audio: Bool, first: [String]) -> [String] {
            let own = type?.rawValue
            let types = FileType.allCases.filter { type in
                type.isAudio == audio
                    && codecs.allSatisfy { $0.map { type.holds($0) } ?? true }
            }.map(\.rawValue)
            let ordered = first + types.filter { !first.contains($0) }
            return ordered.filter { $0 == own } + ordered.filter { $0 != own }
        }
        audioOnlyFileTypes = holding([audio?.codec], audio: true, first: ["m4a"])
        // A file of audio may be named as films are, but for .m4v, whose audio alone is .m4a.
        if let type, !type.isAudio, type != .m4v, !type.needsVideo,
            audio.map({ type.holds($0.codec) }) == true
        {
            audioOnlyFileTypes?.insert(type.rawValue, at: 0)
        }
        fileTypes = holding([video?.codec, audio?.codec], audio: false, first: fileTypes)
    }
}
