// Chained Ogg: links that follow one another in one file are one asset, whose ranges are exact in each link and across them.
import Export
import Foundation
import Media
import MediaTime
import Signals
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct ChainedOggTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Chain: CustomTestStringConvertible, Sendable {
        var name: String, type: String
        /// The words of each link; of two seconds.
        var links: [[String]]
        var testDescription: String { name }
    }

    static let chains = [
        Chain(name: "Vorbis", type: "ogg", links: [["-c:a", "libvorbis"], ["-c:a", "libvorbis"]]),
        Chain(
            name: "Vorbis of other headers", type: "ogg",
            links: [["-c:a", "libvorbis", "-q:a", "1"], ["-c:a", "libvorbis", "-q:a", "8"]]),
        Chain(
            name: "three links of Opus", type: "opus",
            links: [["-c:a", "libopus"], ["-c:a", "libopus"], ["-c:a", "libopus"]]),
        Chain(
            name: "FLAC", type: "oga",
            links: [["-c:a", "flac", "-f", "ogg"], ["-c:a", "flac", "-f", "ogg"]]),
    ]

    /// The samples of a file, as ffmpeg decodes it.
    private func samples(_ file: String) throws -> [Int16] {
        let bytes = try Tool.ffmpeg(["-i", file, "-f", "s16le", "-ac", "1", "-"])
        return Signals.samples(bytes)
    }

    private func make(_ chain: Chain) throws -> (film: String, samples: [Int16]) {
        var (bytes, all) = (Data(), [Int16]())
        for (index, words) in chain.links.enumerated() {
            let file = scratch.name(chain.type)
            try Tool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "anoisesrc=d=2:r=48000:a=0.5:seed=\(index)", "-ac", "1",
                    "-serial_offset", "\(index * 7)",
                ] + words + [file])
            bytes += try Data(contentsOf: URL(filePath: file))
            all += try samples(file)
        }
        let film = scratch.name(chain.type)
        try bytes.write(to: URL(filePath: film))
        return (film, all)
    }

    @Test(arguments: chains) func itsLengthIsThatOfAllLinks(_ chain: Chain) throws {
        let (film, samples) = try make(chain)
        let asset = try Probe.asset(of: try scratch.source(film).whole())
        #expect(samples.count == 96_000 * chain.links.count)
        #expect(asset.duration == Time(Int64(samples.count), 48_000))
    }

    /// In the first link, in the second, and across both.
    @Test(arguments: chains, [(1, 3), (5, 7), (3, 6)])
    func itsRangesAreExact(_ chain: Chain, _ halves: (Int, Int)) throws {
        let (film, samples) = try make(chain)
        let file = scratch.name("wav")
        var request = ExportRequest(
            input: film, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
            range: RangeRequest(
                start: .time(Time(Int64(halves.0), 2)), end: .time(Time(Int64(halves.1), 2))),
            preset: try preset("wav"))
        request.render = .encode
        _ = try Exporter(try scratch.source(film).whole(), request).run(
            output: try scratch.output(file), progress: { _ in }, log: { _ in })
        let expected = samples[halves.0 * 24_000..<halves.1 * 24_000]
        let found = try self.samples(file)
        #expect(found.count == expected.count)
        // Decoders of Opus that begin at another packet differ by their rounding, and for 80 ms by more.
        let far = zip(found, expected).filter { abs(Int($0) - Int($1)) > 400 }.count
        #expect(far < found.count / 100, "\(chain.name): \(far) of \(found.count) samples differ")
    }

    @Test func aRangeInOneLinkIsCopiedAndOneAcrossLinksIsNot() throws {
        let (film, samples) = try make(Self.chains[1])
        for (halves, way) in [((1, 3), RenderMode.copy), ((5, 7), .copy), ((3, 6), .encode)] {
            let file = scratch.name("ogg")
            var request = ExportRequest(
                input: film, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
                range: RangeRequest(
                    start: .time(Time(Int64(halves.0), 2)), end: .time(Time(Int64(halves.1), 2))),
                preset: try preset("passthrough"))
            request.render = .auto
            let result = try Exporter(try scratch.source(film).whole(), request).run(
                output: try scratch.output(file), progress: { _ in }, log: { _ in })
            #expect(result.tracks.first?.way == way)
            #expect(result.warnings.contains { $0.code == .encodedInstead } == (way == .encode))
            #expect(samples.count == 192_000)
        }
    }
}
