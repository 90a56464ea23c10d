// The processes of a rig's daemon, and its descriptors, as the kernel tells them.
import Foundation
import Glibc

extension Rig {
    /// The children of a daemon, by the names of their programs; a dead one that was not reaped counts.
    static func children(of daemon: Int32) -> [(pid: Int32, name: String)] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.compactMap { pid in
            guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
                status.contains("PPid:\t\(daemon)\n"), let line = status.split(separator: "\n").first
            else { return nil }
            return (pid, String(line.dropFirst("Name:\t".count)))
        }
    }

    /// The fork servers of a daemon.
    static func forkServers(of daemon: Int32) -> [Int32] {
        children(of: daemon).filter { $0.name == "trim-forkserver" }.map(\.pid)
    }

    /// The number of descriptors that the daemon has open.
    func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    }

    /// Waits until the daemon has a fork server and a spare, and nothing besides.
    func waitForRest() throws {
        try wait("a fork server and a spare alone") {
            Rig.children(of: pid).map(\.name).sorted() == ["trim-forkserver", "trim-worker"]
        }
    }

    /// The daemon's worker processes that have work: those with an output open in this folder.
    func busyWorkers() -> [Int32] { workers { $0.contains(".part") } }

    /// The worker that writes the output of a name.
    func worker(exporting name: String) -> Int32? { workers { $0.contains(".\(name).trimd-") }.first }

    /// Stops all workers that export, so that no job ends meanwhile, however long the test takes.
    func freeze() throws -> [Int32] {
        var frozen: [Int32] = []
        try wait("workers that stand still") {
            frozen = busyWorkers()
            for pid in frozen { kill(pid, SIGSTOP) }
            // One may have ended, and another begun, before the signal came.
            return !frozen.isEmpty && frozen.allSatisfy { state($0) == "T" } && busyWorkers() == frozen
        }
        return frozen
    }

    /// Lets workers go on.
    func thaw(_ workers: [Int32]) { for pid in workers { kill(pid, SIGCONT) } }

    /// The state of a process: T where it is stopped; nil: there is none.
    func state(_ pid: Int32) -> Character? {
        let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.first { $0 != " " }
    }

    private func workers(_ isMeant: (String) -> Bool) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { pid in
            guard let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8),
                name == "trim-worker\n"
            else { return false }
            // Only root may see the open files of a sealed process; else: a child of the daemon with more threads than a spare.
            guard let links = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd") else {
                let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
                return status.contains("PPid:\t\(self.pid)\n") && !status.contains(/Threads:\t[12]\n/)
            }
            return links.contains { fd in
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(pid)/fd/\(fd)")
                return target.map { $0.hasPrefix(folder.path) && isMeant($0) } ?? false
            }
        }
    }
}
