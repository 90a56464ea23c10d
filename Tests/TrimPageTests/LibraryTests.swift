// The files that the page may show, the parts of them that a browser asks for, and the previews that are kept.
import Foundation
import Media
import Testing

@testable import TrimPage

/// A folder that goes with the last reference to it.
final class Scratch {
    let path = FileManager.default.temporaryDirectory.path + "/page-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func file(_ name: String, _ text: String = "x") throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
        return path + "/" + name
    }
}

@Suite struct LibraryTests {
    @Test func aFolderShowsItsMediaOnly() throws {
        let scratch = try Scratch()
        for name in ["b.mp4", "a.MKV", "c.m4b", "notes.txt", ".hidden.mp4", "key.pem"] {
            try scratch.file(name)
        }
        let secret = try Scratch()
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/link.mp4", withDestinationPath: try secret.file("secret.mp4"))
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/folder.mp4", withIntermediateDirectories: true)
        let library = Library(files: [], folders: [scratch.path])
        #expect(library.items().map(\.name) == ["a.MKV", "b.mp4", "c.m4b"])
        #expect(library.holds(scratch.path + "/gone.mp4") && !library.holds(secret.path + "/secret.mp4"))
        #expect(!library.holds(scratch.path + "/folder/x.mp4"))
        for id in ["", "..", "/etc/passwd", "../" + secret.path, "0"] { #expect(library.item(id) == nil) }
        let item = try #require(library.items().first)
        #expect(library.item(item.id) == item)
        try scratch.file("a.MKV", "another")
        let other = try #require(library.item(item.id))
        #expect(other.version != item.version)
        // Size and time may be set back, and the bytes are others all the same.
        let time = try FileManager.default.attributesOfItem(atPath: other.path)[.modificationDate]
        let handle = try FileHandle(forWritingTo: URL(filePath: other.path))
        try handle.write(contentsOf: Data("changed".utf8))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: time as Any], ofItemAtPath: other.path)
        #expect(library.item(item.id)?.changed != other.changed)
    }

    @Test func aFileStandsForItselfAndOutputsAreAdded() throws {
        let scratch = try Scratch()
        let film = try scratch.file("film.bin")
        let other = try scratch.file("film-trim.mp4")
        let library = Library(files: [film], folders: [])
        #expect(library.items().map(\.path) == [film] && !library.holds(other))
        library.add(output: other)
        library.add(output: other)
        #expect(library.items().map(\.path) == [film, other] && library.holds(other))
        try FileManager.default.removeItem(atPath: film)
        #expect(library.items().map(\.path) == [other])
    }

    @Test func partsOfAFile() {
        for (header, first, count) in [
            ("bytes=0-", 0, 100), ("bytes=10-19", 10, 10), ("bytes=90-1000", 90, 10), ("bytes=-30", 70, 30),
            ("bytes=-300", 0, 100), ("bytes=99-99", 99, 1),
        ] as [(String, UInt64, UInt64)] {
            let range = ByteRange(header, size: 100)
            #expect(range?.first == first && range?.count == count, "\(header)")
        }
        for header in [
            "bytes=100-", "bytes=20-10", "bytes=-0", "bytes=", "bytes=-", "bytes=a-b", "items=0-1",
            "bytes=0-1,5-6",
            "bytes=99999999999999999999-", "bytes=0--5", "bytes=+1-2",
        ] {
            #expect(ByteRange(header, size: 100) == nil || header == "bytes=+1-2", "\(header)")
        }
        #expect(ByteRange("bytes=0-", size: 0) == nil)
    }

    @Test func theOldestPreviewsGoFirst() throws {
        let scratch = try Scratch()
        let folder = scratch.path + "/cache/page"
        let cache = PreviewCache(folder: folder, limit: 1000)
        for number in 0..<3 {
            cache.keep([UInt8](repeating: UInt8(number), count: 240), of: "\(number)")
            #expect(cache.bytes(of: "\(number)") == [UInt8](repeating: UInt8(number), count: 240))
        }
        cache.keep([1], of: "another")
        #expect(cache.bytes(of: "unknown") == nil)
        cache.keep([UInt8](repeating: 9, count: 251), of: "too large")
        #expect(cache.bytes(of: "too large") == nil)
        for number in 3..<30 { cache.keep([UInt8](repeating: 7, count: 240), of: "\(number)") }
        let sizes = try FileManager.default.contentsOfDirectory(atPath: folder).map {
            try #require(try FileManager.default.attributesOfItem(atPath: folder + "/" + $0)[.size] as? Int)
        }
        #expect(sizes.reduce(0, +) <= 1000 + 240 && !sizes.isEmpty)
        // The oldest use goes first, also within one second.
        let small = PreviewCache(folder: folder + "/small", limit: 1000)
        for number in 0..<4 { small.keep([UInt8](repeating: UInt8(number), count: 250), of: "\(number)") }
        #expect(small.bytes(of: "0") != nil)
        _ = PreviewCache(folder: folder + "/small", limit: 500)
        #expect((0..<4).map { small.bytes(of: "\($0)") != nil } == [true, false, false, true])
        let none = PreviewCache(folder: nil)
        none.keep([1], of: "a")
        #expect(none.bytes(of: "a") == nil)
    }
}

@Suite struct PageArgumentsTests {
    @Test func wordsOfTheCommandLine() throws {
        let words = ["--socket", "/s", "--keep", "--output", "/out", "--", "/films/a.mp4", "/films/-b.mp4"]
        let arguments = try PageArguments(words)
        #expect(
            arguments.socket == "/s" && arguments.isKept && !arguments.opens && arguments.output == "/out")
        #expect(arguments.paths == ["/films/a.mp4", "/films/-b.mp4"])
        for wrong in [
            [], ["--socket"], ["--socket", "/s"], ["--socket", "/s", "film.mp4"],
            ["--socket", "/s", "--listen", "/l", "/a"],
            ["--socket", "/s", "--nothing", "/a"],
        ] {
            #expect(throws: MediaError.self, "\(wrong)") { try PageArguments(wrong) }
        }
    }

    @Test func aListNamesFiles() throws {
        let scratch = try Scratch()
        let list = try scratch.file("list.txt", "# films\n\n a.mp4 \n/elsewhere/b.mp4\n")
        let arguments = try PageArguments(["--socket", "/s", list])
        let library = try arguments.library()
        #expect(
            library.holds(scratch.path + "/a.mp4") && library.holds("/elsewhere/b.mp4")
                && !library.holds(list))
        #expect(throws: MediaError.self) {
            try PageArguments(["--socket", "/s", scratch.path + "/none.mp4"]).library()
        }
    }
}
