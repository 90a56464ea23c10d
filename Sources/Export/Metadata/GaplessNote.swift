// What tells players that know no edit lists where the sound of an .m4a begins and ends: the text of the item iTunSMPB,
// with the samples of the encoder's delay, those that fill the last packet, and those between.

/// Where the sound of one track begins and ends, in samples.
struct GaplessNote: Hashable, Sendable {
    /// Samples before the first that is heard, and after the last.
    var priming: Int64, padding: Int64
    /// Samples that are heard.
    var length: Int64

    /// A note from its parts.
    init(priming: Int64, padding: Int64, length: Int64) {
        self.priming = priming
        self.padding = padding
        self.length = length
    }

    /// As iTunes writes it.
    var text: String {
        func hex(_ value: Int64, _ digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let zeros = [String](repeating: hex(0, 8), count: 8).joined(separator: " ")
        return " \(hex(0, 8)) \(hex(priming, 8)) \(hex(padding, 8)) \(hex(length, 16)) \(zeros)"
    }
}
