// A file that several checks look at is probed once.
import Glibc
import Libav
import Media
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct ProbedFileTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func anAssetIsReadOnce() throws {
        let input = try Film(name: "", type: "mp4", words: Film.noise(seconds: "1") + ["-c:a", "aac"]).make(
            in: scratch)
        let source = try scratch.source(input)
        let file = SourceFile(descriptor: try scratch.existing(input), size: source.size, name: source.name)
        let probed = ProbedFile(file)
        let asset = try probed.asset()
        #expect(asset.tracks.map(\.kind) == [.audio])
        // Now only an answer that was kept can be right.
        #expect(ftruncate(file.descriptor, 0) == 0)
        #expect(try probed.asset() == asset)
        #expect(throws: MediaError.self) { try ProbedFile(file).asset() }
    }

    @Test func anErrorIsKeptToo() throws {
        let probed = ProbedFile(try scratch.source(bytes: []))
        let first = #expect(throws: MediaError.self) { try probed.asset() }
        let second = #expect(throws: MediaError.self) { try probed.asset() }
        #expect(first == second)
    }
}
