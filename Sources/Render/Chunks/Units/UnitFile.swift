// Writes the packets of one unit to a file of our own: no container of FFmpeg keeps exact decoding times and all side data. The
// layout: "TRIMUNIT", the length of the head, its checksum and the head in JSON; then for each packet the letter P, its times, flags and side data
// and its bytes; then the letter E, the number of packets, and a checksum over everything before it. Numbers are little-endian, checksums
// big-endian.
// Owns its buffer, not the descriptor. Used on one thread.
internal import Codecs
package import Libav
package import Media
package import MediaTime
internal import Source
package import Text

/// The header that the join must read of a unit before its packets.
package struct UnitHead: Hashable, Codable, Sendable {
    /// The stream of its encoder; nil: nothing is in its interval, and there are no packets.
    package var format: EncodedFormat?
    /// Seconds per tick of its packets.
    package var timebase: Timebase
    /// The result of its track, before packets are counted.
    package var result: TrackResult?

    /// A head of no packets.
    package init(timebase: Timebase) { self.timebase = timebase }
}

/// The layout of a unit's file.
enum UnitLayout {
    static let magic = Array("TRIMUNIT".utf8)
    static let packet = UInt8(ascii: "P"), end = UInt8(ascii: "E")
    /// Bytes of a packet's fields before its side data: letter, three times, flags, entries of side data, size.
    static let packetFields = 1 + 3 * 8 + 3 * 4
    /// Bytes of the end.
    static let endFields = 1 + 8 + 4
    /// The time of a packet that has none.
    static let noTime = Int64.min
    /// The largest head, entry count and entry of side data, in bytes.
    static let largestHead = 4 << 20, mostEntries = 64, largestEntry = 1 << 20
}

/// Writes a unit's file.
package struct UnitFileWriter: ~Copyable {
    private let file: SourceFile
    private var buffer: [UInt8] = []
    private var written: Int64 = 0
    private var count: UInt64 = 0
    private var sum: UInt32 = 0
    private static let piece = 1 << 20

    /// Begins an empty file.
    package init(_ file: SourceFile, _ head: UnitHead) throws(MediaError) {
        self.file = file
        let text = try UnitCoding.value(head).encoded
        buffer += UnitLayout.magic
        put(UInt32(clamping: text.count))
        put(Checksum.ieee32.of(text[...]).byteSwapped)
        buffer += text
    }

    private mutating func put(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe buffer.append(contentsOf: $0) }
    }

    /// Adds a packet.
    package mutating func add(_ packet: Packet) throws(MediaError) {
        buffer.append(UnitLayout.packet)
        put(packet.pts ?? UnitLayout.noTime)
        put(packet.dts ?? UnitLayout.noTime)
        put(packet.duration)
        put(packet.flags)
        let sideData = packet.sideData
        put(UInt32(clamping: sideData.count))
        put(UInt32(clamping: packet.size))
        for entry in sideData {
            put(entry.type)
            put(UInt32(clamping: entry.bytes.count))
            buffer += entry.bytes
        }
        buffer += packet.bytes
        count += 1
        if buffer.count >= UnitFileWriter.piece { try flush() }
    }

    /// Ends the file.
    /// - Returns: its size in bytes.
    package mutating func finish() throws(MediaError) -> Int64 {
        buffer.append(UnitLayout.end)
        put(count)
        sum = Checksum.ieee32.updated(sum, over: buffer[...])
        put(sum.byteSwapped)
        try write()
        return written
    }

    private mutating func flush() throws(MediaError) {
        sum = Checksum.ieee32.updated(sum, over: buffer[...])
        try write()
    }

    /// Throws `diskFull`, `maximumFileSizeReached` or, where the file system fails otherwise, `notWritable`.
    private mutating func write() throws(MediaError) {
        let (file, bytes, offset) = (file, buffer, written)
        do throws(LibavError) { try file.write(bytes, at: offset, "writing \(file.name)") } catch {
            var error = MediaError(error, fallback: .notWritable)
            // Errors of reading the source are the unit's own; this one meets all units alike.
            if error.code == .inputOutput { error.code = .notWritable }
            throw error
        }
        written += Int64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Converts the values of units to JSON and back.
package enum UnitCoding {
    /// As JSON.
    package static func value(_ value: some Encodable) throws(MediaError) -> JSONValue {
        do { return try JSONValue(coding: value) } catch {
            throw MediaError(.unknown, "a part of the export cannot be described: \(error)")
        }
    }

    /// From JSON.
    package static func read<Value: Decodable>(_ value: JSONValue, _ type: Value.Type) throws(MediaError)
        -> Value
    {
        do { return try value.value(of: type) } catch {
            throw MediaError(
                .invalidRequest, "a part of the export is not described as it should be: \(error)")
        }
    }
}
