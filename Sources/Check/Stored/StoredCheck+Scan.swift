// Reads the samples of an output once: all, or, where long stretches of each track are shared with the source, what lies before and
// behind those, and the sync samples in them. Half an hour has a hundred thousand samples, most of which would be counted and no more.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension StoredCheck {
    /// Reads all tracks.
    func scan() throws(MediaError) -> [Int: Scan] {
        guard !isThorough, !shared.ranges.isEmpty else { return try scanAll() }
        var around = self
        around.diagnostics = Diagnostics(besides: diagnostics)
        guard let found = try around.scanAroundShared() else { return try scanAll() }
        // Only now: where all is read after all, damage would be reported twice.
        diagnostics.merge(around.diagnostics.counted)
        return found
    }

    private func open() throws(MediaError) -> Demuxer {
        do throws(OpenFailure) { return try Demuxer(output, quick: true) } catch {
            throw MediaError(error, source: output)
        }
    }

    /// Reads a packet of a demuxer; nil: there is none.
    private func read(_ demuxer: Demuxer, _ packet: Packet) throws(MediaError) -> Packet? {
        switch demuxer.read(into: packet) {
        case .packet: return packet
        case .ended: return nil
        case .broken(let error):
            throw MediaError(.verificationFailed, "the output breaks off: \(error)")
        }
    }

    private func emptyPacket() throws(MediaError) -> Packet {
        try media(.outOfMemory) { () throws(LibavError) in try Packet() }
    }

    // MARK: All samples

    func scanAll() throws(MediaError) -> [Int: Scan] {
        let demuxer = try open()
        let shared = isThorough ? SharedBytes() : shared
        demuxer.omit(shared.ranges)
        // By the order of `tracks`: a dictionary would be asked for each sample.
        var scans = [Scan?](repeating: nil, count: tracks.count)
        var places: [Int?] = []
        for (place, stored) in tracks.enumerated() {
            let index = stored.track.index
            if index >= places.count { places += [Int?](repeating: nil, count: index + 1 - places.count) }
            places[index] = place
        }
        let packet = try emptyPacket()
        while let packet = try read(demuxer, packet) {
            guard packet.track < places.count, let which = places[packet.track] else { continue }
            try note(packet, tracks[which], &scans[which], demuxer, shared)
        }
        return zip(tracks, scans).reduce(into: [:]) { $0[$1.0.track.index] = $1.1 }
    }

    /// Notes a sample, whose bytes were left out where they are shared.
    private func note(
        _ packet: Packet, _ stored: Stored, _ scan: inout Scan?, _ demuxer: Demuxer, _ shared: SharedBytes
    ) throws(MediaError) {
        let bytes: [UInt8]
        if let place = packet.place, shared.overlaps(place) {
            guard scan == nil || (packet.isKey && stored.track.kind == .video) else {
                scan?.count += 1
                return
            }
            bytes = output.bytes(at: place.lowerBound, count: place.count)
        } else {
            bytes = packet.bytes
        }
        if scan == nil { scan = try begin(stored.track, demuxer, bytes) }
        scan?.count += 1
        try look(at: packet, bytes, stored, &scan)
    }

    // MARK: Around shared stretches

    /// More sync samples are read among the others: a seek goes through the tables of the index.
    private static let mostKeys = 1000

    /// Reads what lies around the shared stretches of all tracks; nil where one has none, or the index and what is read differ.
    func scanAroundShared() throws(MediaError) -> [Int: Scan]? {
        let demuxer = try open()
        var plans: [(stored: Stored, samples: [IndexedSample], stretch: SharedStretch)] = []
        for stored in tracks {
            guard let samples = demuxer.samples(of: stored.track.index),
                let stretch = SharedStretch(samples, in: shared, least: leastStretch),
                stored.track.kind != .video
                    || samples[stretch.samples].count(where: \.isKey) <= StoredCheck.mostKeys
            else { return nil }
            plans.append((stored, samples, stretch))
        }
        demuxer.omit(shared.ranges)
        var scans: [Int: Scan] = [:]
        for (stored, samples, stretch) in plans {
            guard let scan = try self.scan(stored, samples, around: stretch, demuxer, isFirst: scans.isEmpty)
            else { return nil }
            scans[stored.track.index] = scan
        }
        return scans
    }

    /// The sync samples of a stretch, each with the last sample before the next one.
    private static func syncSamples(
        _ stretch: ArraySlice<IndexedSample>
    ) -> [(key: IndexedSample, last: IndexedSample)] {
        var found: [(key: IndexedSample, last: IndexedSample)] = []
        for sample in stretch {
            if sample.isKey {
                found.append((sample, sample))
            } else if let key = found.last?.key {
                found[found.count - 1] = (key, sample)
            }
        }
        return found
    }

    private func scan(
        _ stored: Stored, _ samples: [IndexedSample], around stretch: SharedStretch, _ demuxer: Demuxer,
        isFirst: Bool
    ) throws(MediaError) -> Scan? {
        let track = stored.track.index
        let packet = try emptyPacket()
        var scan: Scan?
        demuxer.select(track: track)
        guard isFirst || demuxer.seek(track: track, toTicks: samples[0].ticks) else { return nil }
        while (scan?.count ?? 0) < stretch.samples.lowerBound {
            guard let next = try read(demuxer, packet), next.place == samples[scan?.count ?? 0].bytes else {
                return nil
            }
            try note(next, stored, &scan, demuxer, shared)
        }
        scan?.count = stretch.samples.upperBound
        if stored.track.kind == .video {
            for (key, last) in StoredCheck.syncSamples(samples[stretch.samples]) {
                // One by one: where FFmpeg leaves samples between them out, it gives sync samples the offsets of others (ctts). It
                // seeks by the time of presentation, which is not after the last frame of the GOP is decoded.
                guard demuxer.seek(track: track, toTicks: last.ticks), let next = try read(demuxer, packet),
                    next.place == key.bytes
                else { return nil }
                try look(
                    at: next, output.bytes(at: key.bytes.lowerBound, count: key.bytes.count), stored, &scan)
            }
        }
        guard stretch.samples.upperBound < samples.count else { return scan }
        guard demuxer.seek(track: track, toTicks: samples[stretch.samples.upperBound].ticks) else {
            return nil
        }
        var isBehind = false
        while let next = try read(demuxer, packet) {
            isBehind = isBehind || next.place == samples[stretch.samples.upperBound].bytes
            guard isBehind else { continue }
            try note(next, stored, &scan, demuxer, shared)
        }
        return scan?.count == samples.count ? scan : nil
    }

    // MARK: A sample

    private func begin(_ track: Track, _ demuxer: Demuxer, _ first: [UInt8]) throws(MediaError) -> Scan {
        let header = try media(.verificationFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(demuxer, track: track.index).extradata
        }
        return Scan(
            structure: SampleStructure(track, header: header, first: first),
            kind: SampleKind(codec: track.codec, extradata: header))
    }

    private func look(
        at packet: Packet, _ bytes: [UInt8], _ stored: Stored, _ scan: inout Scan?
    ) throws(MediaError) {
        let time = packet.pts.map { stored.track.timebase.time(ofTicks: $0) - zero }
        if let fault = scan?.structure.fault(in: bytes) {
            try report(Damage("a sample \(fault)", at: time), stored)
        }
        guard stored.track.kind == .video, packet.isKey, let time, time >= .zero else { return }
        // Frames after a recovery point may refer to earlier ones: decoding begins there only if there is no other position.
        let isFirst = scan?.keys.isEmpty == true
        if isFirst || scan?.kind.access(of: bytes) != .recovery { scan?.keys.append(time) }
    }
}
