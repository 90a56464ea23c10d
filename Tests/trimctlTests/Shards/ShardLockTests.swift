// The lock of a shard: one holder at a time, whatever order the calls come in; a dead holder's lock is free on this host at once, and that
// of a silent one elsewhere only after it was given up.
import Foundation
import Glibc
import Media
import Platform
import Synchronization
import Testing

@testable import trimctl

@Suite struct ShardLockTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = "/tmp/trimctl-test-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// The reason that keeps the lock from being taken, as a word.
    private func obstacle(_ path: String, after dead: ShardLock.Sign? = nil) -> String {
        do throws(ShardLock.Obstacle) {
            try ShardLock(path, after: dead).release()
            return "none"
        } catch {
            switch error {
            case .held(let holder): return "held by \(holder?.pid ?? 0)"
            case .silent(let holder, _): return "silent \(holder?.host ?? "")"
            case .failed(let error): return "failed \(error.code)"
            }
        }
    }

    /// The sign of a silent holder.
    private func sign(_ path: String) -> ShardLock.Sign? {
        do throws(ShardLock.Obstacle) {
            try ShardLock(path).release()
        } catch {
            if case .silent(_, let sign) = error { return sign }
        }
        return nil
    }

    @Test func oneHolderAtATime() throws {
        try withFolder { folder in
            let path = folder + "/a.lock"
            let lock = try ShardLock(path)
            #expect(lock.isHeld && obstacle(path) == "held by \(getpid())")
            #expect(ShardLock.holder(of: path)?.token == lock.holder.token)
            #expect(try names(folder) == ["a.lock"])
            lock.release()
            let left = try names(folder)
            #expect(left.isEmpty && !lock.isHeld && ShardLock.holder(of: path) == nil)
            #expect(obstacle(path) == "none" && obstacle(folder + "/none/a.lock") == "failed notWritable")
        }
    }

    /// Many threads at once, many times: the counter shows two holders at one time.
    @Test func manyAtOnce() throws {
        try withFolder { folder in
            let path = folder + "/a.lock"
            let inside = Atomic<Int>(0), most = Atomic<Int>(0), taken = Atomic<Int>(0)
            DispatchQueue.concurrentPerform(iterations: 200) { _ in
                guard let lock = try? ShardLock(path) else { return }
                let now = inside.add(1, ordering: .relaxed).newValue
                most.max(now, ordering: .relaxed)
                taken.add(1, ordering: .relaxed)
                inside.subtract(1, ordering: .relaxed)
                lock.release()
            }
            #expect(most.load(ordering: .relaxed) == 1 && taken.load(ordering: .relaxed) > 0)
            let left = try names(folder)
            #expect(left.isEmpty)
        }
    }

    private func leave(_ path: String, boot: String) throws {
        var holder = ShardHolder.own()
        (holder.boot, holder.host, holder.token) = (boot, "elsewhere", "other")
        try Data(holder.bytes).write(to: URL(filePath: path))
    }

    @Test func aDeadHoldersLockIsFreeOnItsHost() throws {
        try withFolder { folder in
            let path = folder + "/a.lock"
            try leave(path, boot: ProcessTable.boot)
            #expect(ShardLock.holder(of: path) == nil)
            let lock = try ShardLock(path)
            #expect(lock.isHeld)
            lock.release()
            let left = try names(folder)
            #expect(left.isEmpty)
        }
    }

    @Test func aHolderElsewhereIsWaitedFor() throws {
        try withFolder { folder in
            let path = folder + "/a.lock"
            try leave(path, boot: "another")
            let first = try #require(sign(path))
            #expect(obstacle(path) == "silent elsewhere" && ShardLock.holder(of: path)?.host == "elsewhere")
            // It gave a sign meanwhile.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -9)], ofItemAtPath: path)
            #expect(obstacle(path, after: first).hasPrefix("held"))
            let now = try #require(sign(path))
            #expect(obstacle(path, after: now) == "none")
        }
    }

    /// A frozen process, whose lock another host took: it notices, and leaves the other's alone.
    @Test func aLostLockIsNoticed() throws {
        try withFolder { folder in
            let path = folder + "/a.lock"
            let lock = try ShardLock(path)
            try FileManager.default.removeItem(atPath: path)
            #expect(!lock.isHeld)
            try leave(path, boot: "another")
            #expect(!lock.isHeld)
            lock.release()
            #expect(try names(folder) == ["a.lock"])
        }
    }

    @Test func rubbishIsNoHolder() throws {
        try withFolder { folder in
            for rubbish in ["", "{", "[]", #"{"host": 1}"#, String(repeating: "x", count: 9000)] {
                let path = folder + "/a.lock"
                try Data(rubbish.utf8).write(to: URL(filePath: path))
                #expect(obstacle(path) == "silent ", "\(rubbish.prefix(9))")
            }
            let link = folder + "/b.lock"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder + "/a.lock")
            #expect(obstacle(link) == "failed notWritable")
        }
    }
}
