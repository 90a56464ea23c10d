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

    /// Movies describe AC-3 of the whole rates only, which FFmpeg's muxer finds out at the end.
    @Test(arguments: [(48_000, true), (32_000, true), (24_000, false), (22_050, false)])
    func moviesHoldAC3OfWholeRates(_ rate: Int, _ isHeld: Bool) throws {
        var track = Track(
            index: 0, kind: .audio, codec: "ac3", timebase: try #require(Timebase(perSecond: rate)))
        track.audio = AudioFormat(
            sampleRate: rate, channels: 2, channelLayout: "stereo", sampleFormat: "fltp", priming: 0)
        for type in [FileType.mov, .mp4, .m4a] { #expect(type.carries(track) == isHeld) }
        #expect(FileType.mka.carries(track))
    }
}
