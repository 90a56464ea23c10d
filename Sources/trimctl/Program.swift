// Runs a command line and returns its exit code: parses it, chooses the command, and reports errors, which happens only here. The
// commands themselves are in Commands.
internal import Media
internal import MediaTime
internal import Platform
internal import TrimClient
internal import Wire

/// The program.
enum Program {
    /// Runs the command line of this process.
    static func main() -> Int32 {
        let surroundings = Surroundings.ofProcess()
        surroundings.interrupts.install()
        return run(Kernel.words, in: surroundings)
    }

    /// Runs a command line; the answer is the exit code.
    static func run(_ words: [String], in surroundings: Surroundings) -> Int32 {
        var surroundings = surroundings
        surroundings.words = words
        do throws(MediaError) {
            switch try Arguments.parse(words) {
            case .help(let entry):
                let help = Help(width: surroundings.console.width)
                surroundings.console.print(entry.map(help.page) ?? help.overview())
                return 0
            case .topic(let topic):
                surroundings.console.print(topic.page)
                return 0
            case .version(let asJSON):
                if asJSON {
                    surroundings.console.json(version(in: surroundings))
                } else {
                    surroundings.console.print("trimctl \(trimdVersion)")
                }
                return 0
            case .run(let arguments):
                if StandardStreams(arguments).writesOutput { surroundings = surroundings.diverted }
                let code: Int32
                do throws(MediaError) {
                    code = try arguments.entry.command(arguments, surroundings).run()
                } catch {
                    let takesFiles = arguments.entry.positionals.contains {
                        $0.kind == .inputFile
                    }
                    throw MissingFile.advised(
                        error, inputs: takesFiles ? arguments.texts.map(surroundings.absolute) : [])
                }
                // A reader who has seen enough is no failure; a result that could not be written is.
                if code == 0, let failure = surroundings.console.failure, failure != Terminal.brokenPipe {
                    throw MediaError(.inputOutput, "writing the result: \(SystemError.reason(failure))")
                }
                return code
            }
        } catch {
            surroundings.console.report(error, asJSON: wantsJSON(words))
            return error.code.exitCode
        }
    }

    /// The version of this program, and of the FFmpeg that the worker of its installation runs on.
    private static func version(in surroundings: Surroundings) -> VersionReport {
        let worker: VersionReport? = InstalledProgram.path(
            of: "trim-worker", beside: surroundings.program, in: surroundings.environment
        ).flatMap { try? WorkerReport.read($0, ["--version"], within: 10_000) }
        return VersionReport(ffmpeg: worker?.ffmpeg, encoders: worker?.encoders)
    }

    /// JSON is wanted, as far as the words say that could not be parsed otherwise.
    private static func wantsJSON(_ words: [String]) -> Bool {
        let options = words.prefix { $0 != "--" }
        return options.contains("--json") || options.contains("--progress=json")
            || zip(options, options.dropFirst()).contains { $0 == ("--progress", "json") }
    }
}
