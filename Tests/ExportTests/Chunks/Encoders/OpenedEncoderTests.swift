// An encoder of SVT-AV1 that is only opened: it leaves the priority of threads alone, and closes.
import Foundation
import Glibc
import Libav
import MediaTime
import Testing

@Suite(.enabled(if: Encoder.exists("libsvtav1"))) struct OpenedEncoderTests {
    private func encoder() throws -> Encoder {
        try Encoder(
            VideoEncoderSetup(
                encoder: "libsvtav1", width: 320, height: 180, pixelFormat: "yuv420p",
                timebase: try #require(Timebase(perSecond: 25)), frameRate: Ratio(25), keyframeInterval: 250))
    }

    /// It makes the thread that opens it a real-time one, as far as the process may; only root may.
    @Test(.enabled(if: geteuid() == 0)) func threadsStayOrdinary() throws {
        let encoder = try encoder()
        withExtendedLifetime(encoder) { #expect(sched_getscheduler(0) == SCHED_OTHER) }
    }

    /// In a process of its own, which would not end: the test's own would wait with it.
    @Test func itClosesBeforeItsFirstFrame() async {
        await #expect(processExitsWith: .success) {
            // 60 s: it takes a tenth of one.
            alarm(60)
            _ = try OpenedEncoderTests().encoder()
        }
    }
}
