// Numbers of frames: how many frames of a track are shown before one. Read from packets, decoded are none: where a movie's index lists
// every sample, from the index and the packets since a keyframe; elsewhere from the rate where it is constant, and by counting from the
// beginning where that is near. Used on one queue at a time; times are best asked for in ascending order.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// Finds the numbers of a track's frames, counted from 0 in the order of presentation.
final class FrameNumbers {
    /// How much of a file without an index is read to count its frames, in bytes: a tenth of a second's work in Matroska, some tenths in a
    /// transport stream. Where the rate tells, much less.
    private var mostBytes: Int64 { (track.video?.isVariable == true ? 64 : 8) << 20 }
    /// How many keyframes back counting may begin: a frame may be shown before the keyframe that it follows.
    private static let mostSeeks = 4

    /// No frame is stored behind so many that are shown after it.
    private static let mostReordered = 64

    private let source: SourceFile
    private let track: Track
    private let origin: Time
    private let duration: Time?
    private lazy var shown = ShownFrames(source, track, origin: origin)
    private var indexed: SampleReader?
    private var count: Count?

    /// Frames that were counted from the beginning on.
    private struct Count {
        let reader: SampleReader
        var shown: Set<Int64> = []
        /// No frame before this time, in ticks, is still to come.
        var known = Int64.min
    }

    init(_ source: SourceFile, _ track: Track, of asset: Asset) {
        self.source = source
        self.track = track
        (origin, duration) = (asset.start, asset.duration)
    }

    /// The number of the frame that begins at a time; nil where no frame does, and where finding out would mean reading much of the file.
    func number(ofFrameAt time: Time) -> Int64? {
        let ticks = track.timebase.ticks(of: time + origin, rounding: .halfAwayFromZero).ticks
        if let number = numberByIndex(ticks) { return number }
        // A rate that a probe finds constant may change later.
        return counted(ticks, at: time)
            ?? track.number(
                ofFrameAt: time, first: shown.first.map { track.timebase.time(ofTicks: $0) - origin })
    }

    /// The shown samples before a keyframe, and those from there on that are shown before the frame.
    private func numberByIndex(_ ticks: Int64) -> Int64? {
        // There the index counts fields.
        guard track.video?.fieldCoding != .separateSamples, !shown.isPartial, let packet = try? Packet()
        else { return nil }
        guard let reader = indexed ?? (try? SampleReader(source, quick: true)), reader.demuxer.hasIndex else {
            return nil
        }
        indexed = reader
        reader.select(track: track.index)
        var target = ticks
        for _ in 0..<FrameNumbers.mostSeeks {
            guard reader.seek(track: track.index, toTicks: target), let first = next(reader, packet),
                let before = reader.demuxer.shownSamples(before: packet)
            else { return nil }
            guard first.pts <= ticks else {
                target = (first.dts ?? first.pts) - 1
                continue
            }
            var shown = packet.isDiscarded ? [] : [first.pts]
            while let sample = next(reader, packet), sample.dts ?? .min <= ticks {
                if !packet.isDiscarded { shown.append(sample.pts) }
            }
            return shown.contains(ticks) ? before + Int64(shown.count { $0 < ticks }) : nil
        }
        return nil
    }

    /// The frames before one, counted from the beginning.
    private func counted(_ ticks: Int64, at time: Time) -> Int64? {
        if let duration, duration > .zero,
            time.seconds / duration.seconds * Double(source.size) > Double(mostBytes)
        {
            return nil
        }
        guard var count = count ?? (try? SampleReader(source, quick: true)).map({ Count(reader: $0) }),
            let packet = try? Packet()
        else { return nil }
        count.reader.select(track: track.index)
        var later = count.shown.count { $0 > ticks }
        while count.known <= ticks, later < FrameNumbers.mostReordered,
            count.reader.demuxer.bytesRead <= 2 * mostBytes
        {
            guard let sample = next(count.reader, packet) else {
                count.known = .max
                break
            }
            if shown.contains(packet), count.shown.insert(sample.pts).inserted, sample.pts > ticks {
                later += 1
            }
            // Matroska stores no times of decoding.
            count.known = max(count.known, sample.dts ?? .min)
        }
        self.count = count
        guard count.known > ticks || later >= FrameNumbers.mostReordered, count.shown.contains(ticks) else {
            return nil
        }
        return Int64(count.shown.count { $0 < ticks })
    }

    /// The times of the track's next sample that has any; nil at the end, and where reading fails.
    private func next(_ reader: SampleReader, _ packet: Packet) -> (pts: Int64, dts: Int64?)? {
        while case .packet = reader.read(into: packet) {
            guard packet.track == track.index, let pts = packet.pts else { continue }
            return (pts, packet.dts)
        }
        return nil
    }
}

extension Track {
    /// The number of the frame that begins at a time, counted from 0, by its rate; nil where that varies or is not known, or where the
    /// time is none of a frame at that rate.
    /// - Parameter first: when the first frame that decodes begins; nil: all decode.
    fileprivate func number(ofFrameAt time: Time, first: Time?) -> Int64? {
        guard let video, let rate = video.frameRate, !video.isVariable else { return nil }
        let offset = (time - (first ?? start ?? .zero)).multiplied(by: rate.numerator, over: rate.denominator)
        let number = offset.converted(to: 1, rounding: .halfAwayFromZero)
        return (offset - number).absoluteValue <= Time(1, 4) ? number.value : nil
    }
}
