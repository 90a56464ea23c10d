// Changing a movie's header wherever it lies: the media stays what it is.
import FoundationEssentials
import ISOMedia
import Libav
import Media
import Testing

@testable import Render

struct MovieEditTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func sums(_ file: String) throws -> [UInt8] {
        try Tool.ffmpeg(["-i", file, "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "framemd5", "-"])
            .split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }.flatMap { $0 }
    }

    /// The names of the boxes at the top of a file.
    private func boxes(_ file: String) throws -> [String] {
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: file)))
        return try #require(Box.list(bytes[...])).map(\.name)
    }

    /// With the header behind the media, before it, and before it with room behind.
    @Test(arguments: [[], ["-movflags", "+faststart"], ["-moov_size", "60000"]])
    func theMediaStaysWhatItIs(words: [String]) throws {
        let file = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "2") + Film.h264()
                + ["-c:a", "aac"] + words
        ).make(in: scratch)
        let before = try sums(file)
        let order = try boxes(file)
        let descriptor = try scratch.existing(file)
        for length in [10_000, 50, 30_000, 0] {
            var metadata = MovieMetadata()
            metadata.atoms = [
                ("©nam", .init(type: 1, bytes: Array("A film".utf8))),
                ("ldes", .init(type: 1, bytes: [UInt8](repeating: UInt8(ascii: "x"), count: length))),
            ]
            var edit = try #require(MovieEdit(SourceFile(descriptor: descriptor, name: "it")))
            edit.set(metadata)
            try edit.write()
            #expect(try sums(file) == before, "\(length)")
            let tags = try Carried.of(file).tags
            #expect(tags["title"] == "A film" && (tags["synopsis"] ?? "").count == length)
            #expect(try boxes(file).filter { $0 != "free" } == order.filter { $0 != "free" })
            if words.first == "-moov_size" {
                #expect(try Data(contentsOf: URL(filePath: file)).count > 60_000)
            }
        }
    }

    @Test func whatIsNoMovieIsLeftAlone() throws {
        #expect(MovieEdit(try scratch.source(bytes: [0, 0, 0, 4, 1, 2, 3, 4])) == nil)
        #expect(MovieEdit(try scratch.source(bytes: Box("moov", [1, 2, 3]).bytes)) == nil)
        #expect(Box(parsing: Box("udta", children: [Box("©nam", [1])]).bytes[...])?["©nam"]?.body == [1])
    }

    /// Media that moves beyond 32-bit offsets is still found there.
    @Test func offsetsBeyondFourGibibytesAreWritten() throws {
        let small = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "2") + Film.h264()
                + ["-c:a", "aac"]
        ).make(in: scratch)
        let file = scratch.name("mp4")
        try LargeMovie(small).writeIndexFirst(to: file)
        let descriptor = try scratch.existing(file)
        var metadata = MovieMetadata()
        metadata.atoms = [("©nam", .init(type: 1, bytes: Array("A long film".utf8)))]
        var edit = try #require(MovieEdit(SourceFile(descriptor: descriptor, name: "it")))
        edit.set(metadata)
        try edit.write()
        #expect(SourceFile(descriptor: descriptor, name: "it").size > 1 << 32)
        #expect(try sums(file) == sums(small))
        #expect(try Carried.of(file).tags["title"] == "A long film")
    }
}
