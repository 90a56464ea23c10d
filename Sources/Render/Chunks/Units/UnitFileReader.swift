// Reads the packets of one unit from its file, in order. Checks every length against the file's size, and the checksum at the end: a
// file that is damaged or not complete is an error that names the unit. Owns a buffer, not the descriptor. Used on one thread.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source
internal import Text

/// Reads a unit's file.
struct UnitFileReader {
    let head: UnitHead
    private let file: SourceFile
    private let name: UnitName
    /// The next byte to read, and the bytes around it.
    private var offset: Int64
    private var buffer: [UInt8] = []
    private var begin: Int64 = 0
    private var sum: UInt32
    private var count: UInt64 = 0
    private static let piece = 256 << 10

    /// Opens the file of a unit with this name.
    init(_ file: SourceFile, of name: UnitName) throws(MediaError) {
        self.file = file
        self.name = name
        let start = file.bytes(at: 0, count: UnitLayout.magic.count + 8)
        guard start.count == UnitLayout.magic.count + 8, start.starts(with: UnitLayout.magic) else {
            throw UnitFileReader.damaged(name, "it does not begin as it should")
        }
        let length = UnitFileReader.number(start[UnitLayout.magic.count...], UInt32.self)
        guard length <= UnitLayout.largestHead, Int64(start.count) + Int64(length) < file.size else {
            throw UnitFileReader.damaged(name, "its head is too long")
        }
        let text = file.bytes(at: Int64(start.count), count: Int(length))
        let checksum = UnitFileReader.number(start[(UnitLayout.magic.count + 4)...], UInt32.self).byteSwapped
        guard text.count == Int(length), Checksum.ieee32.of(text[...]) == checksum,
            let value = try? JSONValue(parsing: text, as: .message),
            let head = try? value.value(of: UnitHead.self)
        else { throw UnitFileReader.damaged(name, "its head cannot be read") }
        self.head = head
        offset = Int64(start.count + text.count)
        sum = Checksum.ieee32.of((start + text)[...])
    }

    /// The next packet; nil at the end.
    mutating func next() throws(MediaError) -> Packet? {
        let letter = try take(1)
        guard letter == [UnitLayout.packet] else {
            guard letter == [UnitLayout.end] else { throw damaged("a packet does not begin as it should") }
            try end()
            return nil
        }
        let fields = try take(UnitLayout.packetFields - 1)
        func time(_ index: Int) -> Int64? {
            let time = UnitFileReader.number(fields[(8 * index)...], Int64.self)
            return time == UnitLayout.noTime ? nil : time
        }
        func field(_ index: Int) -> UInt32 { UnitFileReader.number(fields[(24 + 4 * index)...], UInt32.self) }
        let entries = Int(field(1))
        guard entries <= UnitLayout.mostEntries else { throw damaged("a packet has too much side data") }
        var sideData: [(type: UInt32, bytes: [UInt8])] = []
        for _ in 0..<entries {
            let entry = try take(8)
            let size = Int(UnitFileReader.number(entry[4...], UInt32.self))
            guard size <= UnitLayout.largestEntry else { throw damaged("a packet has too much side data") }
            sideData.append((UnitFileReader.number(entry[...], UInt32.self), try take(size)))
        }
        let bytes = try take(Int(field(2)))
        count += 1
        let packet = try media(.outOfMemory) { () throws(LibavError) in
            try Packet(bytes: bytes, flags: Int32(bitPattern: field(0)), sideData: sideData)
        }
        (packet.pts, packet.dts, packet.duration) = (time(0), time(1), time(2) ?? 0)
        return packet
    }

    /// Reads to the end: throws if anything is damaged.
    mutating func check() throws(MediaError) { while try next() != nil {} }

    /// Checks the end.
    private mutating func end() throws(MediaError) {
        let said = UnitFileReader.number(try take(8)[...], UInt64.self)
        let expected = sum
        let checksum = UnitFileReader.number(try take(4)[...], UInt32.self).byteSwapped
        guard said == count else { throw damaged("it has \(quantity(count, "packet")) and says \(said)") }
        guard checksum == expected else { throw damaged("its checksum is wrong") }
        guard offset == file.size else { throw damaged("something follows its end") }
    }

    /// The next bytes.
    private mutating func take(_ count: Int) throws(MediaError) -> [UInt8] {
        guard Int64(count) <= file.size - offset else { throw damaged("it is not complete") }
        var from = Int(offset - begin)
        if from + count > buffer.count {
            buffer = file.bytes(
                at: offset, count: min(max(count, UnitFileReader.piece), Int(file.size - offset)))
            (begin, from) = (offset, 0)
            guard buffer.count >= count else { throw damaged("it cannot be read") }
        }
        offset += Int64(count)
        let bytes = Array(buffer[from..<(from + count)])
        sum = Checksum.ieee32.updated(sum, over: bytes[...])
        return bytes
    }

    private static func number<Number: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>, _: Number.Type)
        -> Number
    {
        bytes.prefix(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    private func damaged(_ why: String) -> MediaError { UnitFileReader.damaged(name, why) }

    private static func damaged(_ name: UnitName, _ why: String) -> MediaError {
        MediaError(
            .inputOutput, "read \(name): its file is damaged: \(why)",
            remedy: "retry the job; check the disk")
    }
}
