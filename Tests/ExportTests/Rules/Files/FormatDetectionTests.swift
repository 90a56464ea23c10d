// The format of a file is asked of FFmpeg once, and again when the file has changed.
import FoundationEssentials
import Glibc
import Testing

@testable import Libav

@Suite(.timeLimit(.minutes(10))) struct FormatDetectionTests {
    let scratch: Scratch
    let detection = FormatDetection()

    init() throws { scratch = try Scratch() }

    private func format(_ source: SourceFile) throws -> String? {
        let io = try FileIO(descriptor: source.descriptor, size: source.size, writing: false)
        return detection.format(of: source, io)?.name
    }

    private func sound(_ type: String) throws -> [UInt8] {
        let file = scratch.name(type)
        try Tool.ffmpeg(["-f", "lavfi", "-i", "sine=d=1", file])
        return Array(try Data(contentsOf: URL(filePath: file)))
    }

    @Test func aFileIsExaminedOnce() throws {
        let source = try scratch.source(bytes: try sound("wav"), name: "a.wav")
        for _ in 0..<3 { #expect(try format(source) == "wav") }
        #expect(detection.examined == 1)
        #expect(try format(try scratch.source(bytes: try sound("flac"), name: "a.wav")) == "flac")
        #expect(detection.examined == 2)
    }

    /// Also where its size stays.
    @Test func aFileThatWasWrittenAgainIsExaminedAgain() throws {
        let file = scratch.name("bin")
        let (wave, flac) = (try sound("wav"), try sound("flac"))
        try Data(wave).write(to: URL(filePath: file))
        let source = SourceFile(descriptor: try scratch.existing(file), size: Int64(wave.count), name: "a")
        #expect(try format(source) == "wav")
        let other = flac + [UInt8](repeating: 0, count: wave.count - flac.count)
        try source.write(other, at: 0, "writing")
        // Clocks of file systems tick every few milliseconds.
        var later = [timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(unsafe futimens(source.descriptor, &later) == 0)
        #expect(try format(source) == "flac")
    }

    @Test func anUnknownFormatIsNotKept() throws {
        let source = try scratch.source(bytes: [UInt8](repeating: 7, count: 100), name: "a")
        for _ in 0..<2 { #expect(try format(source) == nil) }
        #expect(detection.examined == 2)
    }
}
