// The streams that a transport stream announces later than at its beginning (ISO/IEC 13818-1, 2.4.4): a broadcast moves its audio to
// another PID, or a second recording follows the first in one file. FFmpeg lists streams as far as it probes. Reads packets of tables;
// decodes nothing.
//
// A file of up to 32 MiB is read whole. In a larger one, 64 places at equal distances are looked at, each up to 1 MiB far, and where a
// stream is new there, the place between two of them where it is announced first is searched by halves: a stream that is announced for
// less than a 64th of the file may not be found.
internal import Libav

/// The tables of a transport stream that announce streams later than the first ones do.
struct TransportPrograms {
    /// A table that announces new streams.
    struct Late: Hashable {
        /// Its packets, with those of the table of programs that leads to it.
        var packets: [Range<Int64>]
        /// The PIDs of the new streams.
        var pids: Set<Int>
        /// Where it lies.
        var place: Int64
    }

    /// The tables at the beginning, as packets.
    private(set) var first: [Range<Int64>] = []
    private(set) var late: [Late] = []

    private let source: SourceFile
    private let size: Int, offset: Int64
    /// The kind of each stream that is known, by its PID.
    private var known: [Int: UInt8] = [:]

    private static let whole: Int64 = 32 << 20, places: Int64 = 64, far = 1 << 20

    /// A table of one program, as it was read.
    private struct Table {
        var packets: [Range<Int64>]
        var kinds: [Int: UInt8]
        var place: Int64
    }

    /// The tables of a source; nil if it is no transport stream, or has none.
    init?(_ source: SourceFile) {
        let head = source.bytes(at: 0, count: 64 << 10)
        func isFramed(_ size: Int, _ at: Int) -> Bool {
            (0..<5).allSatisfy { at + $0 * size < head.count && head[at + $0 * size] == 0x47 }
        }
        let found = [188, 192, 204].lazy.compactMap { size in
            (0..<min(size, head.count)).first { isFramed(size, $0) }.map { (size, $0) }
        }.first
        guard let (size, sync) = found else { return nil }
        // A recording of a disc has four bytes before each packet.
        let first = size == 192 ? sync - 4 : sync
        (self.source, self.size, offset) = (source, size, Int64(first < 0 ? first + size : first))
        guard find(), !self.first.isEmpty else { return nil }
    }

    private mutating func find() -> Bool {
        let isWhole = source.size <= TransportPrograms.whole
        let step = isWhole ? Int64(TransportPrograms.far) : source.size / TransportPrograms.places
        var before = offset
        var place = offset
        while place < source.size {
            for table in tables(from: place, isWhole: isWhole) {
                if first.isEmpty {
                    (first, known) = (table.packets, table.kinds)
                    continue
                }
                guard isNew(table) else { continue }
                let earliest = isWhole ? table : self.earliest(of: table, between: before, place)
                let pids = Set(earliest.kinds.keys).subtracting(known.keys)
                known.merge(earliest.kinds) { old, _ in old }
                late.append(Late(packets: earliest.packets, pids: pids, place: earliest.place))
            }
            before = place
            place = aligned(place + step)
        }
        return true
    }

    /// Whether a table has streams that are not known, and no other kind of a known one, which its number would become.
    private func isNew(_ table: Table) -> Bool {
        table.kinds.contains { known[$0.key] == nil }
            && table.kinds.allSatisfy { known[$0.key] ?? $0.value == $0.value }
    }

    /// The first table like one, as far as halving finds it.
    private func earliest(of table: Table, between low: Int64, _ high: Int64) -> Table {
        var (low, high, found) = (low, high, table)
        while high - low > Int64(TransportPrograms.far) {
            let middle = aligned((low + high) / 2)
            guard middle > low, middle < high else { break }
            if let here = tables(from: middle, isWhole: false).first(where: isNew) {
                (high, found) = (middle, here)
            } else {
                low = middle
            }
        }
        return found
    }

    private func aligned(_ place: Int64) -> Int64 {
        offset + (place - offset) / Int64(size) * Int64(size)
    }

    /// The tables of programs in the bytes from a place on.
    /// - Parameter isWhole: all of them; otherwise one of each program.
    private func tables(from place: Int64, isWhole: Bool) -> [Table] {
        let bytes = source.bytes(at: place, count: TransportPrograms.far + size)
        let lead = size == 192 ? 4 : 0
        var tables: [Table] = []
        var programs: (packets: [Range<Int64>], pids: Set<Int>)?
        var open: [Int: (packets: [Range<Int64>], section: [UInt8])] = [:]
        var seen: Set<Int> = []
        var at = 0
        while at + size <= bytes.count {
            defer { at += size }
            let base = at + lead
            guard bytes[base] == 0x47, bytes[base + 1] & 0x80 == 0 else { continue }
            let pid = Int(bytes[base + 1] & 0x1f) << 8 | Int(bytes[base + 2])
            guard pid == 0 || programs?.pids.contains(pid) == true else { continue }
            var from = base + 4
            if bytes[base + 3] & 0x20 != 0 { from += 1 + Int(bytes[base + 4]) }
            let end = base + 188
            guard bytes[base + 3] & 0x10 != 0, from < end else { continue }
            let packet = place + Int64(at)..<place + Int64(at + size)
            if bytes[base + 1] & 0x40 != 0 {
                from += 1 + Int(bytes[from])
                guard from < end else { continue }
                open[pid] = ([packet], Array(bytes[from..<end]))
            } else if let part = open[pid] {
                open[pid] = (part.packets + [packet], part.section + bytes[from..<end])
            }
            guard let part = open[pid], part.section.count >= 3 else { continue }
            let length = 3 + (Int(part.section[1] & 15) << 8 | Int(part.section[2]))
            guard part.section.count >= length else { continue }
            open[pid] = nil
            let section = part.section.prefix(length)
            if pid == 0 {
                if let pids = TransportPrograms.programs(section) { programs = (part.packets, pids) }
            } else if let kinds = TransportPrograms.streams(section), let lead = programs?.packets {
                tables.append(Table(packets: lead + part.packets, kinds: kinds, place: lead[0].lowerBound))
                seen.insert(pid)
            }
            if !isWhole, let programs, !seen.isEmpty, seen.isSuperset(of: programs.pids) { break }
        }
        return tables
    }

    /// The PIDs of the programs' tables; nil: it is another table.
    private static func programs(_ section: ArraySlice<UInt8>) -> Set<Int>? {
        guard section.count >= 12, section[0] == 0 else { return nil }
        return Set(
            stride(from: 8, to: section.count - 7, by: 4).compactMap { at in
                let number = Int(section[at]) << 8 | Int(section[at + 1])
                return number == 0 ? nil : Int(section[at + 2] & 0x1f) << 8 | Int(section[at + 3])
            })
    }

    /// The kinds of a program's streams by their PIDs; nil: it is another table.
    private static func streams(_ section: ArraySlice<UInt8>) -> [Int: UInt8]? {
        guard section.count >= 16, section[0] == 2 else { return nil }
        var at = 12 + (Int(section[10] & 15) << 8 | Int(section[11]))
        var kinds: [Int: UInt8] = [:]
        while at + 5 <= section.count - 4 {
            kinds[Int(section[at + 1] & 0x1f) << 8 | Int(section[at + 2])] = section[at]
            at += 5 + (Int(section[at + 3] & 15) << 8 | Int(section[at + 4]))
        }
        return kinds
    }
}
