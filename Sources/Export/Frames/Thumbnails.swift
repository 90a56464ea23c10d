// The frames of a contact sheet: the first and last of each part exactly, those between from keyframes where these lie close
// enough. One reader goes on as long as it is nearer to the next moment than the keyframe before that, so that no frame is
// decoded twice.
internal import Libav
internal import Media
internal import MediaTime

/// Finds the frames of moments in rising order.
final class Thumbnails {
    private let source: SourceFile
    private let track: Track
    private let origin: Time
    private let diagnostics: Diagnostics
    private var reader: FrameReader?
    /// The last picture taken from the reader, and the one after it, where that was read already.
    private var current: FrameReader.Shown?
    private var following: FrameReader.Shown?
    private var decodedBefore: Int64 = 0

    init(_ source: SourceFile, _ track: Track, origin: Time, diagnostics: Diagnostics) {
        self.source = source
        self.track = track
        self.origin = origin
        self.diagnostics = diagnostics
    }

    /// Frames decoded so far.
    var decoded: Int64 { decodedBefore + (reader?.decoded ?? 0) }

    /// The frame of a moment.
    func frame(_ moment: SheetPlan.Moment) throws(MediaError) -> FrameReader.Shown {
        let isOut = moment.mark == .end
        let isWanted = { (time: Time) in isOut ? time < moment.time : time <= moment.time }
        try move(to: moment)
        // What lies between may be a keyframe that is near enough.
        if moment.mark == nil, let current,
            (moment.time - current.time).absoluteValue <= moment.spacing.multiplied(by: 1, over: 2)
        {
            return current
        }
        while let next = try peek(), isWanted(next.time) || current == nil {
            (current, following) = (next, nil)
        }
        guard let current else {
            throw MediaError(
                .undecodableMediaData, "no picture of track \(track.index) decodes at \(moment.time.clock())",
                time: moment.time, track: track.index,
                remedy: "the file is damaged there; choose another range")
        }
        return current
    }

    /// Lets the reader stand at the last place before a moment.
    private func move(to moment: SheetPlan.Moment) throws(MediaError) {
        let tick = track.timebase.time(ofTicks: 1)
        let time = moment.mark == .end ? max(.zero, moment.time - tick) : moment.time
        // Decoding on is cheaper than looking for a place.
        if let current, current.time <= time, time - current.time <= Time(1, 2) { return }
        let fresh: FrameReader
        do throws(MediaError) {
            fresh = try FrameReader(source, track, origin: origin, at: time, diagnostics: diagnostics)
        } catch {
            // Behind the last keyframe nothing may be found; then what stands goes on.
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
