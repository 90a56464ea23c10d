// Audio whose timestamps are rounded where fragments begin: wherever a cut begins, the sound is where a reader of the whole file hears it.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct StrayTimestampTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Fragments of a second, made of a file that rounds its times to milliseconds.
    private func film() throws -> String {
        let (rounded, list) = (scratch.name("mkv"), scratch.name("m3u8"))
        _ = try Tool.ffmpeg(
            Film.video(seconds: "6") + Film.noise(48_000, seconds: "6") + Film.h264() + [
                "-c:a", "aac", rounded,
            ])
        let words = ["-f", "hls", "-hls_time", "1", "-hls_list_size", "0", "-hls_playlist_type", "vod"]
        let fragments = ["-hls_segment_type", "fmp4", "-hls_flags", "single_file"]
        _ = try Tool.ffmpeg(["-i", rounded, "-c", "copy"] + words + fragments + [list])
        return list.replacing(".m3u8", with: ".m4s")
    }

    /// A tick of 44 samples: only many timestamps tell the sample.
    @Test(arguments: [["-c:a", "pcm_s16le"], ["-c:a", "flac"]])
    func everySampleOfAFilmInMillisecondsIsItsOwn(_ codec: [String]) throws {
        let film = try Film(
            name: "", type: "mkv",
            words: Film.video(size: "64x48", seconds: "16") + Film.noise(44_100, seconds: "16") + Film.h264()
                + codec
        ).make(in: scratch)
        let whole = try Truth(film).samples(rate: 44_100)
        for first in stride(from: 480_017, to: 620_000, by: 23_321) {
            let start = Time(Int64(first), 44_100)
            let made = try export(
                film, "wav", start: start, end: start + Time(1, 4), in: scratch, type: "wav"
            ) {
                $0.output.name = "o.wav"
            }
            let samples = try Truth(made.file).samples(rate: 44_100)
            #expect(samples.count == 11_025 && samples.elementsEqual(whole[first..<(first + 11_025)]))
        }
    }

    /// mkvmerge counts audio alone in samples, and keeps the milliseconds of the file that it came from.
    @Test func audioThatLeftItsVideoIsWhereItIsHeard() throws {
        let (rounded, film) = (scratch.name("mkv"), scratch.name("mka"))
        try Tool.ffmpeg(Film.noise(44_100, seconds: "6") + ["-c:a", "libmp3lame", rounded])
        _ = try Tool.output(["mkvmerge", "-q", "-o", film, rounded])
        let whole = try Truth(film).samples(rate: 44_100)
        for hundredths in stride(from: Int64(150), to: 400, by: 43) {
            let (start, end) = (Time(hundredths, 100), Time(hundredths + 60, 100))
            let made = try export(film, "wav", start: start, end: end, in: scratch, type: "wav") {
                $0.output.name = "o.wav"
            }
            let samples = try Truth(made.file).samples(rate: 44_100)
            let off = try lag(of: samples, in: whole, at: Int(hundredths) * 441, reach: 60)
            #expect(off == 0, "from \(start.seconds)")
            try verify(made, in: scratch)
        }
    }

    /// Packets of Windows Media Audio with a bit reservoir have the time of a frame that may begin in another one; others are exact, and a
    /// gap in them is one.
    @Test func onlyAReservoirMakesTimesUnsure() {
        for (tolerance, isContinuous) in [(0.1, true), (SampleClock.tolerance, false)] {
            var clock = SampleClock(rate: 44_100, timebase: .milliseconds, tolerance: tolerance)
            // Each up to a frame of 2048 samples off.
            let times = [0, 186, 421, 650, 921, 1115].map { Time($0, 1000) }
            let places = times.enumerated().map { index, time in
                defer { clock.settle() }
                let next = index + 1 < times.count ? times[index + 1] : nil
                return clock.position(time: time, count: 10_240, following: next)
            }
            #expect((places == times.indices.map { Int64($0) * 10_240 }) == isContinuous, "\(places)")
        }
    }

    /// Where its frames go on in the next packet, as the header says, no seek tells which frame a time is of.
    @Test func windowsMediaAudioWithAReservoirIsReadFromTheBeginning() throws {
        let file = scratch.name("wma")
        try Tool.ffmpeg(Film.noise(44_100, seconds: "6") + ["-c:a", "wmav2", "-b:a", "128k", file])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        // WAVEFORMATEX: the format 0x161, one channel, 44,100 Hz; the codec's header is 18 bytes further on, its second flags in byte 4.
        let format = try #require(bytes.firstRange(of: [0x61, 0x01, 1, 0, 0x44, 0xAC, 0, 0]))
        let exact = try Demuxer(try scratch.source(bytes: bytes, name: "a.wma"))
        #expect(exact.seek(track: 0, toTicks: 3000) && !exact.hasBitReservoir(0))
        bytes[format.lowerBound + 22] |= 2
        let unsure = try Demuxer(try scratch.source(bytes: bytes, name: "a.wma"))
        #expect(!unsure.seek(track: 0, toTicks: 3000) && unsure.hasBitReservoir(0))
    }

    @Test func everyCutIsWhereItIsHeard() throws {
        let film = try film()
        for hundredths in stride(from: Int64(150), to: 300, by: 7) {
            let (start, end) = (Time(hundredths, 100), Time(hundredths + 60, 100))
            let made = try export(film, "640x480", start: start, end: end, in: scratch, type: "mp4") {
                $0.output.name = "o.mp4"
            }
            try verify(made, in: scratch)
        }
    }
}
