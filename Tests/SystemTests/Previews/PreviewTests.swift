// Previews through the real daemon and its sealed workers: files come as descriptors that nobody can change.
import Foundation
import Glibc
import Media
import MediaTime
import Platform
import Testing
import Wire

@Suite(.timeLimit(.minutes(10))) struct PreviewTests {
    private func bytes(_ files: Descriptors) throws -> Data {
        try #require(files.count == 1)
        guard let file = files.take(0) else { return Data() }
        var size = Int(lseek(file.rawValue, 0, SEEK_END))
        lseek(file.rawValue, 0, SEEK_SET)
        var byte: UInt8 = 0
        #expect(unsafe pwrite(file.rawValue, &byte, 1, 0) == -1 && ftruncate(file.rawValue, 0) == -1)
        var data = Data(count: size)
        size = unsafe data.withUnsafeMutableBytes { unsafe read(file.rawValue, $0.baseAddress, $0.count) }
        #expect(size == data.count)
        return data
    }

    @Test func picturesAndSegmentsComeAsSealedFiles() throws {
        let rig = try Rig()
        let film = try rig.film()
        let client = try Client(path: rig.socket)
        let (strip, pictures) = try client.callForFiles(
            "asset.thumbnails", params: ThumbnailsParams(path: film, at: [.time(.zero), .time(Time(1, 1))]),
            returning: ThumbnailsReport.self)
        let jpegs = try bytes(pictures)
        #expect(Int64(jpegs.count) == strip.bytes && strip.pictures.count == 2)
        for picture in strip.pictures {
            #expect(jpegs[Int(picture.offset)..<Int(picture.offset) + 2] == Data([0xff, 0xd8]))
        }
        let (segment, part) = try client.callForFiles(
            "asset.segment", params: SegmentParams(path: film, start: .zero, duration: Time(1, 1)),
            returning: SegmentReport.self)
        let movie = try bytes(part)
        #expect(Int64(movie.count) == segment.bytes && movie[4..<8] == Data("ftyp".utf8))
        #expect(segment.video?.frames == 25 && segment.video?.width == 320)
        let wave: WaveformReport = try client.call(
            "asset.waveform", params: WaveformParams(path: film, buckets: 20), returning: WaveformReport.self)
        #expect(wave.peaks.count == 20 && wave.peaks.max() ?? 0 > 0)
    }

    /// Text comes from the worker as plain text, bounded by what was asked for.
    @Test func theTextOfSubtitlesComesAsCues() throws {
        let rig = try Rig()
        let film = try rig.film()
        let (words, input) = (rig.path("words.srt"), rig.path("words.mkv"))
        try "1\n00:00:00,500 --> 00:00:01,000\n<i>One</i>\nline\n\n2\n00:00:01,500 --> 00:00:02,000\nTwo\n"
            .write(toFile: words, atomically: true, encoding: .utf8)
        try rig.ffmpeg("-i", film, "-i", words, "-map", "0:v", "-map", "1", "-c", "copy", input)
        let client = try Client(path: rig.socket)
        var params = CuesParams(path: input, track: 1)
        let all: CuesReport = try client.call("asset.cues", params: params, returning: CuesReport.self)
        #expect(all.cues.map(\.text) == ["One\nline", "Two"])
        #expect(all.cues.first?.start == Time(1, 2) && all.cues.first?.end == Time(1, 1))
        params.start = .time(Time(5, 4))
        let late: CuesReport = try client.call("asset.cues", params: params, returning: CuesReport.self)
        #expect(late.cues.map(\.text) == ["Two"])
        params.track = 0
        #expect(throws: WireError.self) {
            try client.call("asset.cues", params: params, returning: CuesReport.self) as CuesReport
        }
    }

    /// Errors are those of the other methods about files.
    @Test func errorsNameTheCause() throws {
        let rig = try Rig()
        let film = try rig.film()
        let client = try Client(path: rig.socket)
        func code(_ params: SegmentParams) -> String? {
            do throws(WireError) {
                _ = try client.callForFiles("asset.segment", params: params, returning: SegmentReport.self)
                return nil
            } catch {
                guard case .remote(let remote) = error else { return "\(error)" }
                return remote.code
            }
        }
        #expect(code(SegmentParams(path: film, start: Time(1000, 1), duration: Time(4, 1))) == "invalidTime")
        #expect(code(SegmentParams(path: film, start: .zero, duration: Time(31, 1))) == "invalidRequest")
        #expect(code(SegmentParams(path: film + "x", start: .zero, duration: Time(4, 1))) == "fileNotFound")
    }
}
