// UnitName: what people are told of a unit of an export: the log, the errors and `show` all name it so.

/// The name of a unit: `chunk 3`, `first pass of chunk 3`, `audio track 1`.
public struct UnitName: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The kind of the unit.
    public let kind: ExportUnit.Kind
    /// The number of its chunk, from 0 in the order of the output; of audio, the source track's index in its container.
    public let index: Int

    /// The name of a unit of this kind.
    public init(_ kind: ExportUnit.Kind, _ index: Int) {
        self.kind = kind
        self.index = index
    }

    /// The name, as it stands in a sentence.
    public var description: String {
        switch kind {
        case .video: "chunk \(index)"
        case .statistics: "first pass of chunk \(index)"
        case .audio: "audio track \(index)"
        }
    }

    /// How many there are of each kind: `10 chunks, 10 first passes, 1 audio track`.
    public static func count(_ names: some Sequence<UnitName>) -> String {
        let counts = names.reduce(into: [ExportUnit.Kind: Int]()) { $0[$1.kind, default: 0] += 1 }
        let words: [(kind: ExportUnit.Kind, one: String, many: String)] = [
            (.video, "chunk", "chunks"), (.statistics, "first pass", "first passes"),
            (.audio, "audio track", "audio tracks"),
        ]
        return words.compactMap { word in
            counts[word.kind].map { "\($0) \($0 == 1 ? word.one : word.many)" }
        }.joined(separator: ", ")
    }
}
