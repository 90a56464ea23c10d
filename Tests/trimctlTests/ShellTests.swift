// Completions and manual pages as texts, and the command behind completions. In real shells and formatters
// `Tests/Scripts/programs/test_shells.py` tries them.
import FoundationEssentials
import Media
import Testing
import Text
import Wire

@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct ShellTests {
    @Test(arguments: CompletionScript.shells) func everyOptionIsInEveryScript(shell: String) throws {
        let text = try #require(CompletionScript.text(for: shell))
        for entry in CommandTable.shown {
            #expect(text.contains(entry.name))
            for option in entry.allOptions {
                #expect(text.contains(option.name), "\(entry.name) \(option.name)")
            }
        }
        for entry in CommandTable.entries where entry.isHidden {
            #expect(!text.contains("\(entry.name))\n"))
        }
        #expect(CompletionScript.text(for: "tcsh") == nil)
    }

    @Test(arguments: CommandTable.shown) func everyPageSaysWhatHelpSays(entry: CommandEntry) {
        let page = CommandPages(version: "1").page(entry)
        for option in entry.allOptions {
            #expect(page.contains("\\fB" + Roff.plain("--\(option.name)") + "\\fR"))
            #expect(page.contains(Roff.marked(option.explanation)))
        }
        for example in entry.examples { #expect(page.contains(Roff.plain(example.command))) }
        for code in entry.exitCodes { #expect(page.contains(Roff.marked(code.meaning))) }
        #expect(CommandPages(version: "1").overview().contains(Roff.plain(CommandPages.name(entry))))
    }

    @Test(arguments: [
        ("`a-b`", "\\fBa\\-b\\fR"), ("well-known", "well-known"), ("a **loud** word", "a \\fBloud\\fR word"),
        ("[words](#there) on", "words on"), ("a\\b", "a\\eb"), ("`~/.x`", "\\fB\\(ti/.x\\fR"),
        ("5 ` alone", "5 \\(ga alone"),
        ("[start, end)", "[start, end)"), ("**`x`** y", "\\fBx\\fR y"),
    ]) func marksBecomeTheFormatters(text: String, expected: String) {
        #expect(Roff.marked(text) == expected)
    }

    @Test func aDocumentBecomesAPage() {
        let text = DocumentPage.text(
            """
            # Its kind

            A word,
            and on.

            ## Keys

            | key | how much | why |
            |---|---|---|
            | `a` | 1 | so |

            - one
              more
            - two

            ```
            .code -x
            ```
            """, name: "it", section: "5", version: "1")
        let wanted = """
            .SH "NAME"
            it \\- its kind
            .SH "DESCRIPTION"
            A word, and on.
            .SH "KEYS"
            .TP
            \\fBa\\fR
            how much: 1; why: so
            .IP \\(bu 2
            one more
            .IP \\(bu 2
            two
            .PP
            .RS 4
            .nf
            \\&.code \\-x
            .fi
            .RE

            """
        #expect(text.hasSuffix(wanted))
    }

    @Test func jobsAreOfferedToThoseWhoCanUseThem() throws {
        let rig = try Rig()
        let jobs: [JobReport] = [
            .sample(5, .waiting), .sample(4, .exporting), .sample(3, .failed), .sample(2, .held),
            .sample(1, .completed),
        ]
        let daemon = try FakeDaemon(rig.socket) { _, method, _ in
            guard method == .jobList else { throw RemoteError.notScripted(method.rawValue) }
            return try json(jobs)
        }
        defer { daemon.stop() }
        for (verb, ids) in [
            ("cancel", "542"), ("retry", "3"), ("hold", "54"), ("release", "52"), ("remove", "31"),
            ("show", "54321"),
        ] {
            let before = rig.lines.count
            #expect(rig.ask("complete", "jobs", verb) == 0)
            let found = rig.lines.dropFirst(before).compactMap { $0.split(separator: "\t").first }.joined()
            #expect(found == ids, "\(verb)")
        }
        #expect(rig.lines.last == "1\tcompleted, m4v720, in-trim.m4v")
        #expect(rig.err.isEmpty)
    }

    @Test func presetsAreThereWithoutADaemon() throws {
        let rig = try Rig()
        let folder = rig.folder + "/usr/share/trimd/presets"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Presets/m4v720.json")
        try Data(contentsOf: source).write(to: URL(filePath: folder + "/m4v720.json"))
        rig.program = rig.folder + "/usr/bin/trimctl"
        #expect(rig.ask("complete", "presets") == 0)
        #expect(rig.lines.contains("m4v720\tApple M4V 720p HD"))
        #expect(rig.ask("complete", "jobs") == 0)
        #expect(rig.err.isEmpty)
        // Presets are files: they are listed and shown, too.
        rig.environment["TRIMD_SOCKET"] = rig.socket
        #expect(
            rig.run(["presets"]) == 0 && rig.out.contains("AVAssetExportPresetAppleM4V720pHD"), "\(rig.err)")
        #expect(rig.run(["presets", "m4v720", "--json"]) == 0)
        #expect(try rig.lastJSON()["id"] == "m4v720")
        #expect(rig.run(["presets", "m4v7200"]) == 2 && rig.err.contains("'m4v720'"))
        // A daemon that is named is asked.
        #expect(rig.ask("presets") == 5)
    }

    @Test func pagesAreWritten() throws {
        let rig = try Rig()
        try Data("# Its title\n\nWords.\n".utf8).write(to: URL(filePath: rig.folder + "/it.md"))
        #expect(rig.run(["manual", "man", "it.x.7=it.md"]) == 0)
        let found = try FileManager.default.contentsOfDirectory(atPath: rig.folder + "/man/man1")
        #expect(found.count == CommandTable.shown.count + 1)
        #expect(found.contains("trimctl-export.1"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder + "/man/man7") == ["it.x.7"])
        #expect(rig.run(["manual", "man", "it"]) == 2)
        #expect(rig.run(["manual", "man", "it.7=nothing.md"]) != 0)
        #expect(rig.err.contains("nothing.md cannot be read"))
    }
}

extension CommandEntry: CustomTestStringConvertible {
    /// Its name; a whole entry is pages long.
    public var testDescription: String { name }
}
