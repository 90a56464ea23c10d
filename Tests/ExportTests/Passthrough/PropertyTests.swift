// Properties of an asset, requested one by one; counts checked with ffprobe.
import FoundationEssentials
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

struct PropertyTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ type: String) throws -> String {
        let list = try Carried.ffmetadata([("title", "A film")], chapters: [(0, 1000, "A")], in: scratch)
        return try Film(
            name: "", type: type,
            words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "2") + ["-i", list] + Film.h264()
                + ["-c:a", "aac", "-map", "0:v", "-map", "1:a", "-map_metadata", "2"]
        ).make(in: scratch)
    }

    private func states(_ asset: Asset) -> [AssetProperty: PropertyState.Status] {
        Dictionary(
            uniqueKeysWithValues: AssetProperty.allCases.compactMap { property in
                asset.properties?[property.rawValue].map { (property, $0.status) }
            })
    }

    @Test func eachIsLoadedOrNotAsked() throws {
        let source = try scratch.source(film("mp4"))
        for property in AssetProperty.allCases {
            let asset = try Probe.asset(of: source, properties: [property])
            for (other, status) in states(asset) {
                #expect(status == (other == property ? .loaded : .notAsked), "\(other) of \(property)")
            }
            #expect(asset.chapters.isEmpty == (property != .chapters))
            #expect((asset.metadata["title"] == "A film") == (property == .metadata))
            #expect((asset.duration == Time(2, 1)) == (property == .duration))
            #expect(asset.tracks.contains { $0.keyframes != nil } == (property == .keyframes))
            #expect(asset.tracks.contains { $0.syncSamples != nil } == (property == .keyframes))
            #expect(asset.tracks.contains { $0.frameCount != nil } == (property == .frameCounts))
        }
        let usual = try Probe.asset(of: source)
        #expect(usual.properties == nil && usual.tracks.allSatisfy { $0.frameCount == nil })
    }

    @Test(arguments: ["mp4", "mkv"]) func countsAreExact(type: String) throws {
        let file = try film(type)
        let asset = try Probe.asset(of: scratch.source(file), properties: [.frameCounts])
        let packets = try #require(try Carried.of(file, packets: true).packets)
        for track in asset.tracks where track.role == nil {
            let count = packets.filter { $0.stream_index == track.index }.count
            #expect(
                track.frameCount == Int64(count)
                    || track.kind == .audio && track.frameCount == Int64(count) - 1)
        }
        #expect(asset.tracks.first?.frameCount == 50)
    }

    @Test func oneThatFailsLeavesTheOthers() throws {
        let front = scratch.name("mp4")
        try Tool.ffmpeg(["-i", film("mp4"), "-c", "copy", "-movflags", "+faststart", front])
        let whole = try Data(contentsOf: URL(filePath: front))
        // The end of the file is missing: what was asked of the header is there all the same.
        let source = try scratch.source(bytes: [UInt8](whole.prefix(whole.count * 3 / 4)), name: "half.mp4")
        let asset = try Probe.asset(of: source, properties: [.metadata, .tracks, .frameCounts])
        #expect(asset.metadata["title"] == "A film")
        #expect(asset.tracks.filter { $0.role == nil }.count == 2)
        let state = try #require(asset.properties?["frameCounts"])
        #expect(state.status == .failed)
        #expect(state.error?.message.contains("breaks off") == true, "\(state)")
        #expect(asset.tracks.allSatisfy { $0.frameCount == nil })
    }

    @Test func itemsHaveTheirSpacesAndCommonNames() throws {
        for (type, space) in [
            ("mp4", KeySpace.iTunes), ("mov", .quickTimeUserData), ("mkv", .matroska), ("flac", .vorbis),
        ] {
            let file = scratch.name(type)
            let words =
                type == "flac" ? Film.noise(seconds: "1") : Film.video(seconds: "1") + Film.h264()
            try Tool.ffmpeg(words + ["-metadata", "album=Some", file])
            let items = try #require(try Probe.asset(of: scratch.source(file)).items)
            let item = try #require(items.first { $0.key.lowercased() == "album" })
            #expect(item.space == space && item.common == "albumName" && item.value == "Some", "\(item)")
        }
    }
}
