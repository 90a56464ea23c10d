// The iTunSMPB item, which gives players without edit list support the playable range of an .m4a's audio: encoder delay, padding
// of the last packet, and samples between.

/// The playable range of an audio track, in samples.
struct GaplessNote: Hashable, Sendable {
    /// Samples before the first one played, and after the last.
    var priming: Int64, padding: Int64
    /// Number of samples played.
    var length: Int64

    /// Creates a note from its parts.
    init(priming: Int64, padding: Int64, length: Int64) {
        self.priming = priming
        self.padding = padding
        self.length = length
    }

    /// In the format of iTunes.
    var text: String {
        func hex(_ value: Int64, _ digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let zeros = [String](repeating: hex(0, 8), count: 8).joined(separator: " ")
        return " \(hex(0, 8)) \(hex(priming, 8)) \(hex(padding, 8)) \(hex(length, 16)) \(zeros)"
    }
}
