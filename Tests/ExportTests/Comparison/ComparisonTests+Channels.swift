// Faults of single channels of audio, which sounds right where they are mixed to one.
import Export
import Media
import Testing

extension ComparisonTests {
    /// Changes to the audio of six channels with a sound each, and what is said of them.
    static let channelFaults: [(name: String, filter: String, code: String)] = [
        ("left and right are exchanged", "pan=5.1|FL=FR|FR=FL|FC=FC|LFE=LFE|BL=BL|BR=BR", "audioChannel"),
        ("the centre is at the left", "pan=5.1|FL=FC|FR=FR|FC=FL|LFE=LFE|BL=BL|BR=BR", "audioChannel"),
        ("the centre is silent", "pan=5.1|FL=FL|FR=FR|FC=0*FC|LFE=LFE|BL=BL|BR=BR", "audioMissing"),
        ("a part is silent", "volume=0:enable='between(t,0.3,0.7)'", "audioMissing"),
        ("nothing", "anull", ""), ("quieter", "volume=0.3", ""),
    ]

    @Test(arguments: ["aac", "pcm_s16le", "libopus"]) func whatIsWrongInOneChannelIsFound(_ codec: String)
        throws
    {
        let tones = [300, 500, 700, 60, 1100, 1300].map { "0.2*sin(\($0)*2*PI*t)" }.joined(separator: "|")
        let input = scratch.name("mkv")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "aevalsrc=\(tones):c=5.1:s=48000:d=2", "-c:a", "pcm_s16le", input,
        ])
        func wrong(_ filter: String) throws -> ComparisonReport {
            // Matroska leaves the priming of ffmpeg's AAC in.
            let file = scratch.name(codec == "aac" ? "mp4" : "mkv")
            try Tool.ffmpeg(["-i", input, "-af", filter, "-c:a", codec, "-b:a", "256k", file])
            return try compare(input, file) { _ in }
        }
        for (name, filter, code) in Self.channelFaults {
            let report = try wrong(filter)
            #expect(report.findings.map(\.code).filter { $0 != code }.isEmpty, "\(name): \(report.findings)")
            #expect(report.exact == code.isEmpty, "\(name)")
        }
        #expect(try wrong("volume=0.3").warnings.map(\.code) == [.loudnessChanged])
        #expect(try wrong("pan=stereo|c0=FL+FC|c1=FR+FC").warnings.map(\.code) == [.downmixed])
        #expect(try wrong("anull").warnings.isEmpty)
    }
}
