// Facts about a film in words, for the heading of a contact sheet. Pure.
internal import Codecs
internal import Media
internal import MediaTime
internal import Text

/// Facts about a film, and times as a sheet writes them.
package struct SheetFacts {
    let name: String
    let asset: Asset
    let video: Track?, audio: Track?
    let parts: [TimeSpan]

    /// The heading, for a sheet with this many pixels between its margins.
    func heading(width: Int) -> PictureHeading {
        var heading = PictureHeading(name, width: width)
        heading.add([
            asset.duration.map { clock($0) } ?? "", SheetFacts.size(asset.bytes),
            video.map(SheetFacts.words(video:)) ?? "", audio.map(SheetFacts.words(audio:)) ?? "",
        ])
        heading.add(range)
        return heading
    }

    /// The ranges shown, and how long they are together.
    private var range: [String] {
        let spans = parts.map { "\(clock($0.start)) to \(clock($0.end))" }
        let total = SheetFacts.rounded(parts.reduce(0.0) { $0 + ($1.end - $1.start).seconds }, 3)
        guard spans.count > 1 else { return spans.map { "\($0) (\(total) s)" } }
        // More would be no heading.
        let most = 12
        return ["\(quantity(spans.count, "range")), \(total) s"] + spans.prefix(most)
            + (spans.count > most ? ["…"] : [])
    }

    /// A time; without hours where the film has none.
    func clock(_ time: Time, digits: Int = 3) -> String {
        let text = time.clock(digits: digits)
        let longest = (parts.map(\.end) + [asset.duration ?? .zero]).max() ?? .zero
        return longest < Time(3600, 1) && text.hasPrefix("00:") ? String(text.dropFirst(3)) : text
    }

    /// Codec, displayed size, and rate.
    static func words(video track: Track) -> String {
        let size = FrameRenderer(track: track).size
        var words = "\(CodecName.words(track.codec)) \(size.width)x\(size.height)"
        if let rate = track.video?.frameRate {
            words += " \(rounded(rate.value, 3)) fps\(track.video?.isVariable == true ? " (variable)" : "")"
        }
        switch track.video?.color.dynamicRange {
        case "hlg"?: words += " HLG"
        case .some: words += " HDR"
        case nil: break
        }
        return words
    }

    /// Codec, rate and channels.
    static func words(audio track: Track) -> String {
        guard let audio = track.audio else { return CodecName.words(track.codec) }
        let channels = audio.channelLayout.isEmpty ? quantity(audio.channels, "channel") : audio.channelLayout
        return
            "\(CodecName.words(track.codec)) \(rounded(Double(audio.sampleRate) / 1000, 3)) kHz \(channels)"
    }

    /// A size as trimctl writes it, in steps of 1000.
    private static func size(_ bytes: Int64) -> String {
        switch bytes {
        case ..<1000: "\(bytes) bytes"
        case ..<1_000_000: rounded(Double(bytes) / 1000, 1) + " kB"
        case ..<10_000_000_000: rounded(Double(bytes) / 1_000_000, bytes < 10_000_000 ? 2 : 1) + " MB"
        default: rounded(Double(bytes) / 1_000_000_000, 1) + " GB"
        }
    }

    /// A number with at most so many decimals.
    package static func rounded(_ number: Double, _ digits: Int) -> String {
        let unit = (0..<digits).reduce(Int64(1)) { unit, _ in unit * 10 }
        guard abs(number) < 1e12 else { return "\(number)" }
        let scaled = Int64((abs(number) * Double(unit)).rounded())
        var text = "\(scaled / unit)"
        if scaled % unit != 0 {
            let rest = "\(scaled % unit)"
            text += "." + String(repeating: "0", count: digits - rest.count) + rest
            while text.hasSuffix("0") { text.removeLast() }
        }
        return (number < 0 && scaled != 0 ? "−" : "") + text
    }
}
