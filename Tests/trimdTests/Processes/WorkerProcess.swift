// A process as the kernel shows it in /proc, and the programs that these tests start.
import Foundation
import Glibc
import Platform
import Testing

/// A running process.
struct WorkerProcess {
    let pid: Int32

    init(_ pid: Int32) { self.pid = pid }

    /// A file of its folder as a whole: such a file has no size, and Foundation reads the first 4 KiB of it.
    private func text(_ name: String) -> String {
        guard let file = try? Descriptor(opening: "/proc/\(pid)/\(name)", O_RDONLY) else { return "" }
        var bytes: [UInt8] = []
        while let more = try? Kernel.read(file, 64 << 10), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Its mappings, a line each.
    var mappings: [Substring] { text("maps").split(separator: "\n") }

    /// Of the code of a file, by a part of its path: the KiB that the process has in its page tables, and those of them that are its own.
    func code(of path: String) -> (resident: Int, own: Int) {
        var isIt = false
        var found = (resident: 0, own: 0)
        for line in text("smaps").split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first?.hasSuffix(":") == false {
                isIt = line.contains(path) && line.contains(" r-xp ")
            } else if isIt, words.count > 1, let size = Int(words[1]) {
                if words[0] == "Rss:" { found.resident += size }
                if words[0] == "Anonymous:" { found.own += size }
            }
        }
        return found
    }

    private func link(_ name: String) -> String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/\(name)")) ?? ""
    }

    private func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/\(folder)")) ?? []).sorted()
    }

    /// The fields of `/proc/PID/status`.
    var status: [String: String] {
        var fields: [String: String] = [:]
        for line in text("status").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return fields
    }

    /// The state that a process has of its starter, and its open files: all that must not depend on how it was started.
    var surroundings: [String: String] {
        // Its own numbers, and what changes as it runs. Of filters a fork has its server's too.
        let own = [
            "Pid", "Tgid", "NStgid", "NSpid", "NSpgid", "SigQ", "FDSize", "Seccomp_filters",
            "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches",
        ]
        var found = status.filter { key, _ in
            !own.contains(key) && !key.hasPrefix("Vm") && !key.hasPrefix("Rss")
        }
        // The group, the session, the terminal, priority, niceness, and the scheduling.
        let stat = text("stat").split(separator: " ").map(String.init)
        for field in [5, 6, 7, 17, 18, 39, 40] where stat.count > field {
            found["stat \(field)"] = stat[field]
        }
        found["leads its group"] = stat.count > 4 ? "\(stat[4] == "\(pid)")" : nil
        found["stat 4"] = nil
        for name in [
            "limits", "environ", "oom_score_adj", "cgroup", "comm", "coredump_filter", "timerslack_ns",
        ] {
            found[name] = text(name)
        }
        for name in ["cwd", "root"] + names("ns").map({ "ns/\($0)" }) { found[name] = link(name) }
        for name in names("fd") {
            let flags = text("fdinfo/\(name)").split(separator: "\n").first { $0.hasPrefix("flags:") }
            found["fd \(name)"] = "\(link("fd/\(name)").prefix { $0 != "[" }) \(flags ?? "")"
        }
        return found
    }

    /// Whether its memory that it may write, or its arguments, hold these bytes; for root.
    func holds(_ marker: [UInt8]) throws -> Bool {
        let memory = try Descriptor(opening: "/proc/\(pid)/mem", O_RDONLY)
        let wanted = Data(marker)
        for line in mappings where line.contains(" rw") {
            let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int64($0, radix: 16) }
            guard bounds.count == 2 else { continue }
            var from = bounds[0]
            while from < bounds[1] {
                // Some special regions cannot be read.
                let count = Int(min(bounds[1] - from, 4 << 20))
                guard let bytes = try? Kernel.read(memory, count, at: from), !bytes.isEmpty else { break }
                if Data(bytes).range(of: wanted) != nil { return true }
                // A marker may lie across the bounds of two parts.
                from += Int64(
                    bytes.count < count || from + Int64(count) == bounds[1]
                        ? bytes.count : count - marker.count)
            }
        }
        return false
    }

    /// The children of this process that are still in one of these process groups, reaped or not: what a server forked and nobody
    /// took. Other tests' daemons may leave children to this process too.
    static func left(of servers: Set<Int32>) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { getpgid($0) != -1 && servers.contains(getpgid($0)) }
    }
}

/// The programs of this build.
enum TestPrograms {
    /// The path of one, beside the program that runs the tests.
    static func path(_ name: String) throws -> String {
        if let named = ProcessInfo.processInfo.environment["TRIMD_PROGRAMS"] { return "\(named)/\(name)" }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = URL(filePath: own)
        repeat {
            folder.deleteLastPathComponent()
        } while folder.path != "/"
            && !FileManager.default.isExecutableFile(atPath: folder.appending(path: name).path)
        let found = folder.appending(path: name).path
        return try #require(FileManager.default.isExecutableFile(atPath: found) ? found : nil)
    }
}
