// SubtitleFile: the subtitles of a file of its own (SubRip, ASS, SSA, WebVTT), read as a whole. Their times are times of the source. It
// borrows the file's descriptor, while it reads, and owns its decoder; confined to one thread.
package import Libav
package import Media
internal import MediaTime
package import Source

/// The subtitles of a file.
package final class SubtitleFile {
    /// One of them: a packet for the decoder, and when it is shown, in milliseconds of asset time.
    package struct Event {
        let packet: Packet
        let start: Int64, end: Int64
    }

    /// In the order of their beginnings.
    package let events: [Event]
    /// FFmpeg's name of their codec.
    package let codec: String
    let decoder: SubtitleDecoder

    /// The most bytes of a file: fonts may be in it.
    static let mostBytes: Int64 = 32 << 20
    /// The most subtitles of a file: two a second for a day.
    static let mostEvents = 172_800

    private static let remedy = "give a file of SubRip (.srt), ASS or SSA (.ass, .ssa) or WebVTT (.vtt)"

    /// Reads a file; throws what its user can set right.
    package init(_ source: SourceFile) throws(MediaError) {
        let name = source.name
        guard source.size <= SubtitleFile.mostBytes else {
            throw MediaError(
                .invalidRequest,
                "the subtitle file \(name) has \(source.size) bytes, and may have \(SubtitleFile.mostBytes)",
                remedy: "give a text file: .srt, .ass, .ssa or .vtt")
        }
        let bytes = source.bytes(at: 0, count: Int(source.size))
        guard bytes.count == source.size else {
            throw MediaError(.inputOutput, "read \(name): the file ends before its size, or cannot be read")
        }
        let text = try SubtitleText.utf8(bytes, of: name)
        let demuxer = try SubtitleFile.demuxer(SourceFile(contents: text, name: name))
        guard let stream = demuxer.streams.first else {
            throw MediaError(.invalidRequest, "\(name) is no file of subtitles", remedy: SubtitleFile.remedy)
        }
        codec = stream.codec
        let timebase = stream.timebase
        do throws(LibavError) {
            decoder = try SubtitleDecoder(
                try CodecParameters(demuxer, track: stream.index), timebase: timebase)
        } catch { throw MediaError(.decodeFailed, "read the subtitles of \(name): \(error)") }
        var events: [Event] = []
        while true {
            let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
            guard case .packet = demuxer.read(into: packet) else { break }
            guard let pts = packet.pts, packet.duration > 0, packet.size > 0 else { continue }
            let start = BurnedSubtitles.milliseconds(timebase.time(ofTicks: pts))
            let end = BurnedSubtitles.milliseconds(timebase.time(ofTicks: pts &+ packet.duration))
            guard end > start else { continue }
            guard events.count < SubtitleFile.mostEvents else {
                throw MediaError(
                    .limitReached,
                    "the subtitle file \(name) has more than \(SubtitleFile.mostEvents) subtitles",
                    remedy: "leave out those that are not in the range")
            }
            events.append(Event(packet: packet, start: start, end: end))
        }
        guard !events.isEmpty else {
            throw MediaError(
                .invalidRequest, "\(name) has no subtitle with a time and a text, read as \(demuxer.format)",
                remedy: SubtitleFile.remedy)
        }
        self.events = events
    }

    private static func demuxer(_ text: SourceFile) throws(MediaError) -> Demuxer {
        do throws(OpenFailure) { return try Demuxer(text, quick: true, isSubtitles: true) } catch {
            switch error {
            case .notRecognized("microdvd"):
                throw MediaError(
                    .invalidRequest,
                    "\(text.name) is a MicroDVD file, whose times are frames of an unknown rate",
                    remedy: "convert it at the film's rate: ffmpeg -subfps RATE -i \(text.name) words.srt")
            case .notRecognized(let format?), .playlist(let format):
                throw MediaError(
                    .invalidRequest,
                    "\(text.name) is no file of subtitles that can be drawn: it is read as \(format)",
                    remedy: remedy)
            case .notRecognized(nil):
                throw MediaError(.invalidRequest, "\(text.name) is no file of subtitles", remedy: remedy)
            case .damaged(let error):
                throw MediaError(.invalidRequest, "read the subtitles: \(error)", remedy: remedy)
            }
        }
    }

    /// How many are shown at some moment of these parts of the source.
    package func count(in segments: Segments) -> Int {
        let parts = segments.all.map { part in
            (BurnedSubtitles.milliseconds(part.start), part.end.map(BurnedSubtitles.milliseconds) ?? .max)
        }
        return events.count { event in parts.contains { event.start < $0.1 && event.end > $0.0 } }
    }
}

/// The subtitles of a file, one after another.
final class FileSubtitles: SubtitleSource {
    private let file: SubtitleFile
    private var index = 0

    init(_ file: SubtitleFile) { self.file = file }

    func begin(at time: Time) { index = 0 }

    func next(upTo now: Int64) -> (packet: Packet, start: Int64, end: Int64)? {
        while index < file.events.count, file.events[index].start <= now {
            let event = file.events[index]
            index += 1
            if event.end > now { return (event.packet, event.start, event.end) }
        }
        return nil
    }
}
