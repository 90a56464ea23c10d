// The blocks of the source that an output has instead of copies: asked for before the worker begins, and given when it has written the
// rest. A worker names places in both files and nothing else: they are checked here. On the run's queue.
internal import JobQueue
internal import Media
internal import Platform

extension JobRun {
    /// Bytes given at a time: between two it may be stopped.
    private static let piece: Int64 = 256 << 20
    /// More ranges than this are no worker's.
    private static let mostRanges = 100_000

    /// Finds out whether the output can have blocks of its source.
    func tryCloning() throws(MediaError) {
        cloneBlock = nil
        // An encode copies no samples.
        guard job.request.render != .encode, let file = source?.descriptor.rawValue,
            let size = source?.identity.size
        else { return }
        cloneBlock = try output?.cloneBlock(of: file, size: size, by: context.cloner)
    }

    /// Gives the output what its worker has left out, and says so in the result.
    func clone(_ result: inout ExportResult) throws(MediaError) {
        guard let ranges = result.clones else { return }
        (result.clones, result.bytesCloned) = (nil, nil)
        guard !ranges.isEmpty, let file = source?.descriptor.rawValue else { return }
        let began = ContinuousClock.now
        try check(ranges)
        var given = BlockCloner.Given()
        for range in ranges {
            var done: Int64 = 0
            while done < range.length {
                try checkNotStopped()
                let part = ClonedRange(
                    output: range.output + done, source: range.source + done,
                    length: min(JobRun.piece, range.length - done))
                try output?.give(part, of: file, by: context.cloner, &given)
                done += part.length
            }
        }
        if given.cloned > 0 { result.bytesCloned = given.cloned }
        let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
        note(
            "\(given.cloned) bytes are blocks of the source in \(ranges.count) ranges, \(given.copied) were copied"
                + "\(given.reason.map { " (\($0))" } ?? ""): \(Int(milliseconds)) ms")
    }

    /// Throws if ranges are not of whole blocks, in order, within both files.
    private func check(_ ranges: [ClonedRange]) throws(MediaError) {
        func wrong(_ why: String) -> MediaError {
            MediaError(.workerCrashed, "the worker's answer makes no sense: \(why)")
        }
        guard let block = cloneBlock, ranges.count <= JobRun.mostRanges else {
            throw wrong("it asks for blocks of the source")
        }
        let (most, end) = (source?.identity.size ?? 0, try output?.size() ?? 0)
        var last: Int64 = 0
        for range in ranges {
            let isAligned = [range.output, range.source, range.length].allSatisfy { $0 % block == 0 }
            guard isAligned, range.length > 0, range.source >= 0, range.output >= last,
                range.source <= most - range.length, range.output <= end - range.length
            else { throw wrong("it asks for other bytes than the source's whole blocks") }
            last = range.output + range.length
        }
    }
}
