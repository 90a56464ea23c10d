// Formats an asset for people: the output of `trimctl probe`. TrackText formats the tracks. Text only.
internal import Media
internal import MediaTime

/// Formats an asset.
enum AssetText {
    /// The complete text for an asset.
    static func page(_ asset: Asset, of path: String) -> String {
        var lines = Labelled()
        let format = asset.container.format == asset.container.name ? "" : " (\(asset.container.format))"
        lines.add("container", asset.container.name + format)
        if wasAsked(.duration, asset) {
            lines.add("duration", asset.duration.map { "\(Units.clock($0))\(seconds($0))" } ?? "not known")
        }
        lines.add("start", start(asset.start))
        lines.add("size", Units.size(asset.bytes))
        lines.add("timecode", asset.timecode.map { $0.oneLine })
        for track in asset.tracks {
            lines.add("track \(track.index)", TrackText.lines(track).joined(separator: "\n"))
        }
        for (index, chapter) in asset.chapters.enumerated() {
            let title = chapter.title.map { "  \($0.oneLine)" } ?? ""
            lines.add(
                index == 0 ? "chapters" : "",
                "\(Units.clock(chapter.start)) to \(Units.clock(chapter.end))\(title)")
        }
        for (index, item) in asset.metadata.sorted(by: { $0.key < $1.key }).enumerated() {
            lines.add(index == 0 ? "metadata" : "", "\(item.key): \(item.value.oneLine)")
        }
        PlaylistText.add(asset, to: &lines)
        for (index, fault) in asset.faults.enumerated() {
            lines.add(index == 0 ? "faults" : "", sentence(fault))
        }
        for property in AssetProperty.allCases {
            guard let state = asset.properties?[property.rawValue], state.status == .failed else { continue }
            lines.add(
                "failed",
                "\(property.rawValue): \(state.error.map(ErrorText.line) ?? "not known why")".oneLine)
        }
        return "\(path.oneLine)\n" + lines.text
    }

    private static func wasAsked(_ property: AssetProperty, _ asset: Asset) -> Bool {
        asset.properties?[property.rawValue]?.status != .notAsked
    }

    private static func start(_ time: Time) -> String {
        time == .zero ? "0" : "\(Units.clock(time)) in the container's own time (asset time 0)"
    }

    private static func seconds(_ time: Time) -> String {
        time.isNumeric && time.seconds >= 60 ? " (\(Units.trimmed(Units.fixed(time.seconds, 3))) s)" : ""
    }

    static func sentence(_ fault: Fault) -> String {
        let isNamed = fault.track.map { fault.message.contains("track \($0)") } ?? true
        let track = isNamed ? "" : fault.track.map { "track \($0): " } ?? ""
        return "\(track)\(fault.message.oneLine) [\(fault.code.rawValue)]"
    }
}
