// A private daemon that does not work: what is said, and that nothing of it stays. One that works is SystemTests' matter.
import Foundation
import Glibc
import Media
import Platform
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct StandaloneTests {
    /// A rig whose trimd is a shell script.
    private func rig(_ script: String) throws -> Rig {
        let rig = try Rig()
        rig.program = rig.folder + "/bin/trimctl"
        rig.environment["TMPDIR"] = rig.folder + "/tmp"
        rig.environment["PATH"] = "/usr/bin:/bin"
        rig.environment["OUT"] = rig.folder
        for name in ["bin", "tmp"] {
            try FileManager.default.createDirectory(
                atPath: rig.folder + "/" + name, withIntermediateDirectories: true)
        }
        // Another process writes the program: a child that some other test starts at the same moment would hold our
        // descriptor for a while, and a file that somebody may write cannot be run (ETXTBSY).
        let text = rig.folder + "/trimd.sh"
        try "#!/bin/sh\n\(script)\n".write(toFile: text, atomically: false, encoding: .utf8)
        let install = try Process.run(
            URL(filePath: "/usr/bin/install"), arguments: ["-m", "755", text, rig.folder + "/bin/trimd"])
        install.waitUntilExit()
        return rig
    }

    private func remains(_ rig: Rig) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: rig.folder + "/tmp")
    }

    @Test func oneThatEndsAtOnceIsQuoted() throws {
        let rig = try rig("echo '<3>there is no room' >&2; exit 1")
        #expect(rig.run(["probe", "in.mov", "--standalone", "--json"]) == 5)
        #expect(rig.err == "trimctl: the private trimd ended at once: there is no room\n")
        #expect(try rig.lastJSON()["error"]?["code"] == "noDaemon")
        #expect(try remains(rig).isEmpty)
    }

    @Test func controlCEndsItWhileItStarts() throws {
        let rig = try rig("exec sleep 60")
        rig.interrupts.raise()
        #expect(rig.run(["export", "in.mov", "--standalone"]) == 4)
        #expect(try remains(rig).isEmpty)
    }

    /// One that does a job or two need not prepare for many.
    @Test(arguments: [
        (["export", "a.mov"], true), (["check", "a.mov"], true), (["doctor"], true),
        (["export", "a.mov", "b.mov"], false), (["batch", "list.csv"], false),
    ]) func itIsToldHowMuchComes(_ words: [String], _ isLittle: Bool) throws {
        let rig = try rig("echo \"$@\" > \"$OUT/words\"; exit 1")
        try "input,start,end\na.mov,1,2\n".write(
            toFile: rig.folder + "/list.csv", atomically: false, encoding: .utf8)
        for name in ["a.mov", "b.mov"] { try Data().write(to: URL(filePath: rig.folder + "/" + name)) }
        _ = rig.run(words + ["--standalone"])
        let said = try String(contentsOfFile: rig.folder + "/words", encoding: .utf8)
        #expect(said.contains("--lifeline"))
        #expect(said.split { $0.isWhitespace }.contains("--few-jobs") == isLittle)
    }

    @Test func itIsAloneInItsGroupAndItsFolder() throws {
        // $2 is the socket; the fifth word of a process's stat is its group.
        let rig = try rig(
            """
            stat -c %a "$(dirname "$2")" > "$OUT/mode"; cut -d' ' -f5 /proc/$$/stat > "$OUT/group"
            echo $$ > "$OUT/pid"; echo "$@" > "$OUT/words"
            flock -n "$(dirname "$2")" true && echo free > "$OUT/lock"; exit 1
            """)
        #expect(rig.run(["presets", "--standalone"]) == 5)
        func said(_ name: String) throws -> String {
            try String(contentsOfFile: rig.folder + "/" + name, encoding: .utf8)
        }
        #expect(try said("mode") == "700\n")
        #expect(try said("group") == said("pid"))
        // Whoever binds a socket waits for this lock.
        #expect(try said("lock") == "free\n")
        let words = try said("words").split(separator: " ").map(String.init)
        #expect(
            words.first == "--socket" && words.contains("--state")
                && words.contains { $0.hasPrefix("--lifeline") })
        #expect(
            words[1].hasPrefix(rig.folder + "/tmp/trimctl-") && words[1].hasSuffix("/trimd.sock"))
    }

    /// A folder that a killed trimctl left goes; one that somebody holds, one that is too young and any other folder stays.
    @Test func aFolderThatNobodyHoldsGoes() throws {
        let rig = try rig("exit 1")
        func make(_ name: String, _ content: String, age: Double = 3600) throws -> String {
            let path = rig.folder + "/tmp/" + name
            try FileManager.default.createDirectory(
                atPath: path + "/" + content, withIntermediateDirectories: true)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
            return path
        }
        _ = try make("trimctl-left", "state")
        _ = try make("trimctl-young", "state", age: 0)
        _ = try make("trimctl-my-own", "state")
        _ = try make("trimctl-films", "holiday")
        let held = try make("trimctl-held", "state")
        let busy = try make("trimctl-busy", "state")
        let locks = [try lock(held), try lock(busy + "/state")]
        defer { locks.forEach { _ = close($0) } }
        let other = try make("trimctl-other", "state")
        if geteuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountID: 64001], ofItemAtPath: other)
        }
        #expect(rig.run(["presets", "--standalone"]) == 5)
        let rest = Set(try remains(rig))
        #expect(!rest.contains("trimctl-left"))
        #expect(
            rest.subtracting(["trimctl-other"])
                == ["trimctl-young", "trimctl-my-own", "trimctl-films", "trimctl-held", "trimctl-busy"])
        #expect(rest.contains("trimctl-other") == (geteuid() == 0))
    }

    private func lock(_ path: String) throws -> Int32 {
        let folder = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY).release()
        #expect(flock(folder, LOCK_EX | LOCK_NB) == 0)
        return folder
    }

    @Test func itsProgramIsBesideOrInLibexecOrOnThePath() throws {
        let rig = try rig("exit 0")
        #expect(try StandaloneDaemon.program(for: rig.surroundings) == rig.folder + "/bin/trimd")
        rig.program = rig.folder + "/sbin/trimctl"
        #expect(try StandaloneDaemon.program(for: rig.surroundings) == rig.folder + "/bin/trimd")
        rig.program = "/nowhere/trimctl"
        rig.environment["PATH"] = "relative:" + rig.folder + "/bin"
        #expect(try StandaloneDaemon.program(for: rig.surroundings) == rig.folder + "/bin/trimd")
        rig.environment["PATH"] = ""
        #expect(throws: MediaError.self) { try StandaloneDaemon.program(for: rig.surroundings) }
    }
}
