// The figures of an output that are known before it is written, for those who set space and processors aside.
internal import Libav
internal import Media
public import MediaTime
internal import Render

/// The figures of an output that are known before it is written.
public struct PlannedOutput: Hashable, Sendable {
    /// Maximum bytes of the output; nil: unknown.
    public var bytes: Int64?
    /// Its duration; nil: unknown.
    public var length: Time?
    /// The processors that writing it can use; nil: as many as there are; 0: less than one, since it waits for disks.
    public var processors: Int?
    /// It needs fewer processors than before, since it is being written or its units are made; what checks it keeps its threads.
    public var isBegun = false
}

extension ExportPlan {
    /// The processors that rendering it can use at first; nil: as many as there are.
    /// - Parameter isJoined: the tracks that are encoded are made already.
    func processors(isJoined: Bool) -> Int? {
        if isJoined { return 1 }
        // Heads and tails are encoded ahead of what is copied.
        guard let video else { return smartTrim?.hasHeadOrTail == true ? nil : copyingProcessors }
        // Decoding and filtering go on beside an encoder that has one thread.
        return Encoder.usesThreads(video.settings.encoder) ? nil : max(1, copyingProcessors) + 1
    }

    /// The processors that rendering it can use while no video is encoded: audio that is encoded has a lane of its own for each
    /// track, in which the encoder does most of the work. Copying waits for disks most of the time.
    var copyingProcessors: Int { audio.count { !$0.isCopied } }
}
