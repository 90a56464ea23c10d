// The order in which units are begun: that of the output, so that its progress has a time, but for the first and the last ones.
internal import Media

/// The order of units.
enum UnitOrder {
    /// So many of the last chunks are begun by their length: one for each processor of a large machine.
    private static let last = 16

    /// Audio first: a track is one unit for the whole length, and would end last. Of the last chunks, the longest first, so that all
    /// processors end at nearly the same time: a chunk of 3 s begun after those of 2 s kept one processor of two waiting for 2 s.
    static func order(_ units: [ExportUnit]) -> [ExportUnit] {
        let audio = units.filter { $0.kind == .audio }, others = units.filter { $0.kind != .audio }
        let ending = others.suffix(last).enumerated().sorted { one, other in
            (other.element.seconds, one.offset) < (one.element.seconds, other.offset)
        }
        return audio + others.dropLast(last) + ending.map(\.element)
    }
}
