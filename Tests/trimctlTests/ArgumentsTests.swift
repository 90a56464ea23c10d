// Laws of the parser, and every usage error.
import Media
import MediaTime
import Testing

@testable import trimctl

@Suite struct ArgumentsTests {
    private func parse(_ words: String...) throws -> Arguments {
        guard case .run(let arguments) = try Arguments.parse(words) else {
            throw MediaError(.unknown, "no command")
        }
        return arguments
    }

    private func error(_ words: [String]) throws -> MediaError {
        try #require(throws: MediaError.self) { _ = try Arguments.parse(words) }
    }

    @Test func bothWaysToGiveAValue() throws {
        for option in CommandTable.export.options {
            guard option.takesValue else { continue }
            let value: String
            switch option.kind {
            case .time, .tolerance: value = "1:10"
            case .range: value = "1:10..-30"
            case .chapter: value = "1:10=Opening"
            case .chapterRange: value = "2..4"
            case .job: value = "3"
            // A delay counts from the moment it is read.
            case .future: value = "2999-12-31T23:59:59Z"
            case .count(let range): value = "\(range.lowerBound)"
            default: value = option.choices?.first ?? "x"
            }
            let apart = try parse("export", "in", "--\(option.name)", value)
            #expect(try parse("export", "in", "--\(option.name)=\(value)") == apart)
            #expect(try parse("export", "--\(option.name)", value, "in") == apart)
            #expect(apart.has(option))
        }
    }

    @Test func orderOfOptionsDoesNotMatter() throws {
        let one = try parse("export", "in", "-o", "out", "--start", "1", "--overwrite")
        #expect(try parse("export", "--overwrite", "--start", "1", "--output=out", "in") == one)
    }

    @Test(arguments: ["-30", "-1:10", "-10.5", "end-30", "end", "250f", "01:00:10;12", "441000/44100"])
    func timesAreValuesWhateverTheyBeginWith(text: String) throws {
        let expected = try TimeSpelling.parse(text)
        #expect(try parse("export", "in", "--start", text).time(.start) == expected)
        #expect(try parse("export", "in", "--start=\(text)").time(.start) == expected)
    }

    /// Of `join`, a range belongs to the INPUT before it, and each INPUT may have one.
    @Test func rangesBelongToTheInputBeforeThem() throws {
        let join = try parse(
            "join", "a", "--keep", "1..3", "--keep=5..6", "b", "-o", "out", "c", "--start", "-10", "--strict")
        #expect(join.texts == ["a", "b", "c"])
        #expect(join.own(ofInput: 0).range.keep == [try .parse("1..3"), try .parse("5..6")])
        #expect(join.own(ofInput: 1).range == RangeRequest())
        #expect(join.own(ofInput: 2).range == RangeRequest(start: try TimeSpelling.parse("-10")))
        #expect(join.range == RangeRequest() && join.given(.output) == "out" && join.has(.strict))
        // Before the first they are those of all.
        let all = try parse("join", "--end", "9", "a", "--end", "3", "b")
        #expect(try all.range.end == .parse("9") && all.own(ofInput: 0).range.end == .parse("3"))
        #expect(try error(["join", "a", "--end", "1", "--end", "2", "b"]).message == "--end is given twice")
        let both = try error(["join", "a", "--keep", "1..2", "--start", "2", "b"])
        #expect(both.message == "--keep and --start exclude each other; give one", "\(both.message)")
        #expect(try parse("join", "a", "--keep", "1..2", "b", "--start", "2").texts.count == 2)
    }

    @Test func whatIsKeptOnlyIsWhatIsNotRemoved() throws {
        let only = try parse("export", "in", "--start", "1", "--keep-only", "program").range
        #expect(try parse("export", "in", "--start", "1", "--remove", "not-program").range == only)
        let both = try parse("sheet", "in", "--keep-only=program", "--remove", "5..9").range
        #expect(both.remove == [try .parse("5..9"), RangeSpelling(.notProgram)])
        #expect(try parse("probe", "in", "--variant", "2").variant() == "2")
        #expect(throws: MediaError.self) { try parse("probe", "in", "--variant", "best").variant() }
    }

    @Test func dashesEndTheOptions() throws {
        #expect(try parse("export", "--", "--start").texts == ["--start"])
        #expect(try parse("export", "-o", "-x.m4v", "-").texts == ["-"])
        #expect(try parse("export", "-o", "-x.m4v", "in").given(.output) == "-x.m4v")
        #expect(try parse("export", "--output=--json", "in").given(.output) == "--json")
    }

    @Test func defaultsAreNotGiven() throws {
        let arguments = try parse("export", "in")
        #expect(arguments.text(.render) == "auto")
        #expect(arguments.given(.render) == nil)
        #expect(arguments.time(.start) == nil)
        #expect(!arguments.has(.json))
    }

    @Test func jobsAreNumbersEachOnce() throws {
        #expect(try parse("wait", "5", "6", "5").jobs == [5, 6])
        #expect(try parse("watch").jobs.isEmpty)
        #expect(try parse("list", "--after", "7", "--limit=3").number(.limit) == 3)
    }

    @Test func fileTypesAreNormalised() throws {
        #expect(try parse("check", "in", "--type", ".MP4").given(.type) == "mp4")
    }

    @Test func helpAndVersion() throws {
        #expect(try Arguments.parse(["--help"]) == .help(nil))
        #expect(try Arguments.parse(["-h"]) == .help(nil))
        #expect(try Arguments.parse(["help"]) == .help(nil))
        #expect(try Arguments.parse(["help", "probe"]) == .help(CommandTable.probe))
        #expect(try Arguments.parse(["--version"]) == .version(asJSON: false))
        for entry in CommandTable.entries {
            #expect(try Arguments.parse([entry.name, "--help"]) == .help(entry))
            #expect(try Arguments.parse([entry.name, "x", "-h"]) == .help(entry))
        }
    }

    @Test(
        arguments: [
            ([], "a command is missing; `trimctl --help` lists them"),
            (["exprt"], "unknown command 'exprt'; did you mean `trimctl export`?"),
            (["help", "prbe"], "unknown command 'prbe'; did you mean `trimctl probe`?"),
            (["quux"], "unknown command 'quux'; `trimctl --help` lists the commands"),
            (["--versoin"], "unknown option --versoin; did you mean --version?"),
            (
                ["--json", "list"],
                "--json is before the command; write trimctl list first, then its options"
            ),
            (["export", "in", "--prest", "a"], "unknown option --prest; did you mean --preset?"),
            (["export", "in", "--prest=a"], "unknown option --prest; did you mean --preset?"),
            (["export", "in", "-start", "1"], "unknown option -start; did you mean --start?"),
            (["export", "in", "-qz.m4v"], "unknown option -qz.m4v; `trimctl export --help` lists them"),
            (["export", "in", "-oz.m4v"], "unknown option -oz.m4v; did you mean -o z.m4v? (-o is --output)"),
            (["list", "--standalone"], "unknown option --standalone; `trimctl list --help` lists them"),
            (
                ["export"],
                "INPUT is missing; for example: trimctl export in.mov --start 10 --end 70 --preset m4v720"
            ),
            (["wait"], "ID is missing; for example: trimctl wait 5 6"),
            (["export", "in", "--start"], "--start needs a value: --start T; see `trimctl export --help`"),
            (
                ["export", "in", "--start", "--end", "5"],
                "--start needs a value: --start T; see `trimctl export --help`"
            ),
            (["export", "in", "-o", "--", "x"], "-o needs a value: -o OUTPUT; see `trimctl export --help`"),
            (["export", "in", "--json=yes"], "--json takes no value; see `trimctl export --help`"),
            (
                ["export", "in", "-o", "a", "--output", "b"],
                "--output is given twice; see `trimctl export --help`"
            ),
            (["export", "in", "-o", ""], "-o is empty"),
            (["export", ""], "INPUT is empty"),
            (
                ["probe", "my", "film.mov"],
                "'film.mov' is one argument too many; a name with spaces needs quotes; see `trimctl probe --help`"
            ),
            (["status", "now"], "'now' is one argument too many; see `trimctl status --help`"),
            (
                ["export", "in", "--end", "5", "--duration", "3"],
                "--end and --duration exclude each other; give one; see `trimctl export --help`"
            ),
            (
                ["export", "in", "--standalone", "--detach"],
                "--standalone and --detach exclude each other; give one; see `trimctl export --help`"
            ),
            (
                ["export", "in", "--render", "smrt"],
                "--render: 'smrt' is not one of its values; did you mean smart? (it is auto, copy, smart or encode)"
            ),
            (
                ["export", "in", "--progress", "wheel"],
                "--progress: 'wheel' is not one of its values; it is auto, bar, plain, json or none"
            ),
            (["show", "five"], "ID: 'five' is not a job ID; `trimctl list` shows them"),
            (["show", "0"], "ID: '0' is not a job ID; `trimctl list` shows them"),
            (["list", "--limit", "0"], "--limit: '0' is not a number from 1 to 1000"),
            (["check", "in", "--type", "."], "--type is empty; write an extension, such as mp4"),
        ] as [([String], String)])
    func usageErrors(words: [String], text: String) throws {
        let error = try error(words)
        #expect(error.description == text)
        #expect(error.code.exitCode == 2)
    }

    @Test(arguments: ["tomorrow", "1:2:3:4:5", "", "1e3", "--", "10x"]) func wrongTimes(text: String) throws {
        let error = try error(["export", "in", "--start=\(text)"])
        #expect(error.code == .invalidTime)
        #expect(error.code.exitCode == 2)
        #expect(error.message.hasPrefix("--start: "))
    }

    @Test func everyMistypedOptionFindsItsName() throws {
        for entry in CommandTable.entries {
            for option in entry.options where option.name.count > 4 {
                var name = option.name
                name.removeLast()
                let error = try error([entry.name, "--\(name)"])
                #expect(error.remedy == "did you mean --\(option.name)?", "\(entry.name) --\(name)")
            }
        }
    }
}
