// The speakers of channel layouts, by FFmpeg's names, and the layout in which an encoder takes a source's. Pure.

/// Which speakers a track's channels are for.
public struct ChannelLayout: Hashable, Sendable {
    /// FFmpeg's name.
    public let name: String
    /// One for each channel.
    public let speakers: Set<Speaker>

    /// A speaker of a layout; in the order in which channels are stored.
    public enum Speaker: String, Hashable, Sendable, CaseIterable {
        case frontLeft = "FL", frontRight = "FR", frontCenter = "FC", lowFrequency = "LFE"
        case backLeft = "BL", backRight = "BR"
        case frontLeftOfCenter = "FLC", frontRightOfCenter = "FRC"
        case backCenter = "BC", sideLeft = "SL", sideRight = "SR"
    }

    /// FFmpeg's layouts of these speakers, of one channel to eight.
    public static let known: [ChannelLayout] = [
        ("mono", "FC"), ("stereo", "FL FR"), ("2.1", "FL FR LFE"), ("3.0", "FL FR FC"),
        ("3.0(back)", "FL FR BC"),
        ("4.0", "FL FR FC BC"), ("quad", "FL FR BL BR"), ("quad(side)", "FL FR SL SR"),
        ("3.1", "FL FR FC LFE"),
        ("5.0", "FL FR FC BL BR"), ("5.0(side)", "FL FR FC SL SR"), ("4.1", "FL FR FC LFE BC"),
        ("5.1", "FL FR FC LFE BL BR"), ("5.1(side)", "FL FR FC LFE SL SR"), ("6.0", "FL FR FC BC SL SR"),
        ("6.0(front)", "FL FR FLC FRC SL SR"), ("hexagonal", "FL FR FC BL BR BC"),
        ("6.1", "FL FR FC LFE BC SL SR"), ("6.1(back)", "FL FR FC LFE BL BR BC"),
        ("6.1(front)", "FL FR LFE FLC FRC SL SR"), ("7.0", "FL FR FC BL BR SL SR"),
        ("7.0(front)", "FL FR FC FLC FRC SL SR"), ("7.1", "FL FR FC LFE BL BR SL SR"),
        ("7.1(wide)", "FL FR FC LFE BL BR FLC FRC"), ("7.1(wide-side)", "FL FR FC LFE FLC FRC SL SR"),
        ("octagonal", "FL FR FC BL BR BC SL SR"),
    ].map { name, speakers in
        ChannelLayout(
            name: name,
            speakers: Set(speakers.split(separator: " ").compactMap { Speaker(rawValue: String($0)) }))
    }

    /// The layout of a name; nil for any that is not among ``known``.
    public static func named(_ name: String) -> ChannelLayout? { known.first { $0.name == name } }

    /// Of AC-3 and E-AC-3 (ATSC A/52, table 5.8).
    private static let dolby = [
        "mono", "stereo", "2.1", "3.0(back)", "3.0", "3.1", "4.0", "4.1", "quad", "quad(side)", "5.0(side)",
        "5.0",
        "5.1(side)", "5.1",
    ]

    /// The layouts that an encoder stores so that decoders tell them apart, in order of preference among equals; nil: as it says itself.
    /// AAC's are those of ISO/IEC 14496-3, table 1.19, and those that FFmpeg's decoder recognises besides; Opus's are Vorbis's (RFC 7845,
    /// 5.1.1.2) but 5.0 and 6.1, whose channels FFmpeg 5.1 stores in another order; ALAC's are Apple's without those for speakers that few have.
    private static let stored: [String: [String]] = [
        "aac": ["mono", "stereo", "2.1", "3.0", "4.0", "quad", "5.0", "5.1", "7.1"],
        "libopus": ["mono", "stereo", "3.0", "quad", "5.1", "7.1"],
        "alac": ["mono", "stereo", "3.0", "4.0", "5.0", "5.1"],
        "ac3": dolby, "eac3": dolby, "libmp3lame": ["mono", "stereo"],
    ]

    /// The layout in which an encoder takes audio: the source's where it knows that and all channels are kept; else with side speakers for back
    /// ones or the other way round; else the one that has the most of the source's speakers, none of them raised.
    /// - Parameters:
    ///   - own: FFmpeg's name of the source's.
    ///   - channels: of the source.
    ///   - limit: channels at most.
    ///   - encoder: FFmpeg's name of it.
    ///   - supported: FFmpeg's names of the layouts that it takes; empty: any, or not known.
    public static func taken(
        _ own: String, channels: Int, limit: Int, by encoder: String, supported: [String] = []
    ) -> String {
        let names = stored[encoder] ?? supported
        let keepsAll = channels <= limit
        if keepsAll, names.isEmpty || names.contains(own) { return own }
        let candidates = known.filter {
            (names.isEmpty || names.contains($0.name)) && $0.speakers.count <= min(channels, limit)
        }
        // Nothing is known of the speakers of a layout without a name.
        guard let source = named(own) ?? named(usual(channels)) else {
            return candidates.max { $0.speakers.count < $1.speakers.count }?.name
                ?? usual(min(channels, limit))
        }
        func rank(_ layout: ChannelLayout) -> [Int] {
            // As many of the source's speakers as can be, then as few others; then the very same ones.
            let same = layout.places.intersection(source.places).count
            let others = layout.speakers.count - same
            let index = names.firstIndex(of: layout.name) ?? 0
            return [same, -others, layout.speakers.intersection(source.speakers).count, -index]
        }
        return candidates.max { rank($0).lexicographicallyPrecedes(rank($1)) }?.name
            ?? usual(min(channels, limit))
    }

    /// Whether the channels of two layouts, by FFmpeg's names, are for the same places in the same order: side speakers and back ones
    /// are not told apart, nor is anything where one is not known.
    public static func isSame(_ one: String, _ other: String) -> Bool {
        guard one != other, let one = named(one), let other = named(other) else { return true }
        return one.order.map(one.place) == other.order.map(other.place)
    }

    /// The short names of its channels, in the order in which they are stored.
    public var channelNames: [String] { order.map(\.rawValue) }

    /// Its speakers in the order in which FFmpeg stores them.
    private var order: [Speaker] { Speaker.allCases.filter(speakers.contains) }

    /// Where a speaker is: the side ones are back ones where it has only these.
    private func place(_ speaker: Speaker) -> Speaker {
        guard !speakers.contains(.backLeft) else { return speaker }
        return switch speaker {
        case .sideLeft: .backLeft
        case .sideRight: .backRight
        default: speaker
        }
    }

    private var places: Set<Speaker> { Set(speakers.map(place)) }

    /// The most common layout of so many channels.
    private static func usual(_ channels: Int) -> String {
        switch channels {
        case 1: "mono"
        case 2: "stereo"
        case 3: "2.1"
        case 4: "4.0"
        case 5: "5.0"
        case 6: "5.1"
        case 8: "7.1"
        default: "\(channels)c"
        }
    }
}

extension AudioSettings {
    /// FFmpeg's name of the layout in which audio of a format is encoded.
    public func layout(of format: AudioFormat) -> String {
        ChannelLayout.taken(
            format.channelLayout, channels: format.channels, limit: maxChannels, by: encoder)
    }

    /// The channels of audio of a format when it is encoded; those of stereo if nothing is known of it.
    public func channels(of format: AudioFormat?) -> Int {
        guard let format else { return min(2, maxChannels) }
        return ChannelLayout.named(layout(of: format))?.speakers.count ?? min(format.channels, maxChannels)
    }
}
