// A container's streams as plain values in FFmpeg's names and ticks. Interprets nothing: Probe makes an Asset of it.
internal import CFFmpeg
internal import Glibc
public import MediaTime

/// One stream as the container and FFmpeg's parsers describe it.
public struct StreamInfo: Sendable {
    /// The kind of stream.
    public enum Kind: Sendable { case video, audio, subtitle, data, attachment }

    /// Its index in the container.
    public var index = 0
    /// Its kind.
    public var kind = Kind.data
    /// FFmpeg's name of the codec.
    public var codec = "unknown"
    /// FFmpeg's name of the profile.
    public var profile: String?
    /// The codec's level number, -99 if unknown.
    public var level: Int32 = -99
    /// The container's four-character code, where printable.
    public var tag: String?
    /// Seconds per tick.
    public var timebase = Timebase.microseconds
    /// First presentation time in ticks.
    public var start: Int64?
    /// Duration in ticks.
    public var duration: Int64?
    /// Samples stored, 0 if unknown.
    public var samples: Int64 = 0
    /// Bits per second, 0 if unknown.
    public var bitRate: Int64 = 0
    /// Metadata of the stream.
    public var metadata: [String: String] = [:]
    /// FFmpeg's dispositions.
    public var dispositions: [String] = []
    /// The container indexes every sample; in the index a sample lasts much longer than the others.
    public var hasIndex = false, hasGaps = false
    /// A decoder for the codec is available.
    public var hasDecoder = false
    /// All samples of a timed text track are shown, whatever the user chose.
    public var isForcedText = false
    /// The container carries initialisation data of an encryption scheme.
    public var hasEncryptionInfo = false

    /// Size in pixels.
    public var width = 0, height = 0
    /// Width of a pixel over its height; nil if unknown.
    public var sampleAspect: Ratio?
    /// The container does not say it for all frames.
    public var isAspectByFrames = false
    /// The display matrix, nine fixed-point numbers, if there is one.
    public var displayMatrix: [Int32]?
    /// FFmpeg's name of the pixel format.
    public var pixelFormat: String?
    /// Bits per component.
    public var bitDepth = 8
    /// Pixels have alpha.
    public var hasAlpha = false
    /// Average and lowest common frame rate.
    public var averageRate: Ratio?, realRate: Ratio?
    /// `progressive`, `tt`, `bb`, `tb`, `bt`, or nil.
    public var fieldOrder: String?
    /// Colour in FFmpeg's names.
    public var primaries: String?, transfer: String?, matrix: String?, range: String?
    /// Maximum content light level and maximum frame average, in cd/m2.
    public var contentLight: [Int]?
    /// Mastering display's minimum and maximum luminance.
    public var masteringLuminance: [Ratio]?
    /// Dolby Vision: profile, level and the base layer's compatibility, and whether there is an enhancement layer.
    public var dolbyVision: (profile: Int, level: Int, compatibility: Int, isLayered: Bool)?
    /// FFmpeg's name of the spherical projection.
    public var projection: String?

    /// Samples per second.
    public var sampleRate = 0
    /// Channels.
    public var channels = 0
    /// FFmpeg's name of the channel layout.
    public var channelLayout = ""
    /// FFmpeg's name of the sample format.
    public var sampleFormat: String?
    /// Bits of a stored sample; nil: the codec is lossy or does not say.
    public var storedBits: Int?
    /// Samples of encoder delay the container declares.
    public var initialPadding = 0
}

extension Demuxer {
    /// The container's description of all streams.
    public var streams: [StreamInfo] { (0..<trackCount).compactMap(info) }

    /// Video or audio tracks that the container lists, but for which no decoder parameters were found.
    public var unknownTracks: [Int] {
        (0..<trackCount).filter { index in
            guard let codec = unsafe stream(index)?.pointee.codecpar,
                unsafe LibavLimits.hasDecoder(codec.pointee.codec_id)
            else { return false }
            return switch unsafe codec.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO: unsafe codec.pointee.width == 0
            case AVMEDIA_TYPE_AUDIO: unsafe codec.pointee.sample_rate == 0
            default: false
            }
        }
    }

    /// FFmpeg's name of a track's codec; nil if there is no such track.
    public func codec(of track: Int) -> String? {
        unsafe stream(track).flatMap { unsafe text(avcodec_get_name($0.pointee.codecpar.pointee.codec_id)) }
    }

    /// The container's metadata.
    public var containerMetadata: [String: String] { unsafe metadata(context.pointee.metadata) }

    /// The container's start in microseconds, as FFmpeg rounds it; nil if unknown.
    public var startMicroseconds: Int64? {
        let own = unsafe known(context.pointee.start_time)
        return ([own] + companions.entries.map(\.demuxer.startMicroseconds)).compactMap(\.self).min()
    }

    /// The container's duration in microseconds; nil if unknown.
    public var durationMicroseconds: Int64? {
        let own = unsafe known(context.pointee.duration)
        return ([own] + companions.entries.map(\.demuxer.durationMicroseconds)).compactMap(\.self).max()
    }

    /// The duration was estimated from the bit rate.
    public var isDurationEstimated: Bool {
        unsafe context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE
    }

    /// The language of a track; nil: its container says none.
    func language(of track: Int) -> String? {
        guard let stream = unsafe stream(track) else { return nil }
        return unsafe metadata(stream.pointee.metadata)["language"].flatMap { $0 == "und" ? nil : $0 }
    }

    /// The chapters: start and end as exact times of the container, and the title.
    public var chapters: [ContainerChapter] {
        if let joined { return joined.chapters }
        return (0..<Int(unsafe context.pointee.nb_chapters)).compactMap { index in
            guard let chapter = unsafe context.pointee.chapters[index],
                let timebase = unsafe Demuxer.timebase(chapter.pointee.time_base)
            else { return nil }
            let title = unsafe metadata(chapter.pointee.metadata)["title"].flatMap { $0.isEmpty ? nil : $0 }
            return unsafe ContainerChapter(
                start: timebase.time(ofTicks: chapter.pointee.start),
                end: timebase.time(ofTicks: chapter.pointee.end), title: title)
        }
    }

    /// Rounds ticks to microseconds as FFmpeg does, to find out which stream the container's start came from.
    public static func microseconds(_ ticks: Int64, _ timebase: Timebase) -> Int64 {
        av_rescale_q(
            ticks, AVRational(num: timebase.numerator, den: timebase.denominator),
            AVRational(num: 1, den: 1_000_000))
    }

    private static func timebase(_ q: AVRational) -> Timebase? {
        Timebase(numerator: q.num, denominator: q.den)
    }

    private static func ratio(_ q: AVRational) -> Ratio? {
        guard q.num > 0, q.den > 0 else { return nil }
        return Ratio(Int64(q.num), Int64(q.den))
    }

    private func info(_ index: Int) -> StreamInfo? {
        guard let stream = unsafe stream(index), let codec = unsafe stream.pointee.codecpar else {
            return nil
        }
        var info = StreamInfo()
        info.index = index
        info.kind = unsafe Demuxer.kind(codec.pointee.codec_type)
        info.codec = unsafe text(avcodec_get_name(codec.pointee.codec_id)) ?? "unknown"
        unsafe info.profile = text(avcodec_profile_name(codec.pointee.codec_id, codec.pointee.profile))
        unsafe info.level = codec.pointee.level
        unsafe info.tag = Demuxer.fourCharacters(codec.pointee.codec_tag)
        info.timebase = unsafe Demuxer.timebase(stream.pointee.time_base) ?? .microseconds
        unsafe info.start = known(stream.pointee.start_time)
        unsafe info.duration = known(stream.pointee.duration).flatMap { $0 > 0 ? $0 : nil }
        unsafe info.samples = stream.pointee.nb_frames
        if info.kind == .video, case .derived(let order) = order(of: index), let span = order.span {
            info.start = span.lowerBound
            info.duration = span.upperBound - span.lowerBound
        }
        unsafe info.bitRate = codec.pointee.bit_rate
        unsafe info.metadata = metadata(stream.pointee.metadata)
        unsafe info.dispositions = Demuxer.dispositions(stream.pointee.disposition)
        unsafe info.hasDecoder = LibavLimits.hasDecoder(codec.pointee.codec_id)
        unsafe info.hasEncryptionInfo =
            trim_stream_side_data(stream, AV_PKT_DATA_ENCRYPTION_INIT_INFO) != nil
        info.hasIndex = hasIndex
        switch info.kind {
        case .video:
            info.hasGaps = hasGaps(index)
            unsafe describeVideo(stream, codec, &info)
        case .audio:
            unsafe info.sampleRate = Int(codec.pointee.sample_rate)
            unsafe info.channels = Int(codec.pointee.ch_layout.nb_channels)
            unsafe info.channelLayout = describe(&codec.pointee.ch_layout)
            unsafe info.sampleFormat = text(
                av_get_sample_fmt_name(AVSampleFormat(rawValue: codec.pointee.format)))
            let bits = max(
                av_get_exact_bits_per_sample(unsafe codec.pointee.codec_id),
                unsafe codec.pointee.bits_per_raw_sample)
            info.storedBits = bits > 0 ? Int(bits) : nil
            unsafe info.initialPadding = Int(codec.pointee.initial_padding)
            if unsafe codec.pointee.codec_id == AV_CODEC_ID_FLAC,
                unsafe codec.pointee.bits_per_raw_sample > 24,
                !LibavBuild.codesDeepFLAC
            {
                (info.profile, info.hasDecoder) = (
                    "of \(unsafe codec.pointee.bits_per_raw_sample) bits", false
                )
            }
            if let type = unsafe Demuxer.extendedObjectType(codec.pointee) {
                if type == 42 { info.profile = "xHE-AAC" }
                info.hasDecoder =
                    (try? Decoder(
                        CodecParameters(self, track: index), timebase: info.timebase, threads: 1)) != nil
            }
        case .subtitle where unsafe codec.pointee.codec_id == AV_CODEC_ID_MOV_TEXT:
            // The flags of the sample entry (3GPP TS 26.245): the highest bit marks all samples as forced.
            if unsafe codec.pointee.extradata_size >= 4, let head = unsafe codec.pointee.extradata {
                unsafe info.isForcedText = head.pointee & 0x80 != 0
            }
        default: break
        }
        return info
    }

    private func describeVideo(
        _ stream: UnsafeMutablePointer<AVStream>, _ codec: UnsafeMutablePointer<AVCodecParameters>,
        _ info: inout StreamInfo
    ) {
        unsafe info.width = Int(codec.pointee.width)
        unsafe info.height = Int(codec.pointee.height)
        unsafe info.sampleAspect = Demuxer.ratio(av_guess_sample_aspect_ratio(context, stream, nil))
        unsafe info.isAspectByFrames =
            stream.pointee.sample_aspect_ratio.num <= 0 || joined?.changesAspect(of: info.index) == true
        unsafe info.averageRate = Demuxer.ratio(stream.pointee.avg_frame_rate)
        unsafe info.realRate = Demuxer.ratio(stream.pointee.r_frame_rate)
        let format = unsafe AVPixelFormat(rawValue: codec.pointee.format)
        if let description = unsafe av_pix_fmt_desc_get(format) {
            info.pixelFormat = unsafe text(description.pointee.name)
            info.bitDepth = Int(unsafe description.pointee.comp.0.depth)
            info.hasAlpha = unsafe description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
        }
        // VP8 and VP9 store alpha separately. FFmpeg tells of Matroska's mark of it as a tag, and some files have that tag themselves.
        let isMark = { (tag: (key: String, value: String)) in
            tag.key.lowercased() == "alpha_mode" && tag.value == "1"
        }
        if info.metadata.contains(where: isMark) { info.hasAlpha = true }
        info.fieldOrder =
            switch unsafe codec.pointee.field_order {
            case AV_FIELD_PROGRESSIVE: "progressive"
            case AV_FIELD_TT: "tt"
            case AV_FIELD_BB: "bb"
            case AV_FIELD_TB: "tb"
            case AV_FIELD_BT: "bt"
            default: nil
            }
        func named(_ name: String?) -> String? { name == "unknown" || name == "reserved" ? nil : name }
        unsafe info.primaries = named(text(av_color_primaries_name(codec.pointee.color_primaries)))
        unsafe info.transfer = named(text(av_color_transfer_name(codec.pointee.color_trc)))
        unsafe info.matrix = named(text(av_color_space_name(codec.pointee.color_space)))
        unsafe info.range = named(text(av_color_range_name(codec.pointee.color_range)))
        if let bytes = unsafe trim_stream_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX) {
            info.displayMatrix = (0..<9).map {
                unsafe UnsafeRawPointer(bytes).load(fromByteOffset: $0 * 4, as: Int32.self)
            }
        }
        if let bytes = unsafe trim_stream_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL) {
            let light = unsafe UnsafeRawPointer(bytes).load(as: AVContentLightMetadata.self)
            info.contentLight = [Int(light.MaxCLL), Int(light.MaxFALL)]
        }
        if let bytes = unsafe trim_stream_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA) {
            let display = unsafe UnsafeRawPointer(bytes).load(as: AVMasteringDisplayMetadata.self)
            if display.has_luminance != 0,
                let low = Ratio(Int64(display.min_luminance.num), Int64(display.min_luminance.den)),
                let high = Ratio(Int64(display.max_luminance.num), Int64(display.max_luminance.den))
            {
                info.masteringLuminance = [low, high]
            }
        }
        if let bytes = unsafe trim_stream_side_data(stream, AV_PKT_DATA_DOVI_CONF) {
            let record = unsafe UnsafeRawPointer(bytes).load(as: AVDOVIDecoderConfigurationRecord.self)
            info.dolbyVision = (
                Int(record.dv_profile), Int(record.dv_level), Int(record.dv_bl_signal_compatibility_id),
                record.el_present_flag != 0
            )
        }
        if let bytes = unsafe trim_stream_side_data(stream, AV_PKT_DATA_SPHERICAL) {
            let mapping = unsafe UnsafeRawPointer(bytes).load(as: AVSphericalMapping.self)
            info.projection = unsafe text(av_spherical_projection_name(mapping.projection))
        }
    }

    private static func kind(_ type: AVMediaType) -> StreamInfo.Kind {
        switch type {
        case AVMEDIA_TYPE_VIDEO: .video
        case AVMEDIA_TYPE_AUDIO: .audio
        case AVMEDIA_TYPE_SUBTITLE: .subtitle
        case AVMEDIA_TYPE_ATTACHMENT: .attachment
        default: .data
        }
    }

    private static func fourCharacters(_ tag: UInt32) -> String? {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
        guard tag != 0, bytes.allSatisfy({ 0x20...0x7e ~= $0 }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func dispositions(_ flags: Int32) -> [String] {
        (0..<31).compactMap { bit in
            let flag = Int32(1) << bit
            return flags & flag == 0 ? nil : unsafe text(av_disposition_to_string(flag))
        }
    }
}

/// A chapter as a container has it.
public struct ContainerChapter: Hashable, Sendable {
    /// Its times in the container's.
    public let start: Time, end: Time
    /// Its title; nil: it has none.
    public let title: String?

    /// Creates a chapter.
    public init(start: Time, end: Time, title: String?) {
        (self.start, self.end, self.title) = (start, end, title)
    }
}
