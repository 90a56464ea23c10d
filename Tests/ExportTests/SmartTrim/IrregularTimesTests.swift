// Matroska films whose frames have irregular times, as recorders of screens write them: bursts of frames some milliseconds apart, and equal
// frames among them.
import Export
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct IrregularTimesTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Expressions of frames' times in milliseconds, by their numbers N, and the rate at which what they show changes.
    @Test(arguments: [
        ("floor(N/5)*160+mod(N,5)*2", 2), ("floor(N/3)*100+mod(N,3)", 3), ("N*33+mod(N*104729,30)", 30),
        ("floor(N/5)*160+mod(N,5)*2", 30), ("floor(N/2)*67+mod(N,2)", 1),
    ])
    func noFrameIsMissing(_ times: String, _ rate: Int) throws {
        let input = try Film(
            name: "", type: "mkv",
            words: [
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=\(rate):d=9,fps=30,settb=1/1000,setpts='\(times)'",
                "-fps_mode", "passthrough", "-enc_time_base", "1:1000",
            ] + Film.h264()
        ).make(in: scratch)
        let frames = try Truth(input).frames()
        for (start, end) in [(Time(205, 100), Time(63, 10)), (Time(3333, 1000), Time(7777, 1000))] {
            let made = try export(input, "passthrough", start: start, end: end, in: scratch, type: "mkv") {
                $0.render = .smart
            }
            let wanted = try expected(frames, start: start, end: end)
            let found = try Truth(made.file).frames().map(\.time)
            #expect(found.count == wanted.times.count)
            #expect(zip(found, wanted.times).allSatisfy { ($0 - $1).absoluteValue <= Time(1, 1000) })
            try verify(made, in: scratch)
        }
    }
}
