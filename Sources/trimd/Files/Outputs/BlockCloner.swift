// BlockCloner: gives an output blocks of its source on file systems with shared extents (XFS, btrfs), and copies of them where a
// clone fails. It owns no file. Any thread.
internal import Glibc
internal import Media
internal import Platform

/// Gives files blocks of others.
struct BlockCloner: Sendable {
    /// A clone of so many bytes: of a file at an offset, to another at an offset; both by their descriptors.
    typealias Call =
        @Sendable (_ length: Int64, _ source: Int32, _ offset: Int64, _ file: Int32, _ place: Int64)
        throws(SystemError) -> Void

    /// The call that clones; nil: nothing is cloned.
    let call: Call?

    /// The kernel's clones.
    static let kernel = BlockCloner { (length, source, offset, file, place) throws(SystemError) in
        try Kernel.clone(length, of: source, at: offset, to: file, at: place)
    }

    /// No clones.
    static let off = BlockCloner(call: nil)

    /// A cloner with a call.
    init(call: Call?) { self.call = call }

    /// Of a smaller source nothing is cloned, in bytes.
    static let leastSource: Int64 = 4 << 20

    /// The errors of a file system that does not share these blocks, whose bytes are copied instead.
    private static let refusals: Set<Int32> = [EOPNOTSUPP, EXDEV, EINVAL, ENOTTY, ENOSYS, EPERM, ETXTBSY]

    /// Whether a clone failed since the file system does not share these blocks, whose bytes are copied instead.
    static func isRefused(_ error: SystemError) -> Bool { refusals.contains(error.code) }

    /// The bytes that an output was given.
    struct Given: Hashable {
        /// Bytes that are the source's blocks, and bytes that were copied.
        var cloned: Int64 = 0, copied: Int64 = 0
        /// Why bytes were copied.
        var reason: String?
    }
}

extension BlockCloner {
    /// The sizes that a block may have, in bytes.
    fileprivate static let sizes: ClosedRange<Int64> = 4096...(1 << 20)
}

extension OutputFile {
    /// The size of the blocks that the empty output can have of its source, found by a trial, after which it is empty; nil: none.
    func cloneBlock(of source: Int32, size: Int64, by cloner: BlockCloner) throws(MediaError) -> Int64? {
        guard let call = cloner.call, size >= BlockCloner.leastSource,
            let own = try? Kernel.blockSize(of: descriptor)
        else { return nil }
        let block = max(own, BlockCloner.sizes.lowerBound)
        guard BlockCloner.sizes.contains(block), block & (block - 1) == 0 else { return nil }
        do throws(SystemError) { try call(block, source, 0, descriptor.rawValue, 0) } catch { return nil }
        try empty()
        return block
    }

    /// Gives the output bytes of its source.
    func give(
        _ range: ClonedRange, of source: Int32, by cloner: BlockCloner, _ given: inout BlockCloner.Given
    ) throws(MediaError) {
        let file = descriptor.rawValue
        do throws(SystemError) {
            guard let call = cloner.call else { throw SystemError("cloning", "blocks", code: EOPNOTSUPP) }
            try call(range.length, source, range.source, file, range.output)
            given.cloned += range.length
            return
        } catch {
            guard BlockCloner.isRefused(error) else {
                throw MediaError(error, folder.path(of: temporaryName))
            }
            given.reason = SystemError.reason(error.code)
        }
        let count = try folder.onOwnFile(temporaryName) { () throws(SystemError) in
            try Kernel.copy(range.length, of: source, at: range.source, to: file, at: range.output)
        }
        guard count == range.length else {
            throw MediaError(
                .sourceChanged, "the source became shorter while it was exported",
                remedy: "submit it again once the file is complete")
        }
        given.copied += count
    }
}
