// Tracks whose edit lists FFmpeg misreads, among those that it reads. On the demuxer's queue.
internal import CFFmpeg

extension Demuxer {
    /// How edit lists are read that FFmpeg misreads.
    enum Edits {
        /// Applied here.
        case applied
        /// Not at all: the times are those of the media.
        case ignored
    }

    /// Begins to read the tracks whose lists FFmpeg does not see.
    func applyEdits(_ lists: MisreadEdits?, of source: SourceFile) {
        guard let lists else { return }
        for (track, parts) in lists.parts.sorted(by: { $0.key < $1.key }) {
            guard let stream = unsafe ownStream(track),
                unsafe stream.pointee.discard.rawValue < AVDISCARD_ALL.rawValue,
                let program = EditedTrack.program(of: source, track: track, parts)
            else { continue }
            edited[track] = EditedTrack(source, track: track, program)
            unsafe stream.pointee.discard = AVDISCARD_ALL
            unsafe (stream.pointee.start_time, stream.pointee.duration) = (
                program.start, program.end - program.start
            )
        }
        guard !edited.isEmpty else { return }
        let micro = AVRational(num: 1, den: AV_TIME_BASE)
        var (start, end): (Int64?, Int64?)
        for index in 0..<ownTrackCount {
            guard let stream = unsafe ownStream(index), let first = unsafe known(stream.pointee.start_time),
                unsafe [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO].contains(
                    stream.pointee.codecpar.pointee.codec_type)
            else { continue }
            let base = unsafe stream.pointee.time_base
            let begin = av_rescale_q(first, base, micro)
            start = min(start ?? begin, begin)
            if let length = unsafe known(stream.pointee.duration) {
                let last = av_rescale_q(first &+ length, base, micro)
                end = max(end ?? last, last)
            }
        }
        guard let start else { return }
        unsafe context.pointee.start_time = start
        if let end { unsafe context.pointee.duration = end - start }
    }

    /// Whether a track is read part by part: the container's index has other times.
    func isEdited(_ track: Int) -> Bool { edited[track] != nil }

    /// Selects one track.
    func selectAmongEdited(_ track: Int) {
        for (index, other) in edited {
            other.isWanted = index == track
            unsafe ownStream(index)?.pointee.discard = AVDISCARD_ALL
        }
        mainTime = edited[track] == nil ? mainTime : .infinity
        readsMain = edited[track] == nil
    }

    /// Seeks all tracks; false if this one cannot be reached.
    func seekEdited(track: Int, toTicks ticks: Int64) -> Bool {
        guard let base = unsafe ownStream(track)?.pointee.time_base else { return false }
        var reached = true
        for (index, other) in edited where other.isWanted {
            guard let own = unsafe ownStream(index)?.pointee.time_base else { continue }
            let found = other.seek(toTicks: av_rescale_q_rnd(ticks, base, own, AV_ROUND_DOWN))
            if index == track { reached = found } else if !found { other.rewind() }
        }
        mainTime = readsMain ? -.infinity : .infinity
        guard readsMain else { return reached }
        if edited[track] == nil { return seekSettled(track: track, toTicks: ticks) }
        // The others follow.
        if let main = (0..<ownTrackCount).first(where: { edited[$0] == nil }),
            let own = unsafe ownStream(main)?.pointee.time_base
        {
            _ = seekSettled(track: main, toTicks: av_rescale_q_rnd(ticks, base, own, AV_ROUND_DOWN))
        }
        return reached
    }

    /// Reads the next packet: that of the track that lags behind.
    func readAmongEdited(into packet: Packet) -> Reading {
        while true {
            var (next, time) = (nil as EditedTrack?, mainTime)
            for other in edited.values where other.isWanted {
                guard let ticks = other.upcomingTicks,
                    let base = unsafe ownStream(other.track)?.pointee.time_base
                else { continue }
                let begins = Double(ticks) * av_q2d(base)
                if begins < time || next == nil && time == .infinity { (next, time) = (other, begins) }
            }
            if let next {
                let reading = next.read(into: packet)
                if case .broken = reading { next.isWanted = false }
                return reading
            }
            guard mainTime < .infinity else { return .ended }
            let reading = readStored(into: packet)
            guard case .packet = reading else {
                if case .broken = reading { return reading }
                // The others go on to their ends.
                mainTime = .infinity
                guard edited.values.contains(where: { $0.isWanted && $0.upcomingTicks != nil }) else {
                    return reading
                }
                continue
            }
            if let ticks = packet.dts ?? packet.pts,
                let base = unsafe ownStream(packet.track)?.pointee.time_base
            {
                mainTime = Double(ticks) * av_q2d(base)
            }
            return reading
        }
    }

    /// The rate of a track's samples, and its ticks per second; nil: it has none.
    func sampleRate(of track: Int) -> (samples: Int64, ticks: Int64)? {
        guard let stream = unsafe ownStream(track), unsafe stream.pointee.codecpar.pointee.sample_rate > 0,
            unsafe stream.pointee.time_base.num == 1
        else { return nil }
        return unsafe (
            Int64(stream.pointee.codecpar.pointee.sample_rate), Int64(stream.pointee.time_base.den)
        )
    }
}
