// The library that makes a call of a program fail (Tests/FaultShim/faults.c), and the file in which a test names the call. The
// Makefile builds it, once for all tests of a run.
import Foundation
import Testing

/// One file of orders.
final class FaultShim {
    /// The fate of the call.
    enum Mode: Int32 {
        case off = 0
        /// The program is killed before it.
        case kill = 1
        /// It fails, and is not made.
        case fail = 2
        /// It is made, and fails all the same.
        case failAfter = 3
        /// It and all that follow fail, until the test disarms it.
        case failFrom = 4
    }

    /// The library; nil where nothing here can build it.
    static let library: String? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let make = Process()
        make.executableURL = URL(filePath: "/usr/bin/env")
        make.arguments = ["make", "-s", "shim"]
        make.currentDirectoryURL = root
        guard (try? make.run()) != nil else { return nil }
        make.waitUntilExit()
        return make.terminationStatus == 0 ? root.appending(path: ".build/faults.so").path : nil
    }()

    private static let size = 128
    private let path: String
    private let file: FileHandle

    /// Orders in a folder; none yet.
    init(in folder: URL) throws {
        path = folder.appending(path: "faults").path
        try Data(count: FaultShim.size).write(to: URL(filePath: path))
        file = try #require(FileHandle(forUpdatingAtPath: path))
    }

    /// The variables with which a program loads the library.
    func environment() throws -> [String: String] {
        // A program that dies need not say where: this is about what it leaves.
        [
            "LD_PRELOAD": try #require(FaultShim.library, "the library cannot be built"), "TRIM_FAULTS": path,
            "SWIFT_BACKTRACE": "enable=no",
        ]
    }

    /// Strikes the `number`th call from now on; `changing`: only those are counted that change something; `only`: those of a
    /// name.
    func arm(
        _ mode: Mode, call number: Int, code: Int32 = EIO, changing: Bool = false, only name: String = ""
    ) throws {
        try disarm()
        try write(
            Data(count: 64) + Data(name.utf8.prefix(31)) + Data(count: 32 - min(31, name.utf8.count)), at: 32)
        try write([Int64(0), Int64(number)], at: 0)
        try write([code, 0, changing ? 1 : 0], at: 20)
        try write([mode.rawValue], at: 16)
    }

    /// Strikes nothing, and counts nothing.
    func disarm() throws { try write([Mode.off.rawValue], at: 16) }

    /// The calls that were counted since it was armed.
    var count: Int { get throws { try read(0, 8).reversed().reduce(0) { $0 << 8 | Int($1) } } }

    /// The call that was struck; nil: it has not come to that.
    var struck: String? {
        get throws {
            guard try read(24, 4).contains(where: { $0 != 0 }) else { return nil }
            return String(decoding: try read(32, 64).prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private func write<Number: FixedWidthInteger>(_ numbers: [Number], at offset: UInt64) throws {
        let bytes = numbers.flatMap { number in
            stride(from: 0, to: Number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        try write(Data(bytes), at: offset)
    }

    private func write(_ data: Data, at offset: UInt64) throws {
        try file.seek(toOffset: offset)
        try file.write(contentsOf: data)
    }

    private func read(_ offset: UInt64, _ count: Int) throws -> Data {
        try file.seek(toOffset: offset)
        return try file.read(upToCount: count) ?? Data()
    }
}
