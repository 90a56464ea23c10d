// Encoders of one process that open and close at the same time.
import Dispatch
import Libav
import MediaTime
import Testing

@Suite struct OpenEncodersTests {
    /// SVT-AV1 keeps state outside of its instances: the process crashed where one opened while another one closed.
    @Test(.timeLimit(.minutes(10))) func openWhileOthersClose() throws {
        try #require(Encoder.exists("libsvtav1"))
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<100 {
                do { try OpenEncodersTests.encode() } catch { Issue.record("\(error)") }
            }
        }
    }

    /// Encodes one grey frame.
    private static func encode() throws {
        let rate = try #require(Timebase(perSecond: 25))
        let grey = try Frame.make(
            rgb: [UInt8](repeating: 128, count: 3 * 64 * 64), width: 64, height: 64)
        grey.pts = 0
        let graph = try FilterGraph(chain: "format=yuv420p", shape: grey.shape, timebase: rate, threads: 1)
        try graph.send(grey)
        let frame = try #require(try graph.receive())
        var setup = VideoEncoderSetup(
            encoder: "libsvtav1", width: 64, height: 64, pixelFormat: "yuv420p", timebase: rate,
            frameRate: Ratio(25), keyframeInterval: 25)
        setup.options = [("preset", "12")]
        let encoder = try Encoder(setup)
        try encoder.send(frame)
        try encoder.send(nil)
        var packets = 0
        while try encoder.receive() != nil { packets += 1 }
        #expect(packets == 1)
    }
}
