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
