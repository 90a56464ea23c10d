// One system call of the daemon fails, for every call there is, one after the other, until a run has none left to fail:
// after each, the job has come to its end once, its output is whole, and nothing is left.
import Foundation
import Glibc
import Testing

@Suite struct CallFaultTests {
    /// The sorts of calls, in the words of trimd's errors.
    static let acts = [
        "opening", "syncing", "renaming", "looking at", "setting the mode of", "reserving space for",
        "cutting",
        "removing", "asking for the free space of", "watching", "making",
    ]

    /// Runs one job in a daemon whose `number`th call of a sort fails; false where there was none to fail.
    private func strike(_ rig: Rig, _ film: String, _ act: String, _ number: Int, _ code: Int32) throws
        -> Bool
    {
        let key = "\(act)-\(number)-\(code)"
        let output = "\(act.filter { $0 != " " })-\(number)-\(code).m4v"
        let before = rig.daemonLog.count
        let fault = ["TRIMD_FAIL": "\(act):\(number):\(code)"]
        if try rig.boot(workers: 1, environment: fault) {
            // Whatever becomes of it: refused, failed at once, tried again, or completed.
            let ended = rig.trimctl(
                "export", film, "-o", rig.path(output), "--key", key, "--progress", "none")
            if ended.code != 0 {
                #expect(!rig.exists(output), "failed, and there is an output: \(ended.err)")
            }
            if ended.code == 1, ended.err.contains("opening"), let id = job(rig, key) {
                rig.trimctl("retry", id)
            }
            rig.end(SIGKILL)
        }
        try rig.wait("the workers' end") { rig.busyWorkers().isEmpty }
        try #require(try rig.boot(workers: 1))
        if let id = job(rig, key), rig.trimctl("wait", id).code != 0 { rig.trimctl("retry", id) }
        try CrashTests.check(rig, key: key, film: film, output: output, pictures: 100)
        rig.end(SIGTERM)
        return rig.daemonLog.dropFirst(before).contains("fault injected")
    }

    /// The number of the newest job, where it has an output of this key's.
    private func job(_ rig: Rig, _ key: String) -> String? {
        guard let data = rig.trimctl("list", "--limit", "1", "--json").out.data(using: .utf8),
            let jobs = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]],
            let output = jobs.first?["output"] as? String,
            output.hasSuffix(key.filter { $0 != " " } + ".m4v"), let id = jobs.first?["id"] as? Int
        else { return nil }
        return "\(id)"
    }

    @Test(arguments: ["syncing", "renaming", "reserving space for"]) func theFirstOfASort(_ act: String)
        throws
    {
        let rig = try Rig(booted: false)
        #expect(try strike(rig, rig.film(), act, 1, act == "reserving space for" ? ENOSPC : EIO))
    }

    @Test(.enabled(if: isThorough), .timeLimit(.minutes(60)), arguments: acts, [EIO, ENOSPC])
    func everyOne(_ act: String, _ code: Int32) throws {
        let rig = try Rig(booted: false)
        let film = try rig.film()
        var number = 1
        while try strike(rig, film, act, number, code) { number += 1 }
        print("CallFaultTests: \(act), errno \(code): \(number - 1) calls failed one after the other")
        #expect(number < 500)
    }
}
