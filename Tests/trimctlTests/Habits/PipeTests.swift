// `-` as INPUT and as OUTPUT, against a scripted daemon: what goes into its spool and comes out, and what is refused before.
import Dispatch
import FoundationEssentials
import Glibc
import Media
import Platform
import Synchronization
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct PipeTests {
    /// The files of a daemon's spool.
    private final class Spooled: Sendable {
        let input = Mutex<[UInt8]>([])
        let output: [UInt8]
        init(_ output: [UInt8]) { self.output = output }
    }

    private static let folder = "/state/spool/7-a/"

    /// A daemon whose job ends as said, with this output.
    private func daemon(_ path: String, _ spooled: Spooled, _ end: JobStatus = .completed) throws
        -> FakeDaemon
    {
        try FakeDaemon(path) { daemon, method, params in
            switch method {
            case .spoolOpen:
                return try json(
                    SpoolResult(folder: Self.folder, input: Self.folder + "stdin", limit: 1 << 30))
            case .spoolWrite:
                let write = try params.decode() as SpoolWriteParams
                let data = try #require(Data(base64Encoded: write.data))
                return try json(
                    spooled.input.withLock {
                        $0 += data
                        return SpoolWritten(bytes: Int64($0.count))
                    })
            case .spoolRead:
                let read = try params.decode() as SpoolReadParams
                #expect(read.path == Self.folder + "stdin-trim.mp4")
                let piece = spooled.output.dropFirst(Int(read.offset)).prefix(100_000)
                return try json(SpoolPiece(data: Data(piece).base64EncodedString()))
            case .jobSubmit: return try json(JobReport.sample())
            case .jobWatch:
                var job = JobReport.sample(1, end, progress: end == .completed ? 1 : 0.5)
                job.output = Self.folder + "stdin-trim.mp4"
                return try json([job])
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    /// A pipe, whose ends are closed once each.
    private final class Pipe {
        let reading: Int32, writing: Int32
        private var isOpen = (reading: true, writing: true)

        init() throws {
            var pipe = try Descriptor.pipe()
            reading = pipe.takeFirst()?.release() ?? -1
            writing = pipe.takeSecond()?.release() ?? -1
        }

        func closeWriting() {
            if isOpen.writing { close(writing) }
            isOpen.writing = false
        }

        func closeReading() {
            if isOpen.reading { close(reading) }
            isOpen.reading = false
        }

        deinit {
            closeReading()
            closeWriting()
        }
    }

    /// Reads a pipe to its end, on a thread of its own.
    private final class Reader: Sendable {
        private let thread: DispatchGroup
        private let bytes = Mutex<[UInt8]>([])

        init(_ raw: Int32) throws {
            let copy = try Descriptor.duplicating(raw).release()
            thread = DispatchGroup()
            DispatchQueue.global().async(group: thread) { [self] in
                let pipe = Descriptor(adopting: copy)
                while let piece = try? Kernel.read(pipe, 1 << 16), !piece.isEmpty {
                    bytes.withLock { $0 += piece }
                }
            }
        }

        func all() -> [UInt8] {
            thread.wait()
            return bytes.withLock(\.self)
        }
    }

    private func media(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    }

    @Test func bytesGoThroughTheSpoolUnchanged() throws {
        let rig = try Rig()
        let (source, result) = (media(1_300_000), media(700_001))
        let spooled = Spooled(result)
        let daemon = try daemon(rig.socket, spooled)
        defer { daemon.stop() }
        try Data(source).write(to: URL(filePath: rig.folder + "/in"))
        let input = try Descriptor(opening: rig.folder + "/in", O_RDONLY)
        let pipe = try Pipe()
        let reader = try Reader(pipe.reading)
        (rig.input, rig.output) = (input.rawValue, pipe.writing)
        #expect(rig.ask("export", "-", "-o", "-", "--end", "10", "--type", "mp4") == 0, "\(rig.err)")
        pipe.closeWriting()
        #expect(reader.all() == result)
        #expect(spooled.input.withLock(\.self) == source)
        let sent: SubmitParams = try #require(daemon.calls(.jobSubmit).first).decode()
        #expect(sent.input == Self.folder + "stdin")
        #expect(sent.output == Self.folder + "stdout.mp4")
        #expect(sent.options?.optimize == true)
        // Not a word is on stdout, and none names a file of the spool.
        #expect(rig.out.isEmpty)
        #expect(rig.err.hasPrefix("-\n") || rig.err.contains("\n-\n"), "\(rig.err)")
        #expect(!rig.err.contains("spool"))
        _ = consume input
    }

    @Test func underJSONTheResultGoesToStderr() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, Spooled(media(10)))
        defer { daemon.stop() }
        let output = try Descriptor(opening: rig.folder + "/out", O_WRONLY | O_CREAT)
        rig.output = output.rawValue
        #expect(rig.ask("export", "in.mp4", "-o", "-", "--json") == 0)
        #expect(rig.out.isEmpty)
        let job = try JSONValue(
            parsing: Array(rig.err.split(separator: "\n").last.map { String($0).utf8 } ?? "".utf8))
        #expect(job["status"] == "completed" && job["output"] == "-")
        let written = FileManager.default.contents(atPath: rig.folder + "/out")
        #expect(written.map(Array.init) == media(10))
        _ = consume output
    }

    /// As in `| head`: nobody is told of it.
    @Test func aReaderThatHasGoneEndsItQuietly() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, Spooled(media(2_000_000)))
        defer { daemon.stop() }
        signal(SIGPIPE, SIG_IGN)
        let pipe = try Pipe()
        pipe.closeReading()
        rig.output = pipe.writing
        #expect(rig.ask("export", "in.mp4", "-o", "-", "-q") == 0)
        #expect(rig.err.isEmpty && rig.out.isEmpty)
        #expect(daemon.calls(.spoolRead).count == 1)
    }

    /// Only a verified output is written.
    @Test(arguments: [JobStatus.failed, .cancelled]) func nothingIsWrittenOfAJobThatFails(end: JobStatus)
        throws
    {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, Spooled(media(10)), end)
        defer { daemon.stop() }
        let output = try Descriptor(opening: rig.folder + "/out", O_WRONLY | O_CREAT)
        rig.output = output.rawValue
        #expect(rig.ask("export", "in.mp4", "-o", "-") == (end == .failed ? 1 : 4))
        #expect(daemon.calls(.spoolRead).isEmpty)
        #expect(FileManager.default.contents(atPath: rig.folder + "/out")?.isEmpty == true)
        _ = consume output
    }

    @Test func controlCWhileReadingEndsIt() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, Spooled([]))
        defer { daemon.stop() }
        let pipe = try Pipe()
        rig.input = pipe.reading
        let interrupts = rig.interrupts
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
            [interrupts = Unchecked(interrupts)] in interrupts.value.raise()
        }
        #expect(rig.ask("export", "-", "-o", "out.mp4") == 4)
        #expect(daemon.calls(.jobSubmit).isEmpty)
    }

    @Test func anEmptyStandardInputIsAnError() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, Spooled([]))
        defer { daemon.stop() }
        let input = try Descriptor(opening: "/dev/null", O_RDONLY)
        rig.input = input.rawValue
        #expect(rig.ask("export", "-", "-o", "out.mp4") == 1)
        #expect(rig.err.contains("standard input is empty"))
        #expect(daemon.calls(.jobSubmit).isEmpty)
        _ = consume input
    }

    /// Before a daemon is looked up.
    @Test(
        arguments: [
            (["-"], "name it: -o cut.mp4, or -o - for standard output"),
            (["-", "-o", "out.mp4", "--detach"], "leave --detach out"),
            (["in.mp4", "-o", "-", "--detach"], "leave --detach out"),
            (["in.mp4", "-o", "-", "--key", "k"], "leave --key out"),
            (["in.mp4", "-", "-o", "out/"], "give one INPUT"),
            (["a.mp4", "b.mp4", "-o", "-"], "give one INPUT"),
            (["in.mp4", "--type", "ts"], "otherwise the extension of OUTPUT says it: -o cut.ts"),
            (
                ["in.mp4", "-o", "cut.mp4", "--type", "ts"],
                "otherwise the extension of OUTPUT says it: -o cut.ts"
            ),
        ] as [([String], String)])
    func otherOptionsThatDoNotGoWithIt(words: [String], remedy: String) throws {
        let rig = try Rig()
        #expect(rig.run(["export"] + words + ["--socket", rig.socket]) == 2)
        #expect(rig.err.hasSuffix("\(remedy)\n"), "\(rig.err)")
    }

    @Test func terminalsAreRefused() throws {
        let rig = try Rig()
        let terminal = try Descriptor(opening: "/dev/ptmx", O_RDWR | O_NOCTTY)
        (rig.input, rig.output) = (terminal.rawValue, terminal.rawValue)
        #expect(rig.run(["export", "in.mp4", "-o", "-", "--socket", rig.socket]) == 2)
        #expect(rig.err.contains("standard output is a terminal"))
        #expect(rig.run(["export", "-", "-o", "a.mp4", "--socket", rig.socket]) == 2)
        #expect(rig.err.contains("standard input is a terminal"))
        _ = consume terminal
    }
}

/// Something that a test lends to another thread.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
