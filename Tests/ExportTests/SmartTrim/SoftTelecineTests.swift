// Film on DVD (soft telecine): an interlaced sequence of progressive frames at 23.976 frames a second, of which every other one is shown
// for three fields.
import Export
import FoundationEssentials
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct SoftTelecineTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Flags of the four frames of a cycle: the top field is first, and the first field is shown again.
    private static let cycle: [(top: UInt8, repeats: UInt8)] = [(1, 1), (0, 0), (0, 1), (1, 0)]

    /// A stream of frames with flags as a telecine sets them, by the order in which frames are shown.
    private func telecined() throws -> String {
        let (plain, film) = (scratch.name("m2v"), scratch.name("m2v"))
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=176x144:r=24000/1001:d=6", "-c:v", "mpeg2video", "-flags",
            "+ildct+ilme", "-g", "12", "-bf", "2", "-b:v", "2M", plain,
        ])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: plain)))
        var (before, inGroup, shown) = (0, 0, 0)
        for at in bytes.indices.dropLast(9) where bytes[at...].starts(with: [0, 0, 1]) {
            switch bytes[at + 3] {
            // 29.97 frames a second.
            case 0xB3: bytes[at + 7] = bytes[at + 7] & 0xF0 | 4
            case 0xB8: (before, inGroup) = (before + inGroup, 0)
            case 0x00:
                shown = before + Int(bytes[at + 4]) << 2 + Int(bytes[at + 5] >> 6)
                inGroup += 1
            case 0xB5 where bytes[at + 4] >> 4 == 8:
                let flags = Self.cycle[shown % 4]
                bytes[at + 7] = bytes[at + 7] & 0x7D | flags.top << 7 | flags.repeats << 1
                bytes[at + 8] |= 0x80
            default: break
            }
        }
        try Data(bytes).write(to: URL(filePath: film))
        return film
    }

    @Test(arguments: ["vob", "mpg", "ts", "mkv"]) func noFrameIsLostWhereEncodedAndCopiedOnesMeet(
        _ type: String
    ) throws {
        let input = scratch.name(type)
        try Tool.ffmpeg(["-fflags", "+genpts", "-i", try telecined(), "-c", "copy", input])
        let frames = try Truth(input).frames()
        for (start, end) in [
            (Time(12, 10), Time(44, 10)), (Time(145, 100), Time(3, 1)), (Time(19, 10), Time(26, 10)),
        ] {
            let made = try export(input, "passthrough", start: start, end: end, in: scratch, type: type) {
                ($0.render, $0.output.name) = (.smart, "o.\(type)")
            }
            let wanted = try expected(frames, start: start, end: end)
            let truth = try Truth(made.file)
            let found = try truth.frames().map(\.time)
            #expect(found.count == wanted.times.count, "[\(start), \(end))")
            #expect(zip(found, wanted.times).allSatisfy { ($0 - $1).absoluteValue <= Time(1, 1000) })
            try verify(made, in: scratch)
        }
    }
}
