// One number over the whole job: it never falls, never leaves 0...1, and is not 1 before the end.
import Media
import MediaTime
import Testing

@testable import trimd

@Suite struct JobProgressMeterTests {
    @Test func itNeverFalls() {
        var meter = JobProgressMeter()
        var last = 0.0
        var numbers = SystemRandomNumberGenerator()
        for step in 0..<2000 {
            let phase = ExportPhase.allCases[Int.random(in: 0..<4, using: &numbers)]
            let fraction =
                [Double.nan, .infinity, -1, 2, Double(step) / 2000].randomElement(using: &numbers) ?? 0
            let said =
                phase == .verifying
                ? meter.verify(step < 1500 ? 0 : fraction)
                : meter.export(Progress(fraction: fraction, phase: phase))
            #expect(said.fraction >= last)
            #expect(said.fraction < 1)
            #expect(said == meter.latest)
            last = said.fraction
        }
    }

    @Test func theParts() {
        var meter = JobProgressMeter()
        #expect(meter.latest.fraction == 0)
        #expect(meter.export(Progress(fraction: 0.5, phase: .exporting)).fraction == 0.5 * 0.97)
        #expect(meter.export(Progress(fraction: 1, phase: .finishing)).fraction == 0.97)
        #expect(meter.verify(0).fraction == 0.97)
        #expect(meter.verify(1).fraction == 0.99)
    }

    @Test func whatIsJoinedIsTold() {
        var meter = JobProgressMeter()
        _ = meter.units(Progress(fraction: 1, phase: .exporting, speed: 2, remaining: 0, time: Time(9, 1)))
        let said = meter.join(Progress(fraction: 0.5, phase: .exporting, speed: 40, time: Time(4, 1)))
        #expect(said.phase == .finishing)
        #expect(said.time == Time(4, 1))
        #expect(said.fraction > 0.96 && said.fraction < 0.97)
        // It is the speed of copying.
        #expect(said.speed == nil)
    }

    @Test func aPhaseDoesNotComeBack() {
        var meter = JobProgressMeter()
        _ = meter.verify(0)
        #expect(meter.export(Progress(fraction: 0.1, phase: .preparing)).phase == .verifying)
    }

    @Test func nonsenseIsLeftOut() {
        var meter = JobProgressMeter()
        let said = meter.export(Progress(fraction: 0.5, phase: .exporting, speed: .nan, remaining: -3))
        #expect(said.speed == nil)
        #expect(said.remaining == nil)
    }
}
