// The file types trimd writes, and the timing each can store. Values only.
public import MediaTime
internal import Text

/// A file type, by its extension.
public enum FileType: String, Hashable, Codable, Sendable, CaseIterable {
    case mp4, m4v, m4a, m4b, m4r, mov, mkv, mka, webm, ts, m2ts, mts, flv, vob, mpg
    case threeGP = "3gp"
    case avi, mxf, ogv, ivf
    case ogg, oga, spx, opus, flac, wav, w64, mp3, mp2, aac, ac3, eac3, dts, amr, aiff, aif, au, caf, wv, tta,
        gif

    /// FFmpeg's muxer for it, whatever it holds but PCM in MP4.
    public var muxer: String {
        switch self {
        case .m4v, .m4a, .m4b, .m4r: "ipod"
        case .mkv, .mka: "matroska"
        case .ts, .m2ts, .mts: "mpegts"
        case .aac: "adts"
        case .aif: "aiff"
        case .mpg: "vob"
        case .mp4, .mov, .webm, .flv, .vob, .threeGP, .avi, .mxf, .ogv, .ivf, .gif: rawValue
        case .ogg, .oga, .spx, .opus, .flac, .wav, .w64, .mp3, .mp2, .ac3, .eac3, .dts, .amr: rawValue
        case .aiff, .au, .caf, .wv, .tta: rawValue
        }
    }

    /// FFmpeg's muxer for tracks of these codecs, in FFmpeg's names. That of MP4 refuses PCM, which cameras store there as QuickTime
    /// does; that of QuickTime writes it, and the brand of MP4.
    public func muxer(for codecs: [String]) -> String {
        isQuickTimeWithin(codecs) ? "mov" : muxer
    }

    private func isQuickTimeWithin(_ codecs: [String]) -> Bool {
        (self == .mp4 || self == .m4v) && codecs.contains(where: ContainerCodecs.isPCM)
    }

    /// Options of the muxer that a file of this type needs.
    /// - Parameter codecs: of its tracks, in FFmpeg's names.
    public func muxerOptions(_ codecs: [String]) -> [(name: String, value: String)] {
        switch self {
        case .m2ts, .mts: [("mpegts_m2ts_mode", isBluRay(codecs) ? "1" : "0")]
        // For metadata and artwork.
        case .aac, .aiff, .aif: [("write_id3v2", "1")]
        // From 4 GiB on.
        case .wav: [("rf64", "auto")]
        case .mp4, .m4v: isQuickTimeWithin(codecs) ? [("brand", self == .mp4 ? "mp42" : "M4V ")] : []
        default: []
        }
    }

    /// Whether a file of this type with tracks of these codecs is a stream as on Blu-ray and AVCHD. Those have a time stamp before each
    /// packet, and few codecs: others are private data there, which no player knows.
    public func isBluRay(_ codecs: [String]) -> Bool {
        (self == .m2ts || self == .mts) && codecs.allSatisfy(FileType.bluRay.contains)
    }

    /// Codecs that streams of Blu-ray and AVCHD name.
    private static let bluRay: Set<String> = [
        "h264", "hevc", "mpeg2video", "vc1", "ac3", "eac3", "dts", "truehd", "pcm_bluray",
        "hdmv_pgs_subtitle",
    ]

    /// Whether it holds audio only.
    public var isAudio: Bool {
        switch self {
        case .m4a, .m4b, .m4r, .mka: true
        default: holdsOneTrack && self != .ivf && self != .gif
        }
    }

    /// Whether it holds a single track.
    public var holdsOneTrack: Bool {
        switch self {
        case .ogg, .oga, .spx, .opus, .flac, .wav, .w64, .mp3, .mp2, .aac, .ac3, .eac3, .dts, .amr: true
        case .aiff, .aif, .au, .caf, .wv, .tta, .ivf, .gif: true
        case .mp4, .m4v, .m4a, .m4b, .m4r, .mov, .mkv, .mka, .webm, .ts, .m2ts, .mts, .flv, .vob, .mpg: false
        case .threeGP, .avi, .mxf, .ogv: false
        }
    }

    /// Whether it holds a single track of audio, beside video or not.
    public var holdsOneAudioTrack: Bool { holdsOneTrack || self == .flv }

    /// Whether chapters with these codecs are Vorbis comments that FFmpeg reads and does not write: it writes those of Opus and FLAC in Ogg.
    public func hasChapterComments(_ codecs: [String]) -> Bool {
        self == .flac
            || [.ogg, .oga, .ogv].contains(self) && codecs.contains { $0 == "vorbis" || $0 == "theora" }
    }

    /// Whether it can hold chapters.
    public var holdsChapters: Bool {
        switch self {
        case .mp4, .m4v, .m4a, .m4b, .m4r, .mov, .threeGP, .mkv, .mka, .webm, .ogg, .oga, .spx, .opus, .ogv:
            true
        case .flac, .mp3, .aac, .aiff, .aif: true
        case .ts, .m2ts, .mts, .flv, .vob, .mpg, .avi, .mxf, .ivf, .wav, .w64, .caf, .au, .gif: false
        case .mp2, .ac3, .eac3, .dts, .amr, .wv, .tta: false
        }
    }

    /// Whether its chapters can have pictures: a track of chapters, which FFmpeg's muxer writes in these alone, names theirs beside it.
    public var holdsChapterPictures: Bool { [.mp4, .m4v, .m4a, .m4b, .m4r, .mov].contains(self) }

    /// Whether its PCM has the most significant byte first; FFmpeg writes the other order there for 16 bits alone.
    public var isBigEndian: Bool { self == .aiff || self == .aif || self == .au }

    /// Whether a video track must be in it, as FFmpeg's muxer asks.
    public var needsVideo: Bool { self == .mxf || self == .ivf || self == .gif }

    /// How a container states where audio begins and ends within a packet.
    public enum AudioEnds: Hashable, Sendable {
        /// By an edit list.
        case editList
        /// By the positions of Ogg's pages, and by the pre-skip of Opus.
        case position
        /// By the delay and the padding in the LAME tag, which not all players read.
        case tag
        /// It cannot: all samples are played. Its codecs lose nothing and are cut at any sample.
        case samples
        /// It cannot: all packets are played.
        case packets
    }

    /// How it states where audio begins and ends within a packet.
    public var audioEnds: AudioEnds {
        switch self {
        case .mp4, .m4v, .m4a, .m4b, .m4r, .mov, .threeGP: .editList
        case .ogg, .oga, .spx, .opus, .ogv: .position
        case .mp3: .tag
        case .flac, .wav, .w64, .aiff, .aif, .au, .caf, .wv, .tta: .samples
        case .mkv, .mka, .webm, .ts, .m2ts, .mts, .flv, .vob, .mpg, .avi, .mxf, .ivf, .gif: .packets
        case .aac, .mp2, .ac3, .eac3, .dts, .amr: .packets
        }
    }

    /// Whether it is a movie as in ISO/IEC 14496-12 or QuickTime.
    public var isISOMedia: Bool { audioEnds == .editList }

    /// Whether it can hide samples before the in point and after the out point.
    public var hasEditLists: Bool { isISOMedia }

    /// Whether it stores video without times, each frame as long as every other.
    public var countsFrames: Bool { self == .avi || self == .mxf || self == .ogv }

    /// Whether it stores frames only in the order in which they are shown.
    public var keepsOrder: Bool { self == .avi }

    /// Whether it stores when a packet of audio is played; otherwise the first one is played at once.
    public var hasAudioTimes: Bool {
        switch self {
        case .avi, .aac, .mp2, .ac3, .eac3, .dts, .amr: false
        default: true
        }
    }

    /// Whether it is Matroska or its subset WebM.
    public var isMatroska: Bool { self == .mkv || self == .mka || self == .webm }

    /// Whether it is a transport stream.
    public var isTransport: Bool { muxer == "mpegts" }

    /// Whether it is a program stream, as on DVD.
    public var isProgramStream: Bool { muxer == "vob" }

    /// Whether only samples say the parameters of video in it.
    public var hasNoHeader: Bool { isTransport || isProgramStream }

    /// A property of a track that a container cannot store although it holds the codec.
    public enum Loss: Hashable, Sendable {
        /// The display rotation.
        case rotation
        /// An alpha channel, stored beside the frames.
        case alpha
        /// Audio of this sample rate.
        case rate
        /// Frames that last longer than others.
        case timing
        /// Frames that are stored in another order than they are shown.
        case order
        /// Pixels that are not square.
        case aspect
        /// The layout of uncompressed pixels.
        case pixels

        /// The loss, and the alternative to choose.
        public var words: (code: ReasonCode, what: String, remedy: String) {
            switch self {
            case .rotation:
                (
                    .rotationLost, "the video is to be rotated for display",
                    "choose .mp4 or .mov, or a preset that encodes, which rotates it"
                )
            case .alpha:
                (.alphaLost, "the video has a separate alpha channel", "choose .webm or .mkv")
            case .rate:
                (.rateNotInContainer, "the audio has another sample rate", "choose another file type")
            case .timing:
                (
                    .timingLost, "the frame rate of the video varies",
                    "choose .mp4, .mov or .mkv"
                )
            case .order:
                (
                    .timingLost, "the frames are stored in another order than they are shown",
                    "choose .mp4, .mov or .mkv"
                )
            case .aspect:
                (.aspectLost, "the pixels of the video are not square", "choose .mkv or .webm")
            case .pixels:
                (
                    .codecNotInContainer,
                    "the pixels of the video are uncompressed, in a layout that it lacks",
                    "use a preset that encodes"
                )
            }
        }
    }

    /// Layouts of uncompressed pixels that QuickTime has a tag for.
    private static let uncompressed: Set<String> = [
        "yuyv422", "uyvy422", "rgb24", "bgr24", "bgra", "argb", "abgr", "rgba", "rgb555be", "rgb555le",
        "rgb565be", "gray16be", "rgb48be",
    ]

    /// The loss if the track's samples were copied; nil: none. FFmpeg writes no rotation into Matroska and transport streams,
    /// although Matroska can store one.
    public func loss(of track: Track) -> Loss? {
        // Only MPEG-1 and MPEG-2 rates are allowed there (ISO/IEC 14496-3).
        if self == .mp4, track.codec == "mp3", let rate = track.audio?.sampleRate, rate < 16_000 {
            return .rate
        }
        // AC-3 of half the rates has no description in movies (ETSI TS 102 366, Annex F).
        if hasEditLists, track.codec == "ac3", let rate = track.audio?.sampleRate, rate < 32_000 {
            return .rate
        }
        if self == .mxf, let rate = track.audio?.sampleRate, rate != 48_000 { return .rate }
        guard let format = track.video else { return nil }
        if countsFrames, format.frameRate == nil || format.isVariable && !(self == .avi && track.countsFrames)
        {
            return .timing
        }
        // Each packet of Ogg is a tick long. Frames that last several are followed by empty packets, which FFmpeg does not write. Ticks
        // of other containers are finer than frames.
        let ticks = Double(track.timebase.ticks(of: Time(10, 1)).ticks)
        if self == .ogv, let rate = format.frameRate, ticks < 2400, 10 * rate.value < 0.99 * ticks {
            return .timing
        }
        if keepsOrder, format.isReordered == true { return .order }
        if self == .mov, track.codec == "rawvideo",
            !(format.pixelFormat.map(FileType.uncompressed.contains) ?? false)
        {
            return .pixels
        }
        if self == .ivf, format.sampleAspect != Ratio(1) { return .aspect }
        if !hasEditLists, format.rotation != 0 || format.isMirrored { return .rotation }
        let isBeside = format.hasAlpha && ["vp8", "vp9"].contains(track.codec)
        return isBeside && self != .mkv && self != .webm ? .alpha : nil
    }

    /// Types by their extensions, for a sentence: all of a few; of more, the first, and how many others there are.
    public static func choice(of types: [String]) -> String {
        let names = types.map { "." + $0 }
        guard names.count > 5 else { return names.joined(separator: " or ") }
        return names.prefix(3).joined(separator: ", ") + " and \(names.count - 3) others"
    }

    /// Whether it can hold a track as it is, given that it holds the codec.
    public func carries(_ track: Track) -> Bool { loss(of: track) == nil }

    /// Seconds per tick if the container has one time base for all tracks; nil if each track has its own.
    public var fixedTimebase: Timebase? {
        if self == .gif { return Timebase(perSecond: 100) }
        if isTransport || isProgramStream { return Timebase(perSecond: 90_000) }
        return isMatroska || self == .flv ? .milliseconds : nil
    }

    /// Whether it stores decoding times before 0: FLV's are unsigned.
    public var hasNegativeTimes: Bool { self != .flv }

    /// The container time of an output's 0. FFmpeg's transport streams begin 1.4 s late, twice the clock delay that `Muxer`
    /// sets. Program streams are given as much as decoding and the system clock are ahead of the first frame.
    public var zero: Time { isTransport ? Time(7, 5) : isProgramStream ? Time(1, 1) : .zero }

    /// The shortest time, in ticks, for which viewers show a frame; nil: any. Viewers show a GIF frame of 0 or 1 ticks for 10.
    public var shortestFrame: Int64? { self == .gif ? 2 : nil }

    /// Seconds per tick of an audio track with this sample rate.
    public func timebase(ofAudio rate: Int) -> Timebase {
        fixedTimebase ?? Timebase(perSecond: rate) ?? .milliseconds
    }
}

// The file type of an asset: what an output of the same kind is called. Pure.
extension FileType {
    /// The file type of an asset: as its file is named where files of its container are, else what the container says; nil if trimd
    /// does not write it.
    public init?(of asset: Asset) {
        let hasVideo = asset.mainVideo != nil
        let codecs = Set(asset.tracks.filter { $0.kind == .video || $0.kind == .audio }.map(\.codec))
        let usual: FileType?
        /// Other names of such files.
        let names: [FileType]
        switch asset.container.format.split(separator: ",").first.map(String.init) {
        case "mov":
            names = [.mp4, .m4v, .mov, .threeGP] + (hasVideo ? [] : [.m4a, .m4b, .m4r])
            switch asset.container.brand {
            case "qt  ": usual = .mov
            case "M4V ", "M4VH", "M4VP": usual = .m4v
            case "M4B ": usual = hasVideo ? .mp4 : .m4b
            case let brand? where brand.hasPrefix("3g"): usual = .threeGP
            default: usual = hasVideo ? .mp4 : .m4a
            }
        case "matroska":
            let isWebM = codecs.isSubset(of: ["vp8", "vp9", "av1", "opus", "vorbis"])
            usual = hasVideo ? isWebM ? .webm : .mkv : .mka
            // Audio alone may be in a file that is named as films are.
            names = hasVideo ? [] : isWebM ? [.webm, .mkv] : [.mkv]
        case "mpegts": (usual, names) = (.ts, [.m2ts, .mts])
        case "mpeg": (usual, names) = (.mpg, [.vob])
        case "ogg":
            usual = hasVideo ? .ogv : codecs == ["opus"] ? .opus : .ogg
            names = hasVideo ? [] : codecs == ["speex"] ? [.ogg, .oga, .spx] : [.ogg, .oga]
        case "aiff": (usual, names) = (.aiff, [.aif])
        case "mp3": (usual, names) = (codecs == ["mp2"] ? .mp2 : .mp3, [])
        case let format?: (usual, names) = (FileType(format: format), [])
        case nil: return nil
        }
        let own = asset.fileName.flatMap(FileType.init(ofName:))
        guard let type = names.first(where: { $0 == own }) ?? usual else { return nil }
        self = type
    }

    /// The type of a container that has one.
    private init?(format: String) {
        switch format {
        case "flac", "wav", "w64", "aac", "ac3", "eac3", "dts", "amr", "au", "caf", "wv", "tta", "flv", "avi",
            "mxf", "ivf":
            self.init(rawValue: format)
        default: return nil
        }
    }
}
