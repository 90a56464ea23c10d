// Properties of an asset that a cut depends on, and that are no faults: other programs stumble over them. Pure.
internal import MediaTime

/// A property of an asset that a cut depends on.
public struct AssetTrait: Hashable, Codable, Sendable {
    /// The kinds of properties.
    public enum Code: String, Hashable, Codable, Sendable, CaseIterable {
        /// The frames of a track are shown for different lengths of time.
        case variableFrameRate
        /// A track has an edit list.
        case editList
        /// The earliest time stamp is not 0; asset time is counted from it.
        case lateStart
    }

    /// The kind.
    public var code: Code
    /// A sentence for people.
    public var message: String
    /// The index of the track, if it is one's.
    public var track: Int?

    /// Creates a property.
    public init(_ code: Code, _ message: String, track: Int? = nil) {
        (self.code, self.message, self.track) = (code, message, track)
    }
}

extension Asset {
    /// The properties that a cut depends on, those of the whole first.
    public var traits: [AssetTrait] {
        var traits: [AssetTrait] = []
        if start != .zero {
            traits.append(
                AssetTrait(.lateStart, "its time stamps begin at \(start) s, which is time 0 here"))
        }
        for track in tracks where !track.isPicture {
            if track.video?.isVariable == true {
                traits.append(
                    AssetTrait(
                        .variableFrameRate, "track \(track.index) has a variable frame rate, which is kept",
                        track: track.index))
            }
            if let edits = track.edits, !edits.isEmpty {
                let count = "\(edits.count) edit\(edits.count == 1 ? "" : "s")"
                traits.append(
                    AssetTrait(
                        .editList, "track \(track.index) has an edit list of \(count), which is applied",
                        track: track.index))
            }
        }
        return traits
    }
}
