// The layout in which an encoder takes audio.
import Media
import Testing

struct ChannelLayoutTests {
    @Test func noLayoutIsTwice() {
        #expect(Set(ChannelLayout.known.map(\.name)).count == ChannelLayout.known.count)
        #expect(Set(ChannelLayout.known.map(\.speakers)).count == ChannelLayout.known.count)
    }

    @Test(arguments: [
        ("7.1", 8, "alac", 8, "5.1"), ("7.1", 8, "aac", 8, "7.1"), ("7.1", 8, "ac3", 6, "5.1(side)"),
        ("6.1", 7, "libopus", 8, "5.1"), ("5.1(side)", 6, "aac", 6, "5.1"),
        ("5.1(side)", 6, "flac", 8, "5.1(side)"),
        ("2.1", 3, "libopus", 8, "stereo"), ("3.1", 4, "alac", 8, "3.0"), ("3.1", 4, "libopus", 8, "3.0"),
        ("5.0", 5, "libopus", 8, "quad"),
        ("4.0", 4, "alac", 8, "4.0"), ("quad", 4, "alac", 8, "stereo"), ("6.0", 6, "ac3", 6, "5.0(side)"),
        ("5.1", 6, "aac", 2, "stereo"), ("5.1", 6, "libmp3lame", 2, "stereo"),
        ("mono", 1, "libmp3lame", 2, "mono"),
        ("stereo", 2, "aac", 1, "mono"), ("16 channels", 16, "pcm_s16le", 16, "16 channels"),
        ("9 channels", 9, "aac", 8, "7.1"),
        ("5 channels", 5, "libopus", 8, "quad"), ("8 channels", 8, "alac", 8, "5.1"),
        ("6.1", 7, "aac", 8, "5.1"),
    ])
    func itIsTheNearest(own: String, channels: Int, encoder: String, limit: Int, taken: String) {
        #expect(ChannelLayout.taken(own, channels: channels, limit: limit, by: encoder) == taken)
    }

    @Test(arguments: ["aac", "libopus", "alac", "ac3", "flac", "libmp3lame", "pcm_s16le"], 1...8)
    func channelsAreNeverRaised(_ encoder: String, _ limit: Int) {
        for own in ChannelLayout.known {
            let taken = ChannelLayout.taken(own.name, channels: own.speakers.count, limit: limit, by: encoder)
            let channels = ChannelLayout.named(taken)?.speakers.count
            #expect(channels.map { $0 <= min(limit, own.speakers.count) } == true, "\(own.name) \(taken)")
        }
    }
}
