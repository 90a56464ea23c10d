// The file of ranges beside a film: written whole, and never over what somebody else wrote there; pictures are kept by keys alone.
import Foundation
import Lists
import Media
import Testing

@testable import TrimPage

@Suite struct EditFileTests {
    @Test func namesAreThoseOfLosslessCut() {
        #expect(EditFile(of: "/films/a.b.mp4", .llc, in: nil).name == "a.b-proj.llc")
        #expect(EditFile(of: "/films/plain", .csv, in: "/out/").name == "plain-cuts.csv")
        #expect(EditFile(of: "/films/.mp4", .edl, in: nil).name == ".mp4-cuts.edl")
    }

    @Test func nothingOfOthersIsReplaced() throws {
        let scratch = try Scratch()
        let file = EditFile(of: scratch.path + "/film.mp4", .llc, in: nil)
        #expect(try file.read() == nil)
        let first = try file.write("one", replacing: nil)
        #expect(try file.read()?.bytes == Array("one".utf8) && file.read()?.version == first)
        #expect(throws: MediaError.self) { try file.write("two", replacing: nil) }
        let second = try file.write("two", replacing: first)
        #expect(second != first)
        try scratch.file("film-proj.llc", "of LosslessCut")
        for known in [nil, first, second] {
            #expect(throws: MediaError.self) { try file.write("three", replacing: known) }
        }
        let there = try #require(try file.read())
        #expect(there.bytes == Array("of LosslessCut".utf8))
        _ = try file.write("three", replacing: there.version)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["film-proj.llc"])
    }

    @Test func aLinkIsNeitherReadNorReplaced() throws {
        let scratch = try Scratch()
        let secret = try scratch.file("secret", "secret")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/film-proj.llc", withDestinationPath: secret)
        let file = EditFile(of: scratch.path + "/film.mp4", .llc, in: nil)
        #expect(throws: MediaError.self) { try file.read() }
        #expect(throws: MediaError.self) { try file.write("x", replacing: nil) }
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
    }

    @Test func picturesHaveKeys() throws {
        let scratch = try Scratch()
        let folder = ArtworkFolder(scratch.path + "/artwork")
        let picture = HTTPRequest(method: "POST", path: "/", body: [0xFF, 0xD8, 0xFF, 0xE0, 1, 2])
        let key = try folder.keep(picture)
        #expect(try FileManager.default.contents(atPath: folder.path(of: key)) == Data(picture.body))
        for wrong in [
            "", "../" + key, key + "x", "x" + key.dropFirst(), "/etc/passwd", "../../../../../etc/hosts.jpg",
        ] {
            #expect(throws: MediaError.self, "\(wrong)") { try folder.path(of: wrong) }
        }
        for body in [[], Array("<svg>".utf8), [0xFF, 0xD8]] as [[UInt8]] {
            #expect(throws: MediaError.self) {
                try folder.keep(HTTPRequest(method: "POST", path: "/", body: body))
            }
        }
        #expect(throws: MediaError.self) { try ArtworkFolder(nil).keep(picture) }
    }

    @Test func picturesThatWereNotUsedForLongestGo() throws {
        let scratch = try Scratch()
        let folder = ArtworkFolder(scratch.path + "/artwork", limit: 1000)
        func keep() throws -> String {
            let body = [0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 1, count: 236)
            return try folder.keep(HTTPRequest(method: "POST", path: "/", body: body))
        }
        let keys = try (0..<4).map { _ in try keep() }
        // Clocks of files are coarse.
        for (number, key) in keys.enumerated() {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: Double(number) - 100)],
                ofItemAtPath: scratch.path + "/artwork/" + key)
        }
        // An export uses the first: it stays, and the second goes.
        #expect(try folder.picture(of: keys[0]).bytes.count == 240)
        let fifth = try keep()
        func kept() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/artwork"))
        }
        #expect(try kept() == [keys[0], keys[2], keys[3], fifth])
        // So where the page is started with less.
        _ = ArtworkFolder(scratch.path + "/artwork", limit: 480)
        #expect(try kept() == [keys[0], fifth])
    }
}
