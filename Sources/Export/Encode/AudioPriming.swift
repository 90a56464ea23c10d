// How a container keeps what an encoder puts before the first sample from being heard. Pure.
internal import Media

/// What becomes of an encoder's priming in a container.
enum AudioPriming: Hashable, Sendable {
    /// The container, or the codec's own header in it, says that it is to be thrown away: edit lists, Ogg's granules, the tag of
    /// LAME.
    case declared
    /// Matroska's CodecDelay says how much it is, and counts times from its beginning.
    case delayed
    /// Nothing can say so: packets begin with the first sample, and those before are left out.
    case omitted

    /// What a file type has.
    init(in fileType: FileType) {
        self =
            switch fileType {
            case .mkv, .mka, .webm: .delayed
            // What trims Opus there is no part of the stream's times, which begin with the priming all the same.
            case .ts: .omitted
            default: .declared
            }
    }
}

extension AudioPriming {
    /// Codecs of whose last packet Matroska may say how much is padding (DiscardPadding). FFmpeg's reader gives what is said of
    /// others to the packet before, which it shortens instead.
    static let trimmed: Set<String> = ["aac", "mp3", "opus"]
}
