// Faults of single channels of audio, which sounds right where they are mixed to one.
import Export
import FoundationEssentials
import Media
import MediaTime
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

    /// Floats may be infinite, or no number.
    @Test(arguments: [Float.infinity, Float.nan]) func samplesThatAreNoNumbersAreNoSound(_ value: Float)
        throws
    {
        let good = scratch.name("wav"), bad = scratch.name("wav")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "aevalsrc=0.2*sin(600*2*PI*t)|0.2*sin(900*2*PI*t):s=8000:d=4", "-c:a",
            "pcm_f32le", good,
        ])
        var bytes = Array(try Data(contentsOf: URL(filePath: good)))
        let data = try #require(bytes.firstRange(of: Array("data".utf8))).upperBound + 4
        // The right channel, from its second sample on.
        for place in stride(from: data + 12, to: bytes.count - 3, by: 8) {
            for byte in 0..<4 {
                bytes[place + byte] = UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32(byte)))
            }
        }
        try Data(bytes).write(to: URL(filePath: bad))
        for (source, output) in [(good, bad), (bad, good)] {
            let report = try compare(source, output) { _ in }
            #expect(!report.exact)
            _ = try JSONEncoder().encode(report)
        }
    }

    /// However quiet the source, or loud the output.
    @Test(arguments: [(-40.0, "-16"), (0.0, "-50")]) func aLoudnessThatWasAskedForIsNoFault(
        _ gain: Double, _ loudness: String
    ) throws {
        let input = scratch.name("wav")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i",
            "aevalsrc=0.4*sin(600*2*PI*t)|0.3*sin(900*2*PI*t):s=48000:d=4,volume=\(gain)dB", "-c:a",
            "pcm_s24le", input,
        ])
        let made = try export(input, "wav", in: scratch, type: "wav") {
            $0.options = ExportOptions()
            $0.options?.loudness = Double(loudness)
            $0.output.name = "out.wav"
        }
        let report = try compare(input, made.file) { _ in }
        #expect(report.exact, "\(report.findings)")
        #expect(report.warnings.map(\.code) == [.loudnessChanged])
    }

    /// At its lowest rates Opus stores one channel.
    @Test(arguments: [
        "anoisesrc=c=pink:d=4:r=48000,pan=stereo|c0=c0|c1=0*c0",
        "anoisesrc=c=pink:d=4:r=48000,pan=stereo|c0=.6*c0|c1=.4*c0",
    ])
    func channelsThatAreStoredAsOneAreNamed(_ sound: String) throws {
        let input = scratch.name("wav"), output = scratch.name("mka")
        try Tool.ffmpeg(["-f", "lavfi", "-i", sound, "-c:a", "pcm_s16le", input])
        try Tool.ffmpeg(["-i", input, "-c:a", "libopus", "-b:a", "12k", output])
        let report = try compare(input, output) { _ in }
        #expect(report.exact, "\(report.findings)")
        let lossless = scratch.name("flac")
        try Tool.ffmpeg(["-i", input, "-af", "pan=stereo|c0=c0|c1=c0", lossless])
        #expect(try compare(input, lossless) { _ in }.exact == !sound.contains("0*c0"))
    }

    /// Broadcasts change their channels between programs.
    @Test func channelsThatChangeAreMixedDown() throws {
        var bytes = Data()
        for layout in ["stereo", "5.1|FC=c0"] {
            let part = scratch.name("ac3")
            try Tool.ffmpeg(
                Film.noise(48_000, seconds: "2") + [
                    "-af", layout == "stereo" ? "aformat=channel_layouts=stereo" : "pan=\(layout)", "-c:a",
                    "ac3", part,
                ])
            bytes += try Data(contentsOf: URL(filePath: part))
        }
        let film = scratch.name("ac3")
        try bytes.write(to: URL(filePath: film))
        let made = try export(film, "m4a", in: scratch)
        let report = try compare(film, made.file) { _ in }
        #expect(report.exact, "\(report.findings)")
    }

    /// A recording that was not finished says nowhere how long it is.
    @Test func aFileWithoutADurationIsItself() throws {
        let film = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video(seconds: "2") + Film.noise(48_000, seconds: "2") + Film.h264() + [
                "-c:a", "pcm_s16le", "-live", "1", film,
            ])
        let report = try compare(film, film) { _ in }
        #expect(report.exact, "\(report.findings)")
    }

    /// Other sound in a part of the audio, away from its ends and its middle, in seconds.
    static let replaced: [ClosedRange<Double>] = [2.2...3.2, 7.6...8.4, 9...11.5]

    @Test(arguments: [("wav", "pcm_s16le"), ("m4a", "aac"), ("opus", "libopus"), ("mp3", "libmp3lame")])
    func otherSoundIsFoundWhereverItIs(_ type: String, _ codec: String) throws {
        let input = scratch.name("wav")
        try Tool.ffmpeg(
            ["-f", "lavfi", "-i", "anoisesrc=d=12:c=pink:r=48000:a=0.4:seed=3", "-c:a", "pcm_s16le", input])
        func report(_ filter: String) throws -> ComparisonReport {
            let file = scratch.name(type)
            try Tool.ffmpeg([
                "-i", input, "-f", "lavfi", "-i", "anoisesrc=d=12:c=pink:r=48000:a=0.4:seed=8",
                "-filter_complex", filter,
                "-map", "[o]", "-c:a", codec, "-b:a", "128k", file,
            ])
            return try compare(input, file) { _ in }
        }
        for part in Self.replaced {
            let isIn = "between(t,\(part.lowerBound),\(part.upperBound))"
            let found = try report(
                "[0]volume=0:enable='\(isIn)'[a];[1]volume=0:enable='not(\(isIn))'[b];[a][b]amix=normalize=0[o]"
            ).findings.filter { $0.code == "audioContent" }
            #expect(found.count == 1, "\(part)")
            #expect(found.first?.time.map { abs($0.seconds - part.lowerBound) < 0.3 } == true, "\(found)")
        }
        #expect(try !report("[0]volume=0.8[o]").findings.contains { $0.code == "audioContent" })
    }
}
