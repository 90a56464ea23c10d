// Finds where the clock of an MPEG stream goes back, as where recordings were put together byte by byte. From there on frames have times
// that others before them have: a time says no longer which frame is meant. Reads small files whole; of large ones some packets
// everywhere, and all where the clock of these goes back. Decodes nothing.
package import Libav
package import Media
package import MediaTime

/// A place where the clock goes back.
package struct ClockJump: Hashable {
    /// The track whose times show it.
    package let track: Int
    /// The latest time before it, in asset time.
    package let from: Time
    /// The time after it.
    package let to: Time

    /// Bytes that are read whole.
    private static let fewBytes: Int64 = 4 << 20
    /// Places of a large file at which packets are read.
    private static let places: Int64 = 32
    /// Packets in a row that show that the clock went back, and that it was there before: one may be damaged.
    private static let run = 4
    /// Times that go back by less are inaccurate.
    private static let least = Time(1, 20)

    /// Jumps of one file that are reported.
    private static let most = 16

    /// All of a file, in the order of its bytes; none where the source is no stream of its own clock.
    package static func all(in source: SourceFile, of asset: Asset) -> [ClockJump] {
        guard source.joined == nil, ["mpegts", "mpeg"].contains(asset.container.format),
            let track = asset.mainVideo ?? asset.tracks.first(where: { $0.kind == .audio }),
            let demuxer = try? Demuxer(source, quick: true), let packet = try? Packet()
        else { return [] }
        demuxer.select(track: track.index)
        let scan = Scan(demuxer: demuxer, track: track, packet: packet)
        let whole = 0..<source.size
        let found =
            source.size > ClockJump.fewBytes
            ? scan.suspects(in: whole).flatMap { scan.jumps(in: $0, isWhole: false) }
            : scan.jumps(in: whole, isWhole: true)
        var jumps: [ClockJump] = []
        for (from, to) in found.prefix(ClockJump.most) {
            let jump = ClockJump(track: track.index, from: from - asset.start, to: to - asset.start)
            if !jumps.contains(jump) { jumps.append(jump) }
        }
        return jumps
    }

    /// It as a fault of the file.
    package var fault: Fault {
        Fault(
            .clockJump,
            "the clock goes back from \(from.clock()) to \(to.clock()), as where recordings were put together: times in between are there twice",
            track: track)
    }

    /// Warns of a range with times that are there twice.
    package func warn(in segments: Segments, _ diagnostics: Diagnostics) {
        let time = segments.all.first { segment in
            segment.start < from && to < segment.end ?? .positiveInfinity
        }.map { max($0.start, to) }
        guard let time else { return }
        diagnostics.warn(
            Warning(
                .timestamps,
                "\(fault.message), and the output has one frame of them; ffmpeg -i FILE -c copy FILE.mkv gives a file one clock",
                time: time, track: track))
    }

    /// Reads the decoding times of a track.
    private struct Scan {
        let demuxer: Demuxer
        let track: Track
        let packet: Packet

        /// The next packet: when it is decoded, from when to when it is shown, and its place.
        private func next() -> (time: Time, begin: Time, end: Time, place: Int64?)? {
            while case .packet = demuxer.read(into: packet) {
                guard packet.track == track.index, let ticks = packet.dts ?? packet.pts else { continue }
                let begin = packet.pts ?? ticks
                return (
                    track.timebase.time(ofTicks: ticks), track.timebase.time(ofTicks: begin),
                    track.timebase.time(ofTicks: begin + packet.duration), packet.place?.lowerBound
                )
            }
            return nil
        }

        /// The time at a place; the first packets there may be parts, or lack their times.
        private func time(at place: Int64) -> Time? {
            if place > 0 { guard demuxer.seek(toByte: place) else { return nil } }
            return (0..<ClockJump.run).compactMap { _ in next()?.time }.last
        }

        /// The bytes between two places of which the later has the earlier time.
        func suspects(in bytes: Range<Int64>) -> [Range<Int64>] {
            let step = Int64(bytes.count) / ClockJump.places
            var last: (place: Int64, time: Time)?
            // A short recording may be the last.
            let places =
                Array(stride(from: bytes.lowerBound, to: bytes.upperBound, by: Int(max(1, step))))
                + [1 << 19, 1 << 17].map { bytes.upperBound - $0 }
            var found: [Range<Int64>] = []
            for place in places.sorted() where found.count < ClockJump.most {
                guard let time = time(at: place) else { continue }
                if let last, time < last.time - ClockJump.least {
                    found.append(halved(last.place..<place, after: last.time))
                }
                last = (place, time)
            }
            return found
        }

        /// The part of these bytes in which times fall below one that is before them.
        private func halved(_ bytes: Range<Int64>, after time: Time) -> Range<Int64> {
            var (bytes, last) = (bytes, time)
            while Int64(bytes.count) > ClockJump.fewBytes {
                let middle = bytes.lowerBound + Int64(bytes.count) / 2
                guard let found = self.time(at: middle) else { return bytes }
                if found < last - ClockJump.least {
                    bytes = bytes.lowerBound..<middle
                } else {
                    (bytes, last) = (middle..<bytes.upperBound, found)
                }
            }
            return bytes
        }

        /// Where times go back in these bytes; of a part of a file, the first place, which may be right after them.
        func jumps(in bytes: Range<Int64>, isWhole: Bool) -> [(from: Time, to: Time)] {
            if !isWhole { guard demuxer.seek(toByte: bytes.lowerBound) else { return [] } }
            var found: [(from: Time, to: Time)] = []
            var before: [(time: Time, end: Time)] = []
            var after: [(time: Time, begin: Time, end: Time)] = []
            while let (time, begin, end, place) = next() {
                let least = before.map(\.time).min()
                if let least, before.count == ClockJump.run, time < least - ClockJump.least {
                    after.append((time, begin, end))
                    if after.count == ClockJump.run, let from = before.map(\.end).max(),
                        let to = after.map(\.begin).min()
                    {
                        found.append((from, to))
                        guard isWhole, found.count < ClockJump.most else { return found }
                        (before, after) = (after.map { ($0.time, $0.end) }, [])
                    }
                    continue
                }
                after = []
                before = before.suffix(ClockJump.run - 1) + [(time, end)]
                if !isWhole, let place, place > bytes.upperBound + ClockJump.fewBytes { return found }
            }
            return found
        }
    }
}
