// The file of a unit that is the first pass of a chunk: the parts of its log as packets, so that it is checked as any other unit's.
package import Libav
package import Media
package import MediaTime
internal import Source

/// A first pass's log in a unit's file.
package enum UnitStatistics {
    /// The most bytes of a packet.
    private static let piece = 1 << 20
    /// The names of parts, by the times of their packets.
    private static let names = ["", ".mbtree", ".cutree", "text"]

    /// Writes a log to an empty file.
    /// - Returns: the file's size in bytes.
    package static func write(_ log: PassLog, to output: SourceFile, timebase: Timebase) throws(MediaError)
        -> Int64
    {
        var writer = try UnitFileWriter(output, UnitHead(timebase: timebase))
        for part in log.parts {
            guard let number = names.firstIndex(of: part.name) else { continue }
            for begin in stride(from: 0, to: part.bytes.count, by: piece) {
                let bytes = Array(part.bytes[begin..<min(begin + piece, part.bytes.count)])
                let packet = try media(.outOfMemory) { () throws(LibavError) in
                    try Packet(bytes: bytes, flags: 0, sideData: [])
                }
                packet.pts = Int64(number)
                try writer.add(packet)
            }
        }
        return try writer.finish()
    }

    /// Reads a log. Throws where the file is damaged.
    /// - Parameter name: of the unit, for errors.
    package static func read(_ file: SourceFile, of name: UnitName) throws(MediaError) -> PassLog {
        var reader = try UnitFileReader(file, of: name)
        var parts: [PassLog.Part] = []
        while let packet = try reader.next() {
            guard let index = packet.pts, names.indices.contains(Int(index)) else { continue }
            let name = names[Int(index)]
            if parts.last?.name != name { parts.append(PassLog.Part(name: name, bytes: [])) }
            parts[parts.count - 1].bytes += packet.bytes
        }
        return try media(.outOfMemory) { () throws(LibavError) in try PassLog(parts) }
    }
}
