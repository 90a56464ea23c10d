// Track labels in movies that FFmpeg's muxer does not write: title (`name`), use (`kind` with DASH roles, and QuickTime's tagged
// characteristics, `tagc`), and the original language (`mdhd`, `elng`). Bytes only.
package import ISOMedia
internal import Media

/// Labels in a track's boxes.
package enum MovieLabels {
    /// The scheme of the roles (ISO/IEC 23009-1).
    private static let scheme = "urn:mpeg:dash:role:2011"
    /// A use by FFmpeg's name, its role, and its characteristics (AVMediaCharacteristic).
    private static let uses: [(use: String, role: String?, tags: [String])] = [
        ("forced", "forced-subtitle", []), ("comment", "commentary", ["public.auxiliary-content"]),
        ("hearing_impaired", "caption", [transcribes, "public.accessibility.describes-music-and-sound"]),
        ("captions", "caption", [transcribes]), ("visual_impaired", "description", [describes]),
        ("descriptions", "description", [describes]), ("dub", "dub", ["public.translation.dubbed"]),
        ("original", nil, ["public.original-content"]),
    ]
    private static let transcribes = "public.accessibility.transcribes-spoken-dialog"
    private static let describes = "public.accessibility.describes-video"

    /// Whether a use can be stored.
    package static func holds(_ use: String) -> Bool { uses.contains { $0.use == use } }

    /// The use that a characteristic stands for, by FFmpeg's name.
    package static func use(of tag: String) -> String? { uses.first { $0.tags.first == tag }?.use }

    /// The boxes for a track's user data.
    package static func boxes(_ labels: TrackLabels) -> [Box] {
        let said = uses.filter { labels.uses.contains($0.use) }
        var roles: [String] = []
        var tags: [String] = []
        for use in said {
            if let role = use.role, !roles.contains(role) { roles.append(role) }
            tags += use.tags.filter { !tags.contains($0) }
        }
        return [labels.title.map { Box("name", Array($0.utf8)) }].compactMap(\.self)
            + roles.map { Box("kind", [0, 0, 0, 0] + Array(scheme.utf8) + [0] + Array($0.utf8) + [0]) }
            + tags.map { Box("tagc", Array($0.utf8)) }
    }

    /// The packed three-letter language code of the media header.
    package static func packed(_ code: String) -> [UInt8]? {
        let letters = Array(code.utf8)
        guard letters.count == 3, letters.allSatisfy({ 0x61...0x7A ~= $0 }) else { return nil }
        let value = letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
        return [UInt8(value >> 8), UInt8(value & 255)]
    }
}

extension Box {
    /// Adds labels to a track.
    package mutating func label(_ labels: TrackLabels) {
        // FFmpeg enables one track of each kind, unconditionally.
        if var head = self["tkhd"], head.body.count > 3 {
            head.body[3] = head.body[3] & ~1 | (labels.isDefault ? 1 : 0)
            self["tkhd"] = head
        }
        var user = self["udta"]?.children ?? []
        user.removeAll { ["name", "kind", "tagc"].contains($0.name) }
        user += MovieLabels.boxes(labels)
        self["udta"] = user.isEmpty ? nil : Box("udta", children: user)
        guard var media = self["mdia"], var head = media["mdhd"], let code = labels.language,
            let packed = MovieLabels.packed(code)
        else { return }
        // After the times, which are longer in version 1 (ISO/IEC 14496-12, 8.4.2).
        let offset = head.body.first == 1 ? 32 : 20
        if head.body.count >= offset + 2 { head.body.replaceSubrange(offset..<(offset + 2), with: packed) }
        media["mdhd"] = head
        media["elng"] = labels.languageTag.map { Box("elng", [0, 0, 0, 0] + Array($0.utf8) + [0]) }
        self["mdia"] = media
    }
}
