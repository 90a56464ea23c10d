// The processors that an export made as one takes: no more than it can use.
import Foundation
import Testing

@Suite(.timeLimit(.minutes(60))) struct ShareTests {
    @Test func audioLeavesProcessorsToOthers() throws {
        let rig = try Rig(booted: false)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "anoisesrc=duration=300", "-c:a", "pcm_s16le", rig.path("long.wav"))
        try rig.boot(options: ["--processors", "2"])
        #expect(
            rig.trimctl(
                "export", rig.path("long.wav"), "-o", rig.path("o.m4a"), "--preset", "m4a", "--detach"
            )
            .code == 0)
        try rig.wait("a share of one") {
            let status = try rig.trimctl("status", "--json").json()
            guard status["busy"] as? Int == 1, status["busyProcessors"] as? Int == 1 else { return false }
            let (all, reserved) = (
                status["memoryBytes"] as? Int ?? 0, status["reservedMemoryBytes"] as? Int ?? 0
            )
            #expect(reserved > 0 && reserved <= all)
            return true
        }
        #expect(rig.trimctl("wait", "1").code == 0)
        let status = try rig.trimctl("status", "--json").json()
        #expect(status["reservedMemoryBytes"] as? Int == 0 && status["busyProcessors"] as? Int == 0)
    }
}
