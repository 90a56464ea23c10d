// ShardLock: keeps two runs of one shard apart, on one host or on two that share the outputs. A lock of the kernel on a file beside
// the outputs (fcntl's, of the open file), which NFS carries to other hosts and which ends with its process; besides, the file names its
// holder, who changes the file's time every few seconds. A mount that keeps locks to its host (NFS with nolock, Lustre with localflock) is
// noticed so: what another host has locked and still touches is held. The file exists only while it is held, or after a crash.
//
// A queue of its own touches the file. `unsafe`: a stat structure and paths lent to C.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Media
internal import Platform
internal import Synchronization
internal import Text

/// A held lock; released by `release`, or with the process.
final class ShardLock: Sendable {
    /// A reason that keeps a lock from being taken.
    enum Obstacle: Error {
        /// Another run has it.
        case held(ShardHolder?)
        /// A run on another host had it, and has not released it: it may be gone.
        case silent(ShardHolder?, Sign)
        /// The file cannot be locked.
        case failed(MediaError)
    }

    /// The value that a holder changes to show that it is alive.
    struct Sign: Hashable, Sendable {
        var seconds: Int, nanoseconds: Int
        var token: String?
    }

    /// Seconds between two signs of a holder, and seconds without one after which it is gone.
    static let interval = 15, patience = 60.0

    let path: String
    let holder: ShardHolder
    private let file: Descriptor
    private let queue = DispatchQueue(label: "shard lock")
    private let isReleased = Mutex(false)

    /// Takes the lock, without waiting.
    /// - Parameter dead: a sign of a silent holder for whom the caller has waited long enough.
    /// - Parameter onLoss: called on another thread, once, when somebody else has taken the lock.
    init(_ path: String, after dead: Sign? = nil, onLoss: @escaping @Sendable () -> Void = {})
        throws(Obstacle)
    {
        self.path = path
        holder = .own()
        file = try ShardLock.taken(path, by: holder, after: dead)
        watch(onLoss)
    }

    /// Shows every few seconds that this holder is alive, until the lock is released or lost.
    private func watch(_ onLoss: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .seconds(ShardLock.interval)) { [weak self] in
            guard let self, !self.isReleased.withLock({ $0 }) else { return }
            self.isHeld ? self.watch(onLoss) : onLoss()
        }
    }

    /// Whether this process still has the lock; shows that it is alive. A frozen holder may have been replaced.
    var isHeld: Bool {
        let raw = file.rawValue
        guard futimens(raw, nil) == 0, let now = ShardLock.contents(path) else { return false }
        return ShardHolder(now)?.token == holder.token
    }

    /// Gives the lock back: its file is removed.
    func release() {
        isReleased.withLock { $0 = true }
        queue.sync {}
        if isHeld { try? Kernel.remove(path) }
    }

    /// Whether somebody else has this lock now, and who.
    static func holder(of path: String) -> ShardHolder? {
        guard let file = try? Descriptor(opening: path, O_RDWR | O_NOFOLLOW) else { return nil }
        let found = contents(path).flatMap { ShardHolder($0) }
        if trim_try_lock(file.rawValue) != 0 { return found }
        guard let found, found.boot != ProcessTable.boot else { return nil }
        return age(file) < patience ? found : nil
    }

    /// The file, locked by this process and naming it.
    private static func taken(
        _ path: String, by holder: ShardHolder, after dead: Sign?
    ) throws(Obstacle) -> Descriptor {
        for _ in 0..<100 {
            if let file = try created(path, holder) { return file }
            guard FileSystem.exists(path) else { continue }
            let file = try opened(path, O_RDWR | O_NOFOLLOW)
            try lock(file, path)
            // Its holder removes it before it gives the lock back.
            guard isCurrent(file, path) else { continue }
            let last = contents(path).flatMap { ShardHolder($0) }
            // This kernel has no other lock of it: a holder on this host has ended.
            if last?.boot != ProcessTable.boot {
                let sign = sign(of: file, last)
                guard let dead else { throw .silent(last, sign) }
                guard dead == sign else { throw .held(last) }
            }
            do throws(SystemError) {
                try Kernel.cut(file, to: 0, path)
                lseek(file.rawValue, 0, SEEK_SET)
                try Kernel.write(holder.bytes, to: file, path)
                try Kernel.sync(file, path)
            } catch {
                throw failure(error)
            }
            return file
        }
        throw .held(nil)
    }

    /// A new file with this name, which is locked and has its contents before it gets the name; nil if there is one.
    private static func created(_ path: String, _ holder: ShardHolder) throws(Obstacle) -> Descriptor? {
        let draft = path + "." + holder.token
        let file = try opened(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        defer { try? Kernel.remove(draft) }
        try lock(file, draft)
        do throws(SystemError) {
            try Kernel.write(holder.bytes, to: file, draft)
            try Kernel.sync(file, draft)
        } catch {
            throw failure(error)
        }
        let isLinked = unsafe link(draft.nameBytes, path.nameBytes) == 0
        let code = errno
        // The answer may be lost on NFS, and the call repeated: the file says what happened.
        if isLinked || isCurrent(file, path) { return file }
        if code == EEXIST { return nil }
        throw failure(SystemError("making", path, code: code))
    }

    private static func opened(_ path: String, _ flags: Int32) throws(Obstacle) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor(opening: path, flags, mode: 0o666)
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: SystemError) -> Obstacle {
        .failed(
            MediaError(
                .notWritable, "locking the shard: \(error)", remedy: "name an --output-dir that you may write"
            ))
    }

    private static func lock(_ file: borrowing Descriptor, _ path: String) throws(Obstacle) {
        guard trim_try_lock(file.rawValue) != 0 else { return }
        let code = errno
        if code == EAGAIN || code == EACCES { throw .held(contents(path).flatMap { ShardHolder($0) }) }
        throw .failed(
            MediaError(
                .notWritable, "locking \(path): \(SystemError.reason(code))",
                remedy:
                    "mount this file system with locks (Lustre: -o flock), or run each shard once only, without --shard's lock, "
                    + "by dividing the list"))
    }

    private static func contents(_ path: String) -> [UInt8]? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NOFOLLOW) else { return nil }
        return try? Kernel.read(file, 4096)
    }

    private static func isCurrent(_ file: borrowing Descriptor, _ path: String) -> Bool {
        let raw = file.rawValue
        var (own, there) = (stat(), stat())
        guard unsafe fstat(raw, &own) == 0, unsafe stat(path.nameBytes, &there) == 0 else { return false }
        return own.st_ino == there.st_ino && own.st_dev == there.st_dev
    }

    private static func sign(of file: borrowing Descriptor, _ holder: ShardHolder?) -> Sign {
        let raw = file.rawValue
        var found = stat()
        _ = unsafe fstat(raw, &found)
        return Sign(
            seconds: Int(found.st_mtim.tv_sec), nanoseconds: Int(found.st_mtim.tv_nsec), token: holder?.token)
    }

    /// Seconds since the last sign, by this host's clock.
    private static func age(_ file: borrowing Descriptor) -> Double {
        Double(time(nil) - sign(of: file, nil).seconds)
    }
}
