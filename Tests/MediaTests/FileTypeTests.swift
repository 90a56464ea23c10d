// File types: in sentences, and what they lose of a track.
import Media
import MediaTime
import Testing

@Suite struct FileTypeTests {
    /// A sentence lists a few types, and no more.
    @Test func typesAreListed() {
        #expect(FileType.choice(of: ["m4a"]) == ".m4a")
        #expect(FileType.choice(of: ["mp4", "mov"]) == ".mp4 or .mov")
        let all = FileType.allCases.map(\.rawValue)
        #expect(FileType.choice(of: all).hasSuffix(" and \(all.count - 3) others"))
    }

    /// In Ogg each packet is a tick long; ticks of other containers are finer than frames.
    @Test(arguments: [(30, 30, true), (30, 3, false), (25, 25, true), (1000, 25, true), (24_000, 24, true)])
    func oggHoldsFramesOfATick(_ perSecond: Int, _ rate: Int64, _ isHeld: Bool) throws {
        var format = VideoFormat(width: 320, height: 180, sampleAspect: Ratio(1))
        format.frameRate = Ratio(rate)
        var track = Track(
            index: 0, kind: .video, codec: "theora", timebase: try #require(Timebase(perSecond: perSecond)))
        track.video = format
        #expect(FileType.ogv.carries(track) == isHeld)
    }
}
