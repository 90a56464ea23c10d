// How a subtitle track is handled in a container. Pure except for querying FFmpeg for the container's codecs.
internal import Libav
package import Media

/// How one subtitle track is handled.
package struct TextPlan: Sendable {
    /// The modes.
    enum Way: Hashable, Sendable {
        /// Events as stored, their times cut to the range.
        case copy
        /// Text converted to the FFmpeg codec of this name.
        case convert(String)
        /// Bitmaps and closed captions, which stay until the next ones: as stored, including those on screen at the in point.
        case screens
    }
    let track: Track
    let way: Way
    /// Samples follow each other without gaps or overlaps (movies).
    let isContinuous: Bool
    /// Only a transport stream as on Blu-ray names its codec.
    var needsBluRay = false

    /// Text codecs.
    private static let texts: Set<String> = ["subrip", "ass", "ssa", "webvtt", "mov_text", "text", "srt"]

    /// Whether a track's events are text, and not pictures.
    package static func isText(_ track: Track) -> Bool { texts.contains(track.codec) }

    /// The plan, or why there is none.
    static func decide(_ track: Track, _ fileType: FileType) -> Result<TextPlan, DropReason> {
        let isISOMedia = fileType.isISOMedia
        let isText = isText(track)
        guard !fileType.isAudio else {
            return .failure(DropReason("an .\(fileType.rawValue) file holds audio only"))
        }
        if track.isProtected { return .failure(DropReason("it is encrypted")) }
        // QuickTime text has a different header from MPEG-4 timed text, but the same name.
        let isQuickTimeText = track.codec == "mov_text" && track.codecTag == "text"
        let fits = fileType.holds(track.codec) && !isQuickTimeText
        let needsBluRay = !fits && fileType.isBluRay([track.codec])
        if isText {
            if fits, isISOMedia || track.codec != "mov_text" {
                return .success(TextPlan(track: track, way: .copy, isContinuous: isISOMedia))
            }
            let target: String? =
                switch fileType.muxer {
                case "mp4", "ipod", "mov", "3gp": "mov_text"
                case "matroska": "subrip"
                case "webm": "webvtt"
                default: nil
                }
            guard let target else {
                return .failure(DropReason(".\(fileType.rawValue) cannot hold text subtitles"))
            }
            guard track.isDecodable else {
                return .failure(DropReason(track.obstacleWords))
            }
            return .success(TextPlan(track: track, way: .convert(target), isContinuous: isISOMedia))
        }
        // QuickTime's tracks of captions; FFmpeg stores their bytes, and has no encoder that would make others.
        let isCaptions = track.codec == "eia_608"
        guard fits || needsBluRay, isCaptions || !isISOMedia else {
            let kind = isCaptions ? "closed captions are not" : "bitmap subtitles cannot be"
            return .failure(
                DropReason(
                    ".\(fileType.rawValue) cannot hold \(track.codecWords), and \(kind) converted to text"))
        }
        return .success(TextPlan(track: track, way: .screens, isContinuous: false, needsBluRay: needsBluRay))
    }

    /// The codec in the output.
    var codec: String {
        switch way {
        case .convert(let codec): codec
        case .copy, .screens: track.codec
        }
    }
}

/// Why something is left out.
struct DropReason: Error, Hashable, Sendable {
    let text: String
    init(_ text: String) { self.text = text }
}
