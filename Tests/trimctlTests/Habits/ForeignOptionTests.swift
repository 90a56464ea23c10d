// Options of ffmpeg and HandBrake, typed out of habit: the usage error names ours.
import Media
import Testing

@testable import trimctl

@Suite struct ForeignOptionTests {
    private func error(_ words: [String]) throws -> MediaError {
        try #require(throws: MediaError.self) { _ = try Arguments.parse(words) }
    }

    private var export: CommandEntry { CommandTable.export }

    /// Each row is what a user of `export` reads.
    @Test(arguments: ForeignOption.all) func everyRowNamesAnOptionThatExists(row: ForeignOption) throws {
        let words = ["export", "in.mp4", row.spelling] + (row.value.map { [$0] } ?? [])
        let error = try error(words)
        #expect(error.code.exitCode == 2)
        #expect(error.message == "unknown option \(row.spelling)")
        let remedy = try #require(error.remedy)
        #expect(remedy == row.remedy(among: export.allOptions))
        let options = Set(CommandTable.entries.flatMap(\.allOptions).map(\.name))
        let named = remedy.split { !($0.isLetter || $0 == "-") }.filter { $0.hasPrefix("--") }
        // HandBrake's own spelling is quoted.
        for name in named where name != row.spelling {
            #expect(options.contains(String(name.dropFirst(2))), "\(name) in: \(remedy)")
        }
        guard !row.same.isEmpty else { return }
        #expect(row.same.contains { name in export.options.contains { $0.name == name } })
        #expect(remedy.hasPrefix("\(row.program.rawValue)'s \(row.spelling)"))
    }

    @Test func noRowHidesAnOther() {
        var seen: Set<[String?]> = []
        for row in ForeignOption.all {
            #expect(seen.insert([row.spelling, row.value]).inserted, "\(row.spelling) is there twice")
            if row.value != nil {
                #expect(!seen.contains([row.spelling, nil]), "\(row.spelling) comes too late")
            }
            #expect(
                !export.allOptions.contains { $0.spellings.contains(row.spelling) }, "\(row.spelling) is ours"
            )
        }
    }

    @Test(
        arguments: [
            (["-ss", "10"], "ffmpeg's -ss is --start here: a time of the source, before or after INPUT"),
            (["-to", "20"], "ffmpeg's -to is --end here: a time of the source"),
            (["-t", "10"], "ffmpeg's -t is --duration here: how long the output is to be"),
            (["-y"], "ffmpeg's -y is --overwrite here: nothing is replaced without it"),
            (["-n"], "leave it out: nothing is replaced without --overwrite"),
            (["-i", "in.mp4"], "name INPUT without an option: trimctl export in.mp4"),
            (
                ["-c", "copy"],
                "ffmpeg's -c copy is --render here: --render copy; without it only the ends are encoded"
            ),
            (
                ["-c:v", "copy"],
                "ffmpeg's -c:v copy is --render here: --render copy; without it only the ends are encoded"
            ),
            (["-an"], "ffmpeg's -an is --audio here: --audio none"),
            (["-vn"], "ffmpeg's -vn is --video here: --video none, or --preset m4a"),
            (
                ["-preset=fast"],
                "ffmpeg's -preset is --preset here: it names what to make, such as m4v720; how slowly an encoder works is part of it"
            ),
            (
                ["--start-at", "10"],
                "HandBrakeCLI's --start-at is --start here: --start 1:10, or --start 250f for a frame"
            ),
        ] as [([String], String)])
    func theCommonestHabits(words: [String], remedy: String) throws {
        #expect(try error(["export", "in.mp4"] + words).remedy == remedy)
        #expect(try error(["export"] + words + ["in.mp4"]).remedy == remedy)
    }

    /// These have more than one counterpart, and the best that the command has is named.
    @Test(arguments: ["-crf", "-vf", "-c:v", "-b:v", "-s"]) func theBestCounterpartIsNamed(word: String)
        throws
    {
        let remedy = try #require(try error(["export", "in.mp4", word, "20"]).remedy)
        #expect(remedy.hasPrefix("ffmpeg's \(word) is --"))
        let row = try #require(ForeignOption.row(of: word, before: "20"))
        let both = row.same.map { Option($0, "an option of that name") }
        #expect(row.remedy(among: both)?.hasPrefix("ffmpeg's \(word) is --\(row.same[0])") == true)
        #expect(row.remedy(among: []) == nil)
    }

    /// A command without a counterpart says what it says of any unknown option.
    @Test func otherCommandsNameTheirOwn() throws {
        #expect(
            try error(["frame", "in.mp4", "-ss", "10"]).remedy?.hasPrefix("ffmpeg's -ss is --at here") == true
        )
        #expect(try error(["list", "-crf", "20"]).remedy == "`trimctl list --help` lists them")
        #expect(try error(["export", "in.mp4", "-start", "1"]).remedy == "did you mean --start?")
    }
}
