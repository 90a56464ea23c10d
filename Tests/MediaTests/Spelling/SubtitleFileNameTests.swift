// When a value of --burn-subtitles is a file, and not a track.
import Media
import Testing

@Suite struct SubtitleFileNameTests {
    @Test(arguments: [
        ("eng", false), ("3", false), ("default", false), ("pt-BR", false), ("eng,commentary", false),
        ("srt", false), ("words.srt", true), ("WORDS.ASS", true), ("a.ssa", true), ("a.vtt", true),
        ("./eng", true), ("/films/eng", true), ("media:/a.srt", true), ("a.sub", false), ("a.srt.txt", false),
    ])
    func aSlashOrAKnownEndMakesAFile(value: String, isFile: Bool) {
        var options = ExportOptions()
        options.burnSubtitles = value
        #expect(options.burnedFile == (isFile ? value : nil))
    }
}
