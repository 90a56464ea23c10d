// The frames of a contact sheet: the first and last of each part exactly, the others from keyframes where these are close enough.
// A reader continues while it is nearer to the next time than the preceding keyframe, so no frame is decoded twice.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// Finds the frames for ascending times.
final class Thumbnails {
    private let source: SourceFile
    private let track: Track
    private let origin: Time
    private let diagnostics: Diagnostics
    private var reader: FrameReader?
    /// The last frame from the reader, and the one after it, if already read.
    private var current: FrameReader.Shown?
    private var following: FrameReader.Shown?
    private var decodedBefore: Int64 = 0

    init(_ source: SourceFile, _ track: Track, origin: Time, diagnostics: Diagnostics) {
        self.source = source
        self.track = track
        self.origin = origin
        self.diagnostics = diagnostics
    }

    /// Number of frames decoded so far.
    var decoded: Int64 { decodedBefore + (reader?.decoded ?? 0) }

    /// The frame for a planned thumbnail; it is shown until the next one begins, where that was read.
    func frame(_ moment: SheetPlan.Moment) throws(MediaError) -> FrameReader.Shown {
        let isOut = moment.mark == .end
        let isWanted = { (time: Time) in isOut ? time < moment.time : time <= moment.time }
        try move(to: moment)
        // A keyframe may be close enough for a thumbnail in between.
        if moment.mark == nil, let current,
            (moment.time - current.time).absoluteValue <= moment.tolerance
        {
            return current
        }
        while let next = try peek(), isWanted(next.time) || current == nil {
            (current, following) = (next, nil)
        }
        guard var current else {
            throw MediaError(
                .undecodableMediaData, "no frame of track \(track.index) decodes at \(moment.time.clock())",
                time: moment.time, track: track.index,
                remedy: "the file is damaged there; choose another range")
        }
        // Containers say how long a sample lasts in the order of decoding, rounded, or not at all.
        if let following { current.duration = following.time - current.time }
        return current
    }

    /// Moves the reader to the last position before a time.
    private func move(to moment: SheetPlan.Moment) throws(MediaError) {
        let tick = track.timebase.time(ofTicks: 1)
        let time = moment.mark == .end ? max(.zero, moment.time - tick) : moment.time
        // Decoding on is cheaper than seeking.
        if let current, current.time <= time, time - current.time <= Time(1, 2) { return }
        let fresh: FrameReader
        do throws(MediaError) {
            fresh = try FrameReader(source, track, origin: origin, at: time, diagnostics: diagnostics)
        } catch {
            // After the last keyframe a seek may fail; the current reader then continues.
            guard reader != nil, current.map({ $0.time <= time }) == true else { throw error }
            return
        }
        let first = try fresh.next()
        if let current, current.time <= time, let first, first.time <= current.time {
            decodedBefore += fresh.decoded
            return
        }
        decodedBefore += reader?.decoded ?? 0
        (reader, current, following) = (fresh, first, nil)
    }

    private func peek() throws(MediaError) -> FrameReader.Shown? {
        if following == nil { following = try reader?.next() }
        return following
    }
}
