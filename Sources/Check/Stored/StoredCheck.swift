// Checks the copied part of an output: is it complete, and does it decode? Reads all of it once and checks the structure of each
// sample; then decodes a subset, spread over its duration and bounded by cost, or all of it. Of what the output shares with its source on
// the disk, the bytes are the source's whoever reads them: there it reads the keyframes, and what it decodes. Errors come from the source,
// since copied samples are unchanged; they are reported with the source's time.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

/// The check of an output's tracks that were copied, completely or in their middle.
struct StoredCheck {
    /// A track of the output, and its result in the export. A class, since it is passed on with each sample.
    final class Stored: Sendable {
        let track: Track
        let result: TrackResult

        init(track: Track, result: TrackResult) { (self.track, self.result) = (track, result) }
    }
    let output: SourceFile
    /// The container time of the output's 0.
    let zero: Time
    let tracks: [Stored]
    /// Everything is decoded, and damage is an error.
    let isThorough: Bool
    /// The bytes that the output shares with its source.
    var shared = SharedBytes()
    var diagnostics: Diagnostics
    /// Samples of the shortest shared stretch that is not read.
    var leastStretch = SharedStretch.usualLeast
    /// Pixels of a video track that is decoded as a whole, at most: about 250 frames of 1080p, two CPU seconds.
    var pixels = mostPixels
    private static let mostPixels = 512 << 20
    /// Pixels decoded of a longer one: four frames of 1080p from each position, a quarter of a CPU second. Of half an hour it is one frame
    /// in several hundred, and the structure of all samples is checked.
    private static let sampledPixels = 80 << 20

    /// Maximum number of positions at which decoding begins.
    private static let mostPositions = 12
    /// Minimum number of frames decoded from each position.
    private static let fewest = 4
    /// Audio decoded from each position, and before it.
    private static let audioLength = Time(1, 1), runUp = Time(1, 2)

    /// The scan of a track.
    struct Scan {
        var structure: SampleStructure
        var kind: SampleKind
        var count = 0
        /// When samples that decoding can begin with are shown, in output time.
        var keys: [Time] = []
    }

    /// Throws if the output cannot be read to its end; reports other findings as warnings.
    /// - Returns: of each audio track that was decoded as a whole and without damage, when its last frame begins, in ticks.
    @discardableResult
    func run() throws(MediaError) -> [Int: Int64] {
        var whole: [Int: Int64] = [:]
        guard !tracks.isEmpty else { return whole }
        let scans = try scan()
        for stored in tracks where stored.track.isDecodable {
            guard let scan = scans[stored.track.index], scan.count > 0 else { continue }
            if stored.track.kind == .video {
                try decodeVideo(stored, scan)
            } else {
                whole[stored.track.index] = try decodeAudio(stored)
            }
        }
        return whole
    }

    // MARK: Decoding

    /// Whether a video track of so many samples is decoded as a whole.
    static func decodesAll(_ count: Int, of track: Track) -> Bool {
        count <= most(mostPixels, of: track)
    }

    /// Frames of a track that have so many pixels.
    private static func most(_ pixels: Int, of track: Track) -> Int {
        max(fewest, pixels / max(1, (track.video?.width ?? 0) * (track.video?.height ?? 0)))
    }

    private func decodeVideo(_ stored: Stored, _ scan: Scan) throws(MediaError) {
        var frames = StoredCheck.most(pixels, of: stored.track)
        guard !isThorough, scan.count > frames, let last = scan.keys.max() else {
            let threads = HeadTailDecoder.threads(forFrames: scan.count, of: stored.track)
            let all = damage(of: stored, from: .zero, most: .max, threads: threads)
            for one in all { try report(one, stored) }
            return
        }
        frames = min(frames, StoredCheck.most(StoredCheck.sampledPixels, of: stored.track))
        let positions = min(StoredCheck.mostPositions, max(1, frames / StoredCheck.fewest))
        let keys = Set(
            (0..<positions).map { index in
                let time = last.multiplied(by: Int64(index), over: Int64(max(1, positions - 1)))
                return scan.keys.filter { $0 <= time }.max() ?? .zero
            }
        ).sorted()
        let most = frames / positions
        // Each position has a decoder of its own, and too few frames for several threads.
        let found = keys.concurrentMap { damage(of: stored, from: $0, most: most, threads: 1) }
        for one in found.joined() { try report(one, stored) }
    }

    /// Decodes frames from a position.
    /// - Parameter most: so many of them.
    /// - Returns: what does not decode.
    private func damage(of stored: Stored, from time: Time, most: Int, threads: Int) -> [Damage] {
        let track = stored.track
        let decoder = HeadTailDecoder(
            source: output, track: track, origin: zero, diagnostics: Diagnostics(), threads: threads,
            isOutput: true, isRough: true)
        let ticks = track.timebase.ticks(of: time + zero, rounding: .towardNegativeInfinity).ticks
        var count = 0
        var found: [Damage] = []
        do throws(MediaError) {
            // Of an output that hides its beginning, the frames that are shown refer to hidden ones.
            let before = try decoder.decode(
                from: time, needed: ticks, damaged: { found.append($0) },
                { _ in
                    count += 1
                    return count < most
                })
            if let before { found.append(before) }
        } catch { found.append(Damage(error.message, at: time)) }
        return found
    }

    /// - Returns: when the last frame begins, in ticks, if all of the track was decoded and nothing is damaged; else nil.
    private func decodeAudio(_ stored: Stored) throws(MediaError) -> Int64? {
        let length = stored.result.length
        // A file with many languages costs no more than one with few.
        let audioTracks = tracks.count { $0.track.kind == .audio }
        let positions = max(2, StoredCheck.mostPositions * 4 / max(4, audioTracks))
        guard !isThorough, length > StoredCheck.audioLength.multiplied(by: Int64(2 * positions), over: 1)
        else {
            return try decodeAudio(stored, from: .zero, to: nil)
        }
        for index in 0..<positions {
            let time = length.multiplied(by: Int64(index), over: Int64(positions))
            _ = try decodeAudio(stored, from: time, to: time + StoredCheck.audioLength)
        }
        return nil
    }

    /// Decodes audio between two times and reports what does not decode.
    /// - Returns: when the last frame begins, in ticks; nil if there is none, or anything is damaged.
    private func decodeAudio(
        _ stored: Stored, from time: Time, to end: Time?
    ) throws(MediaError) -> Int64? {
        let track = stored.track
        // Decoders may report errors during the preroll.
        let reader = try TrackReader.open(
            output, track: track, origin: zero, at: time, back: time > .zero ? StoredCheck.runUp : .zero)
        var isWhole = true
        var last: Int64?
        let found = try media(.verificationFailed, track: track.index) { () throws(LibavError) in
            let decoder = try Decoder(
                try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase, threads: 1)
            let (packet, frame) = (try Packet(), try Frame())
            var found: [Damage] = []
            while true {
                let isPacket = reader.read(into: packet, Diagnostics())
                let packetTime = isPacket ? packet.pts.map { track.timebase.time(ofTicks: $0) - zero } : nil
                if let packetTime, let end, packetTime >= end { return found }
                let errors = decoder.errors
                var damage: Damage?
                if case .damaged(let error) = try decoder.send(isPacket ? packet : nil) {
                    damage = Damage(error, at: packetTime)
                }
                receiving: while true {
                    switch try decoder.receive(into: frame) {
                    case .frame:
                        last = frame.bestEffort
                        if frame.isDamaged { isWhole = false }
                    case .needsInput, .ended: break receiving
                    case .damaged(let error): damage = damage ?? Damage(error, at: packetTime)
                    }
                }
                if decoder.errors > errors { damage = damage ?? .reported(at: packetTime) }
                if damage != nil { isWhole = false }
                if let damage, damage.time.map({ $0 >= time }) ?? true { found.append(damage) }
                if !isPacket { return found }
            }
        }
        for one in found { try report(one, stored) }
        return isWhole ? last : nil
    }

    /// Reports damage at an output time.
    func report(_ damage: Damage, _ stored: Stored) throws(MediaError) {
        var damage = damage
        damage.time = damage.time.map { source($0, stored.result) }
        if isThorough { throw damage.error(track: stored.result.source) }
        diagnostics.warn(
            damage.warning(track: stored.result.source, "copied unchanged from the source"))
    }

    /// The source time shown at an output time.
    private func source(_ time: Time, _ result: TrackResult) -> Time {
        let spans = result.ranges ?? [result.actual]
        var rest = time
        for span in spans.dropLast() {
            let length = span.end - span.start
            if rest < length { return span.start + rest }
            rest = rest - length
        }
        return (spans.last?.start ?? .zero) + rest
    }
}

// Reads the samples of an output once: all, or, where long stretches of each track are shared with the source, what lies before and
// behind those, and the sync samples in them. Half an hour has a hundred thousand samples, most of which would be counted and no more.
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
