// Previews through the real daemon and its sealed workers: files come as descriptors that nobody can change.
import Foundation
import Glibc
import Media
import MediaTime
import Platform
import Testing
import Wire

@Suite(.timeLimit(.minutes(60))) struct PreviewTests {
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
