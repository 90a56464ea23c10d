// Files of statistics in memory: written, renamed and read under their names by whoever opens files by name, bounded, and forgotten.
import Glibc
import Testing

@testable import Libav

struct PassLogTests {
    private func write(_ bytes: [UInt8], to name: String) -> Bool {
        guard let file = unsafe fopen(name, "wb") else { return false }
        let done = unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count
        return unsafe fclose(file) == 0 && done
    }

    private func read(_ name: String) -> [UInt8]? {
        guard let file = unsafe fopen(name, "rb") else { return nil }
        defer { unsafe fclose(file) }
        // As x264 does it: to the end, how far that is, and back.
        guard unsafe fseek(file, 0, SEEK_END) == 0 else { return nil }
        let count = unsafe ftell(file)
        guard count >= 0, unsafe fseek(file, 0, SEEK_SET) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe fread(&bytes, 1, count, file) == count ? bytes : nil
    }

    @Test func whatIsWrittenIsReadUnderItsNewName() throws {
        let log = try PassLog()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(!log.isComplete)
        #expect(write(bytes, to: log.file + ".temp"))
        #expect(!log.isComplete, "an unfinished file is none")
        #expect(unsafe rename(log.file + ".temp", log.file) == 0)
        #expect(log.isComplete)
        #expect(read(log.file) == bytes)
        #expect(read(log.file + ".temp") == nil)
        #expect(write([1, 2, 3], to: log.file), "what is written again takes the place of what was there")
        #expect(read(log.file) == [1, 2, 3])
        #expect(unsafe unlink(log.file) == 0)
        #expect(read(log.file) == nil)
        #expect(unsafe unlink(log.file) == -1 && errno == ENOENT)
    }

    @Test func eachLogHasItsOwnAndItGoesWithIt() throws {
        let other = try PassLog()
        #expect(write([9], to: other.file))
        let name: String
        do {
            let log = try PassLog()
            name = log.file
            #expect(write([1], to: name))
            #expect(read(other.file) == [9])
        }
        #expect(read(name) == nil)
        #expect(!write([1], to: name), "nobody owns the name any more")
        #expect(read(other.file) == [9])
    }

    @Test func thereIsNoMoreRoomThanThereIs() throws {
        let log = try PassLog()
        let piece = [UInt8](repeating: 1, count: 16 << 20)
        var count = 0
        while count < 40, write(piece, to: "\(log.file).\(count)") { count += 1 }
        #expect(count == PassLog.most / piece.count)
        // Earlier files stay as they are, and a removed one makes room.
        #expect(read("\(log.file).0")?.count == piece.count)
        #expect(unsafe unlink("\(log.file).0") == 0)
        #expect(write(piece, to: "\(log.file).more"))
    }

    @Test func otherNamesAreTheSystems() throws {
        let scratch = try Scratch()
        let (name, moved) = (scratch.name("txt"), scratch.name("txt"))
        #expect(write([4, 5], to: name))
        #expect(unsafe rename(name, moved) == 0)
        #expect(unsafe access(moved, R_OK) == 0 && access(name, R_OK) != 0)
        #expect(read(moved) == [4, 5])
        #expect(unsafe unlink(moved) == 0)
        #expect(unsafe fopen(name, "rb") == nil)
        #expect(unsafe rename(moved, name) == -1)
    }
}
