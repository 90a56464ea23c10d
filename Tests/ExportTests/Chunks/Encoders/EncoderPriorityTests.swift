// Encoders leave the priority of threads alone.
import Foundation
import Glibc
import Libav
import MediaTime
import Testing

@Suite struct EncoderPriorityTests {
    /// SVT-AV1 makes the thread that opens it a real-time one, as far as the process may; only root may.
    @Test(.enabled(if: Encoder.exists("libsvtav1") && geteuid() == 0)) func threadsStayOrdinary() throws {
        let rate = try #require(Timebase(perSecond: 25))
        let encoder = try Encoder(
            VideoEncoderSetup(
                encoder: "libsvtav1", width: 320, height: 180, pixelFormat: "yuv420p", timebase: rate,
                frameRate: Ratio(25), keyframeInterval: 250))
        let policy = sched_getscheduler(0)
        // It waits for ever where it is closed before it had a frame.
        let frame = try Frame.make(
            rgb: Array(repeating: 0x80, count: 3 * 320 * 180), width: 320, height: 180)
        let graph = try FilterGraph(chain: "format=yuv420p", shape: frame.shape, timebase: rate, threads: 1)
        try graph.send(frame)
        try encoder.send(try #require(graph.receive() as Frame?))
        try encoder.send(nil)
        while try encoder.receive() != nil {}
        #expect(policy == SCHED_OTHER)
    }
}
