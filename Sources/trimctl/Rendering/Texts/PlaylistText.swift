// Formats what a playlist says besides its media: interstitials, variants, renditions. Part of the output of `trimctl probe`. Text only.
internal import Media
internal import MediaTime

/// Formats the facts of a playlist.
enum PlaylistText {
    /// The lines of an asset, each group with its label; none of an asset that no playlist describes.
    static func add(_ asset: Asset, to lines: inout Labelled) {
        for (index, variant) in (asset.variants ?? []).enumerated() {
            lines.add(index == 0 ? "variants" : "", line(variant))
        }
        for (index, rendition) in (asset.renditions ?? []).enumerated() {
            lines.add(index == 0 ? "renditions" : "", line(rendition))
        }
        for (index, own) in (asset.interstitials ?? []).enumerated() {
            lines.add(index == 0 ? "interstitials" : "", line(own))
        }
    }

    private static func line(_ variant: AssetVariant) -> String {
        var parts: [String] = []
        if let width = variant.width, let height = variant.height { parts.append("\(width)x\(height)") }
        parts.append(Units.bitRate(variant.bitRate))
        if let codecs = variant.codecs { parts.append(codecs.oneLine) }
        if variant.chosen { parts.append("read here") }
        return "\(variant.number): \(parts.joined(separator: ", "))"
    }

    private static func line(_ rendition: AssetRendition) -> String {
        let kind =
            switch rendition.kind {
            case .audio, .video, .subtitles: rendition.kind.rawValue
            case .closedCaptions: "closed captions"
            }
        var parts = ["\(kind) \(rendition.name.oneLine)"]
        if let language = rendition.language { parts.append(language.oneLine) }
        parts.append("group \(rendition.group.oneLine)")
        if rendition.isDefault { parts.append("default") }
        if rendition.isForced { parts.append("forced") }
        return parts.joined(separator: ", ")
    }

    private static func line(_ own: Interstitial) -> String {
        var parts: [String] = []
        if own.stitched {
            parts.append(
                own.duration.map { "\(Units.clock(own.start)) to \(Units.clock(own.start + $0))" }
                    ?? "from \(Units.clock(own.start)) on")
        } else {
            let length = own.duration.map { ", \(Units.duration($0.seconds))" } ?? ""
            parts.append("at \(Units.clock(own.start)), inserted by players\(length)")
        }
        if let id = own.id { parts.append(id.oneLine) }
        parts.append(own.kind.rawValue)
        if !own.restrict.isEmpty {
            parts.append("no " + own.restrict.map(\.rawValue).joined(separator: ", no "))
        }
        if let asset = own.asset { parts.append(asset.oneLine) }
        return parts.joined(separator: ", ")
    }
}
