// Submissions that are taken and those that are refused, before a job has a number: each bad input of a user's gets its own word.
import Glibc
import JobQueue
import Media
import MediaTime
import Platform
import Testing
import Wire

@testable import trimd

@Suite struct SubmissionValidatorTests {
    let scratch: Scratch
    let film: String

    init() throws {
        scratch = try Scratch()
        film = try scratch.file("film.mov")
    }

    private func params(_ change: (inout SubmitParams) throws -> Void = { _ in }) rethrows -> SubmitParams {
        var params = SubmitParams(input: film)
        params.preset = .id("m4v720")
        try change(&params)
        return params
    }

    private func refusal(_ change: (inout SubmitParams) throws -> Void) throws -> MediaError {
        let params = try params(change)
        let validator = try validator()
        return try #require(#expect(throws: MediaError.self) { try validator.validate(params, ownAccess) })
    }

    @Test func theLeastThatCanBeSaid() throws {
        let validated = try validator().validate(SubmitParams(input: film), ownAccess)
        #expect(validated.request.preset.id == "passthrough")
        #expect(validated.request.fallback?.id == "highest")
        #expect(validated.request.render == .auto)
        #expect(validated.request.output == OutputTarget(folder: scratch.path, name: nil, stem: "film-trim"))
        #expect(validated.source.size == 4)
        #expect(try scratch.names() == ["film.mov"])
    }

    /// Several sources are opened and measured before the job is accepted.
    @Test func severalSources() throws {
        let other = try scratch.file("b.mov", "12345")
        func parts(_ paths: String...) -> [SourcePart] { paths.map { SourcePart($0) } }
        var params = SubmitParams(input: film)
        params.sources = parts(film, other, film)
        let validated = try validator().validate(params, ownAccess)
        #expect(validated.request.sources == params.sources && validated.request.sourceBytes == 4 + 5 + 4)
        #expect(validated.request.output.stem == "film-join")
        let missing = try refusal { $0.sources = parts(film, scratch.path + "/none.mov") }
        #expect(missing.code == .fileNotFound && missing.message.contains("none.mov"))
        let folder = try refusal { $0.sources = parts(film, scratch.path) }
        #expect(folder.code == .notARegularFile)
        #expect(validated.request.sourceIdentities?.count == 3)
        let relative = try refusal { $0.sources = parts(film, "b.mov") }
        #expect(relative.message.contains("the path of a source is not absolute"))
        let over = try refusal {
            $0.sources = parts(film, other)
            ($0.output, $0.overwrite, $0.preset) = (other, true, nil)
        }
        #expect(over.code == .outputIsInput)
        let first = try refusal { $0.sources = parts(other, film) }
        #expect(first.code == .invalidRequest && first.message.contains("the first of sources is \(other)"))
        #expect(try refusal { $0.sources = [] }.code == .invalidRequest)
        let many = try refusal { $0.sources = Array(repeating: SourcePart(film), count: 1001) }
        #expect(many.message.contains("1 to 1000 sources"))
        let twice = try refusal {
            $0.sources = [SourcePart(film, RangeRequest(end: .time(Time(1, 1)))), SourcePart(other)]
            $0.start = .time(Time(1, 1))
        }
        #expect(twice.message.contains("ranges of single sources"))
        let inverted = try refusal {
            $0.sources = [
                SourcePart(film),
                SourcePart(other, RangeRequest(start: .time(Time(2, 1)), end: .time(Time(1, 1)))),
            ]
        }
        #expect(inverted.code == .invalidTime)
    }

    /// Only a request that names neither a preset nor a way to copy is encoded where it cannot be copied.
    @Test(arguments: RenderMode.allCases) func whoAsksForCopiesGetsNoOther(render: RenderMode) throws {
        let validator = try validator()
        let unnamed = try validator.validate(
            params {
                $0.preset = nil
                $0.render = render
            }, ownAccess)
        #expect((unnamed.request.fallback == nil) == (render == .copy || render == .smart))
        let named = try validator.validate(
            params {
                $0.preset = .id("passthrough")
                $0.render = render
            }, ownAccess)
        #expect(named.request.fallback == nil)
    }

    /// The presets that write what was asked for are named.
    @Test func anExtensionThatIsNotThePresetsNamesThePresetsThatWriteIt() throws {
        let error = try refusal {
            $0.preset = nil
            $0.output = scratch.path + "/o.m4a"
        }
        #expect(error.code == .outputTypeNotValid)
        #expect(error.remedy == "use --preset highest or --preset m4a, or name it 'o.mov'")
    }

    @Test func aFolderAsOutputTakesAnOutputByTheUsualName() throws {
        let folder = try scratch.folder("folder")
        for path in [folder + "/", folder + "//"] {
            let validated = try validator().validate(params { $0.output = path }, ownAccess)
            #expect(validated.request.output == OutputTarget(folder: folder, name: nil, stem: "film-trim"))
        }
        #expect(try refusal { $0.output = scratch.path + "/missing/" }.code == .fileNotFound)
        #expect(try refusal { $0.output = film + "/" }.code == .notAFolder)
    }

    @Test func aNamedOutput() throws {
        let validated = try validator().validate(
            params {
                $0.output = scratch.path + "/Out.M4V"
                $0.overwrite = true
                $0.key = "k"
            }, ownAccess)
        #expect(validated.request.output.name == "Out.M4V")
        #expect(validated.request.output.overwrite)
        #expect(validated.request.key == "k")
    }

    @Test func inputs() throws {
        let pipe = scratch.pipe("pipe")
        let folder = try scratch.folder("folder")
        let wrong: [(String, ErrorCode)] = [
            (scratch.path + "/missing", .fileNotFound), (folder, .notARegularFile), (pipe, .notARegularFile),
            ("/dev/null", .notARegularFile), (film + "/x", .notAFolder), ("film.mov", .invalidRequest),
            ("", .invalidRequest), ("/a\0b", .invalidRequest),
            ("/" + String(repeating: "n", count: 300), .invalidRequest),
        ]
        for (path, code) in wrong { #expect(try refusal { $0.input = path }.code == code, "\(path)") }
    }

    @Test(.enabled(if: geteuid() != 0)) func rights() throws {
        let secret = try scratch.file("secret.mov", mode: 0)
        #expect(try refusal { $0.input = secret }.code == .permissionDenied)
        let closed = try scratch.folder("closed")
        try scratch.setMode("closed", 0o500)
        #expect(try refusal { $0.output = closed + "/o.m4v" }.code == .permissionDenied)
    }

    @Test func outputs() throws {
        try scratch.file("there.m4v")
        let folder = try scratch.folder("folder.m4v")
        try scratch.link("film.mov", "hard.m4v")
        try scratch.symlink("film.mov", "soft.m4v")
        let here = scratch.path
        let wrong: [(String, Bool, ErrorCode)] = [
            (here + "/there.m4v", false, .fileAlreadyExists), (folder, false, .fileAlreadyExists),
            (folder, true, .fileAlreadyExists), (here + "/..", false, .invalidRequest),
            (here + "/o.mkv", false, .outputTypeNotValid),
            (here + "/o", false, .outputTypeNotValid), (here + "/.m4v", false, .outputTypeNotValid),
            (here + "/none/o.m4v", false, .fileNotFound), (film + "/o.m4v", false, .notAFolder),
            ("o.m4v", false, .invalidRequest), (here + "/hard.m4v", true, .outputIsInput),
            (here + "/soft.m4v", true, .outputIsInput), (here + "/hard.m4v", false, .outputIsInput),
            (here + "/" + String(repeating: "n", count: 252) + ".m4v", false, .invalidRequest),
        ]
        for (path, overwrite, code) in wrong {
            let error = try refusal {
                $0.output = path
                $0.overwrite = overwrite
            }
            #expect(error.code == code, "\(path): \(error)")
        }
    }

    @Test func theRightTypesAreNamed() throws {
        let error = try refusal { $0.output = scratch.path + "/o.mkv" }
        #expect(error.message.contains(".m4v"))
        #expect(error.remedy == "name it 'o.m4v'")
    }

    @Test func times() throws {
        func code(_ start: String?, _ end: String?, _ duration: String? = nil) throws -> ErrorCode {
            try refusal {
                $0.start = try start.map { try TimeSpelling.parse($0) }
                $0.end = try end.map { try TimeSpelling.parse($0) }
                $0.duration = try duration.map { try TimeSpelling.parse($0) }
            }.code
        }
        #expect(try code("5", "5") == .invalidTime)
        #expect(try code("6", "5.5") == .invalidTime)
        #expect(try code(nil, "0") == .invalidTime)
        #expect(try code(nil, nil, "0") == .invalidTime)
        #expect(try code("1", "2", "3") == .invalidRequest)
        #expect(try refusal { $0.start = .time(Time(-1, 1)) }.code == .invalidTime)
        #expect(try refusal { $0.end = .time(.indefinite) }.code == .invalidTime)
    }

    @Test func checksThatNeedTheAssetAreLeftToTheWorker() throws {
        let validated = try validator().validate(
            params {
                $0.start = .frame(250)
                $0.end = .fromEnd(Time(30, 1))
            }, ownAccess)
        #expect(validated.request.start == .frame(250))
    }

    @Test func presets() throws {
        let error = try refusal { $0.preset = .id("m4v702") }
        #expect(error.code == .presetNotFound)
        #expect(error.remedy?.contains("m4v720") == true)
        let own = try preset("mine")
        #expect(
            try validator().validate(params { $0.preset = .preset(own) }, ownAccess).request.preset == own)
    }

    @Test func anotherSourceIsNoticed() throws {
        let then = try InputFile(opening: film).identity
        try InputFile(opening: film).check(against: then)
        try scratch.file("film.mov", "another film")
        let error = #expect(throws: MediaError.self) { try InputFile(opening: film).check(against: then) }
        #expect(error?.code == .sourceChanged)
    }
}
