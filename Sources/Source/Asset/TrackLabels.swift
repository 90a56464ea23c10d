// The labels of an output's track: language, title and use; and those that the container cannot hold. Pure. FFmpeg's muxers write
// some of them; MovieLabels and MatroskaEdit add the rest.
package import Media

/// The labels of one track in a container.
package struct TrackLabels: Sendable {
    /// The language code for the muxer.
    package private(set) var language: String?
    /// The complete language tag (BCP 47), where it says more than the code.
    package private(set) var languageTag: String?
    package private(set) var title: String?
    /// FFmpeg's dispositions for its use, except `default`.
    package private(set) var uses: [String] = []
    /// Played by default; set by the caller, which knows the other tracks.
    package var isDefault = false
    /// Labels that the container cannot hold, and why.
    package private(set) var lost: [(what: String, why: String)] = []

    /// Dispositions that describe storage, or that are decided anew.
    private static let technical: Set<String> = [
        "default", "attached_pic", "timed_thumbnails", "still_image", "metadata", "dependent",
    ]

    /// Decides.
    /// - Parameter title: the track's own, where it is to be kept.
    package init(_ track: Track, title: String?, fileType: FileType) {
        let cannot = ".\(fileType.rawValue) cannot hold it"
        if let title {
            if fileType.isISOMedia || fileType.isMatroska {
                self.title = title
            } else {
                lost.append(("title '\(title)'", cannot))
            }
        }
        if let language = track.language { decide(language, track, fileType) }
        for use in track.dispositions where !TrackLabels.technical.contains(use) {
            if let kept = TrackLabels.kept(use, track, fileType) {
                uses += kept.filter { !uses.contains($0) }
            } else {
                lost.append(("flag '\(use.replacing("_", with: "-"))'", cannot))
            }
        }
    }

    private mutating func decide(_ language: String, _ track: Track, _ fileType: FileType) {
        // In an audio-only file the file's tags hold the labels.
        if fileType.holdsOneTrack { return }
        let code = LanguageCode.terminological(language)
        guard let code, !fileType.isTransport || TrackLabels.isDescribed(track, fileType) else {
            lost.append(("language '\(language)'", ".\(fileType.rawValue) cannot hold it"))
            return
        }
        self.language = fileType.isISOMedia ? code : LanguageCode.bibliographic(language)
        guard language.contains(where: { $0 == "-" || $0 == "_" }) else { return }
        if fileType.isISOMedia && fileType != .threeGP || fileType.isMatroska {
            languageTag = language.replacing("_", with: "-")
        } else {
            lost.append(
                ("language '\(language)'", ".\(fileType.rawValue) can say no more of it than \(code)"))
        }
    }

    /// Whether a transport stream has a descriptor of the track's language: discs have a table of their own for that of subtitles.
    private static func isDescribed(_ track: Track, _ fileType: FileType) -> Bool {
        track.kind == .audio || track.kind == .subtitle && !fileType.isBluRay([track.codec])
    }

    /// The dispositions for a use in a container; nil if there are none.
    private static func kept(_ use: String, _ track: Track, _ fileType: FileType) -> [String]? {
        switch fileType {
        case .mp4, .m4v, .m4a, .m4b, .m4r, .mov: return MovieLabels.holds(use) ? [use] : nil
        case .mkv, .mka:
            switch use {
            case "forced", "comment", "hearing_impaired", "visual_impaired": return [use]
            // One flag says which of the two it is.
            case "original": return track.dispositions.contains("dub") ? nil : [use]
            case "dub": return track.dispositions.contains("original") ? nil : [use]
            case "captions": return ["hearing_impaired"]
            case "descriptions": return ["visual_impaired"]
            default: return nil
            }
        case .webm:
            if use == "forced" { return [use] }
            return track.kind == .subtitle && ["captions", "descriptions"].contains(use) ? [use] : nil
        case .ts, .m2ts, .mts:
            let one = ["clean_effects", "hearing_impaired", "visual_impaired"].first(
                where: track.dispositions.contains)
            guard track.kind == .audio else {
                return use == "hearing_impaired" && isDescribed(track, fileType) ? [use] : nil
            }
            // One audio type covers both (ISO/IEC 13818-1, 2.6.18).
            if use == "descriptions", one == "visual_impaired" { return ["visual_impaired"] }
            if use == "captions", one == "hearing_impaired" { return ["hearing_impaired"] }
            return use == one ? [use] : nil
        default: return nil
        }
    }
}
