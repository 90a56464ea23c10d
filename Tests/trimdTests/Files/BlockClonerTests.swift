// An output is given blocks of its source, or copies of them where the file system refuses; never other bytes.
import Foundation
import Glibc
import JobQueue
import Media
import Platform
import Synchronization
import Testing
import Wire

@testable import trimd

@Suite struct BlockClonerTests {
    let scratch: Scratch
    private let bytes = Data(
        (0..<(BlockCloner.leastSource + 777)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) })

    init() throws {
        scratch = try Scratch()
        try bytes.write(to: URL(filePath: scratch.path + "/film.mp4"))
    }

    /// A file system that shares blocks, until a call: it copies them, and notes what it was asked for.
    private final class Disk: Sendable {
        let calls = Mutex<[ClonedRange]>([])
        let failing: (call: Int, code: Int32)?

        init(failing: (call: Int, code: Int32)? = nil) { self.failing = failing }

        var cloner: BlockCloner {
            BlockCloner { [self] (length, source, offset, file, place) throws(SystemError) in
                let count = calls.withLock {
                    $0.append(ClonedRange(output: place, source: offset, length: length))
                    return $0.count
                }
                if let failing, count >= failing.call {
                    throw SystemError("cloning", "blocks", code: failing.code)
                }
                _ = try Kernel.copy(length, of: source, at: offset, to: file, at: place)
            }
        }
    }

    private func output() throws -> OutputFile {
        let target = OutputTarget(folder: scratch.path, name: "out.mp4", stem: "out")
        return try OutputFile(target, job: 7, attempt: 1, source: try film().identity)
    }

    private func film() throws -> InputFile { try InputFile(opening: scratch.path + "/film.mp4") }

    private func contents(of file: borrowing OutputFile) throws -> Data {
        try Data(contentsOf: URL(filePath: scratch.path + "/" + file.temporaryName))
    }

    @Test func aTrialLeavesNothing() throws {
        let film = try film()
        let file = try output()
        let disk = Disk()
        let block = try file.cloneBlock(
            of: film.descriptor.rawValue, size: film.identity.size, by: disk.cloner)
        let size = try #require(block)
        #expect(size >= 4096 && size & (size - 1) == 0)
        #expect(disk.calls.withLock(\.self) == [ClonedRange(output: 0, source: 0, length: size)])
        #expect(try file.size() == 0)
        try file.discard()
    }

    @Test func noBlocksAreAskedForInVain() throws {
        let film = try film()
        let file = try output()
        let source = film.descriptor.rawValue
        #expect(try file.cloneBlock(of: source, size: BlockCloner.leastSource - 1, by: Disk().cloner) == nil)
        #expect(try file.cloneBlock(of: source, size: .max, by: .off) == nil)
        for code in [EOPNOTSUPP, EXDEV, EINVAL, ENOSPC, EIO] {
            let disk = Disk(failing: (1, code))
            #expect(try file.cloneBlock(of: source, size: film.identity.size, by: disk.cloner) == nil)
        }
        #expect(try file.size() == 0)
        try file.discard()
    }

    @Test func rangesAreGiven() throws {
        let film = try film()
        let file = try output()
        let disk = Disk()
        var given = BlockCloner.Given()
        for range in ranges {
            try file.give(range, of: film.descriptor.rawValue, by: disk.cloner, &given)
        }
        #expect(given == BlockCloner.Given(cloned: 24576))
        #expect(disk.calls.withLock(\.self) == ranges)
        try expectRanges(file)
        try file.discard()
    }

    private let ranges = [
        ClonedRange(output: 4096, source: 8192, length: 8192),
        ClonedRange(output: 65536, source: 1 << 20, length: 16384),
    ]

    private func expectRanges(_ file: borrowing OutputFile) throws {
        let own = try contents(of: file)
        for range in ranges {
            #expect(
                own[range.output..<(range.output + range.length)].elementsEqual(
                    bytes[range.source..<(range.source + range.length)]))
        }
    }

    /// Another file system, one that shares nothing, or not these blocks.
    @Test(arguments: [EOPNOTSUPP, EXDEV, EINVAL, ENOTTY, ENOSYS])
    func whatIsRefusedIsCopied(_ code: Int32) throws {
        let film = try film()
        let file = try output()
        let disk = Disk(failing: (2, code))
        var given = BlockCloner.Given()
        for range in ranges {
            try file.give(range, of: film.descriptor.rawValue, by: disk.cloner, &given)
        }
        #expect((given.cloned, given.copied) == (8192, 16384))
        #expect(given.reason == SystemError.reason(code))
        try expectRanges(file)
        try file.discard()
    }

    @Test(arguments: [
        (ENOSPC, ErrorCode.diskFull), (EDQUOT, .diskFull), (EIO, .inputOutput), (EROFS, .notWritable),
    ])
    func aDiskThatFailsIsAnError(_ code: Int32, _ expected: ErrorCode) throws {
        let film = try film()
        let file = try output()
        let disk = Disk(failing: (1, code))
        var given = BlockCloner.Given()
        do throws(MediaError) {
            try file.give(ranges[0], of: film.descriptor.rawValue, by: disk.cloner, &given)
            Issue.record("no error")
        } catch { #expect(error.code == expected) }
        #expect(given == BlockCloner.Given())
        try file.discard()
    }

    /// While it is exported, somebody makes the source shorter.
    @Test func aSourceThatBecomesShorterIsSaid() throws {
        let film = try film()
        let file = try output()
        try FileHandle(forWritingTo: URL(filePath: scratch.path + "/film.mp4")).truncate(atOffset: 10_000)
        var given = BlockCloner.Given()
        do throws(MediaError) {
            try file.give(ranges[0], of: film.descriptor.rawValue, by: .off, &given)
            Issue.record("no error")
        } catch { #expect(error.code == .sourceChanged) }
        try file.discard()
    }
}
