// Film on NTSC DVDs: 24 frames a second, of which every other one repeats a field, so that they last three fields and two in turn.
import Export
import FoundationEssentials
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(60))) struct SoftTelecineTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// MPEG-2 of 23.976 frames a second, marked as 29.97 with repeated fields (ITU-T H.262, 6.3.3 and 6.3.10), in a program stream.
    private func film() throws -> String {
        let raw = try Film(
            name: "", type: "m2v",
            words: Film.video("24000/1001", size: "96x64", seconds: "8") + [
                "-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "3",
            ]
        ).make(in: scratch)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: raw)))
        var (group, count, number) = (0, 0, 0)
        for at in bytes.indices.dropLast(9) where bytes[at] == 0 && bytes[at + 1] == 0 && bytes[at + 2] == 1 {
            switch (bytes[at + 3], bytes[at + 4] >> 4) {
            case (0xB3, _): bytes[at + 7] = bytes[at + 7] & 0xF0 | 4
            case (0xB5, 1): bytes[at + 5] &= ~8
            case (0xB8, _): (group, count) = (group + count, 0)
            case (0, _):
                number = group + Int(bytes[at + 4]) << 2 + Int(bytes[at + 5] >> 6)
                count += 1
            case (0xB5, 8):
                // The first field, and whether it comes again.
                let isTop = number % 4 == 0 || number % 4 == 3
                bytes[at + 7] = bytes[at + 7] & 0x7D | (isTop ? 0x80 : 0) | (number % 2 == 0 ? 2 : 0)
            default: break
            }
        }
        let marked = scratch.name("m2v"), file = scratch.name("vob")
        try Data(bytes).write(to: URL(filePath: marked))
        try Tool.ffmpeg(["-fflags", "+genpts", "-i", marked, "-c", "copy", "-f", "vob", file])
        return file
    }

    @Test func itIsCutWithoutEncodingAllOfIt() throws {
        let file = try film()
        let truth = try Truth(file)
        let (frames, pictures) = (try truth.frames(), try truth.thumbnails())
        let lengths = zip(frames, frames.dropFirst()).map { $1.time - $0.time }
        try #require(Set(lengths.map { ($0.seconds * 60_000 / 1001).rounded() }) == [2, 3], "fields")
        for (start, end) in [
            (Time(13, 10), Time(51, 10)), (Time(32, 10), Time(44, 10)), (.zero, Time(421, 100)),
        ] {
            for type in ["mp4", "mkv"] {
                let made = try export(file, "passthrough", start: start, end: end, in: scratch, type: type) {
                    $0.render = .smart
                }
                let wanted = try expected(frames, start: start, end: end)
                let output = try Truth(made.file)
                let slack = type == "mkv" ? Time(1, 1000) : Time(1, 90_000)
                let times = try output.frames().map(\.time)
                #expect(times.count == wanted.times.count)
                #expect(
                    zip(times, wanted.times).allSatisfy { ($0 - $1).absoluteValue <= slack },
                    "\(type) from \(start)")
                for (index, picture) in zip(wanted.indices, try output.thumbnails()) {
                    let off = zip(picture, pictures[index]).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                    #expect(off < 4 * picture.count, "frame \(index) is another")
                }
                let video = try #require(made.result.tracks.first)
                #expect(video.framesCopied > video.framesEncoded)
                try verify(made, in: scratch)
            }
        }
    }
}
