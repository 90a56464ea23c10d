// How much disk space is set aside for an output: what the worker plans, within bounds that no worker can move.
import JobQueue
import Media
import MediaTime
import Platform
import Testing
import Wire

@testable import trimd

@Suite struct SizeEstimateTests {
    private func job(_ preset: Preset, size: Int64) throws -> Job {
        let scratch = try Scratch()
        let store = try JobStore(file: scratch.path + "/q", owner: "test")
        let target = OutputTarget(folder: "/films", name: "o.m4a", stem: "o")
        let film = FileIdentity(device: 1, inode: 2, size: size, modified: 4)
        return try store.submit(
            ExportRequest(input: "/i", output: target, preset: preset), source: film, user: 1
        ).job
    }

    @Test func aCutNeedsWhatItsPlanSays() throws {
        let job = try job(preset(), size: 8_000_000)
        #expect(SizeEstimate.bytes(job, WorkerPlan(bytes: 2_000_000, length: Time(10, 1))) == 2_000_000)
        // Nothing is planned smaller than what every file has.
        #expect(SizeEstimate.bytes(job, WorkerPlan(bytes: -5, length: nil)) == SizeEstimate.overhead)
    }

    @Test func noPlanIsBelievedBeyondTheSource() throws {
        let job = try job(preset(), size: 8_000_000)
        let most = 10_000_000 + SizeEstimate.overhead
        #expect(SizeEstimate.bytes(job, WorkerPlan(bytes: .max, length: Time(10, 1))) == most)
        #expect(SizeEstimate.bytes(job, WorkerPlan(bytes: nil, length: nil)) == most)
    }

    @Test func anEncodeNeedsItsRateOverItsLength() throws {
        var audioPreset = try preset()
        audioPreset.audio?.bitRate = 256_000
        let job = try job(audioPreset, size: 1_000_000_000)
        let plan = WorkerPlan(bytes: nil, length: Time(10, 1))
        #expect(SizeEstimate.bytes(job, plan) == 320_000 + SizeEstimate.overhead)
    }
}
