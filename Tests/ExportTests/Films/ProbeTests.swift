// The probe's report about films whose truth is known, where the film is longer than the part it looks at.
import Export
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct ProbeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The frames read last have others between them that are not read yet.
    @Test(arguments: ["0", "3", "8"]) func aConstantRateIsConstantWhereFramesAreReordered(_ bframes: String)
        throws
    {
        let input = try Film(
            name: "", type: "mov",
            words: Film.video("30000/1001", seconds: "20") + [
                "-c:v", "libx264", "-preset", "veryfast", "-g", "600",
                "-x264-params", "bframes=\(bframes):b-adapt=0:b-pyramid=normal",
            ]
        ).make(in: scratch)
        let asset = try Probe.asset(of: try scratch.source(input))
        let format = try #require(asset.mainVideo?.video)
        #expect(!format.isVariable)
        #expect(format.frameRate == Ratio(30000, 1001))
        #expect(asset.faults.isEmpty)
    }
}
