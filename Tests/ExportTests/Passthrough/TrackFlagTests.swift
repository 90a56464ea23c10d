// Every flag, language and title of every container that FFmpeg writes, into every other, copied and encoded: kept, or named.
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct TrackFlagTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let flags = [
        "dub", "original", "comment", "lyrics", "karaoke", "forced", "hearing_impaired", "visual_impaired",
        "clean_effects", "captions", "descriptions",
    ]
    /// One flag, or role, says both.
    private static let alike = ["captions": "hearing_impaired", "descriptions": "visual_impaired"]

    /// A film with an audio track for each flag.
    private func film(_ type: String) throws -> String {
        let tracks = Self.flags.enumerated().flatMap { at, flag in
            [
                "-map", "1", "-disposition:a:\(at)", flag, "-metadata:s:a:\(at)", "language=fre",
                "-metadata:s:a:\(at)", "title=Track \(at)",
            ]
        }
        return try Film(
            name: "", type: type,
            words: Film.video(seconds: "1") + Film.noise(48_000, seconds: "1") + ["-map", "0"] + tracks
                + Film.h264() + ["-c:a", "aac", "-b:a", "48k"]
        ).make(in: scratch)
    }

    @Test(arguments: ["mp4", "mkv", "ts"]) func everythingThatATrackSaysIsKeptOrNamed(_ from: String) throws {
        let input = try film(from)
        let source = try Probe.asset(of: scratch.source(input)).tracks
        try #require(source.count { !Set($0.dispositions).isDisjoint(with: Self.flags) } > 2)
        for (id, type) in [
            ("passthrough", "mp4"), ("passthrough", "m4v"), ("passthrough", "mov"), ("passthrough", "mkv"),
            ("passthrough", "ts"), ("m4v480", "m4v"), ("vp9-720", "webm"), ("m4a", "m4a"), ("flac", "flac"),
        ] {
            let made = try export(input, id, in: scratch, type: type) {
                $0.render = id == "passthrough" ? .auto : .encode
                $0.output.name = "o.\(type)"
            }
            let found = try Probe.asset(of: scratch.source(made.file)).tracks
            for result in made.result.tracks {
                let old = try #require(source.first { $0.index == result.source })
                let new = try #require(found.first { $0.index == result.index })
                let comment = "track \(old.index) of .\(from) in .\(type)"
                func isNamed(_ what: String) -> Bool {
                    made.result.dropped.contains {
                        $0.track == old.index && $0.what.hasPrefix("\(what) of track")
                    }
                }
                for flag in old.dispositions where Self.flags.contains(flag) {
                    let other = Self.alike[flag] ?? Self.alike.first { $0.value == flag }?.key ?? flag
                    let isKept = !Set(new.dispositions).isDisjoint(with: [flag, other])
                    let isSaid = isNamed("flag '\(flag.replacing("_", with: "-"))'")
                    #expect(
                        isKept != isSaid, "\(flag): \(comment): \(new.dispositions) \(made.result.dropped)")
                }
                // Nothing is said that was not said before.
                for flag in new.dispositions where Self.flags.contains(flag) {
                    let other = Self.alike[flag] ?? Self.alike.first { $0.value == flag }?.key ?? flag
                    #expect(!Set(old.dispositions).isDisjoint(with: [flag, other]), "\(flag): \(comment)")
                }
                if let title = old.metadata["title"] {
                    #expect((new.metadata["title"] == title) != isNamed("title '\(title)'"), "\(comment)")
                }
                if let language = old.language, type != "flac" {
                    let isKept =
                        new.language.flatMap(LanguageCode.terminological)
                        == LanguageCode.terminological(language)
                    #expect(isKept != isNamed("language '\(language)'"), "\(comment): \(new.language ?? "-")")
                }
            }
            // A track that is not there is named itself.
            let kept = Set(made.result.tracks.map(\.source))
            for track in source where !kept.contains(track.index) {
                #expect(
                    made.result.dropped.contains { $0.track == track.index }, "\(track.index) in .\(type)")
            }
        }
    }
}
