// Reads a track whose edit list FFmpeg misreads, by a demuxer of its own that does not see the list. On the demuxer's queue.
internal import CFFmpeg
internal import Synchronization

/// A track of a movie, read part by part.
final class EditedTrack {
    let track: Int
    let program: EditProgram
    private let source: SourceFile
    /// Opened when something is read.
    private var demuxer: Demuxer?
    /// The next step, and the number of the sample that the demuxer reads next; nil: unknown.
    private var (next, upcoming): (Int, Int?) = (0, 0)
    /// Somebody wants its packets.
    var isWanted = true

    init(_ source: SourceFile, track: Int, _ program: EditProgram) {
        (self.source, self.track, self.program) = (source, track, program)
    }

    var errors: Int { demuxer?.errors ?? 0 }
    var bytesRead: Int64 { demuxer?.bytesRead ?? 0 }

    /// When the next packet is decoded, in ticks; nil: there is none.
    var upcomingTicks: Int64? { program.steps.indices.contains(next) ? program.steps[next].dts : nil }

    /// Goes to what is shown at a time; false if the track begins later.
    func seek(toTicks ticks: Int64) -> Bool {
        guard let step = program.step(at: ticks) else { return false }
        next = step
        return true
    }

    /// Begins anew.
    func rewind() { next = 0 }

    /// Reads the next packet.
    func read(into packet: Packet) -> Demuxer.Reading {
        guard program.steps.indices.contains(next) else { return .ended }
        let step = program.steps[next]
        do throws(OpenFailure) {
            let demuxer = try opened()
            if let failure = go(to: step.sample, demuxer, packet) { return failure }
        } catch {
            return .broken(LibavError("reading an edited track", code: trim_error_invaliddata))
        }
        next += 1
        do throws(LibavError) {
            try packet.place(by: step, rate: demuxer?.sampleRate(of: track))
        } catch { return .broken(error) }
        return .packet
    }

    private func opened() throws(OpenFailure) -> Demuxer {
        if let demuxer { return demuxer }
        let demuxer = try Demuxer(source, quick: true, edits: .ignored)
        demuxer.select(track: track)
        self.demuxer = demuxer
        return demuxer
    }

    /// Reads packets up to a stored sample; nil: it is in the packet.
    private func go(to sample: Int, _ demuxer: Demuxer, _ packet: Packet) -> Demuxer.Reading? {
        let isNear = upcoming.map { $0 <= sample && !program.samples[$0..<sample].contains(where: \.isKey) }
        if upcoming != sample, isNear != true {
            let key = program.samples[...sample].last(where: \.isKey) ?? program.samples[0]
            _ = demuxer.seek(track: track, toTicks: key.dts)
            upcoming = nil
        }
        while true {
            let reading = demuxer.read(into: packet)
            guard case .packet = reading else { return reading }
            guard let dts = packet.dts, let pts = packet.pts,
                let number = program.number(dts: dts, pts: pts), number <= sample
            else { return .broken(LibavError("reading an edited track", code: trim_error_invaliddata)) }
            upcoming = number + 1
            if number == sample { return nil }
        }
    }

    // MARK: Programs

    private struct Asked: Hashable {
        let version: SourceVersion
        let track: Int
    }
    /// Read once in a process: every lane opens the file.
    private static let known = Mutex<[Asked: EditProgram]>([:])
    /// Answers that are kept.
    private static let most = 8
    /// Of audio so much is decoded before a part: a quarter of a second, more than the 80 ms of Opus and the reservoir of MP3.
    private static let preroll: Int64 = 4

    /// The program of a track; nil: it cannot be read.
    static func program(
        of source: SourceFile, track: Int, _ parts: [MisreadEdits.Part]
    ) -> EditProgram? {
        let asked = SourceVersion(source).map { Asked(version: $0, track: track) }
        if let asked, let found = known.withLock({ $0[asked] }) { return found }
        guard let demuxer = try? Demuxer(source, quick: true, edits: .ignored),
            let stream = unsafe demuxer.ownStream(track), let packet = try? Packet()
        else { return nil }
        demuxer.select(track: track)
        demuxer.omitContents(of: track, but: 0)
        let isAudio = unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
        let second = unsafe Int64(stream.pointee.time_base.den) / max(1, Int64(stream.pointee.time_base.num))
        var samples: [EditProgram.Sample] = []
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == track, let pts = packet.pts, let dts = packet.dts else { continue }
            samples.append(
                EditProgram.Sample(
                    pts: pts, dts: dts, duration: packet.duration, isKey: isAudio || packet.isKey))
        }
        let program = EditProgram(samples, parts, preroll: isAudio ? second / preroll : nil)
        guard !program.steps.isEmpty else { return nil }
        if let asked {
            known.withLock { known in
                if known.count >= most { known = [:] }
                known[asked] = program
            }
        }
        return program
    }
}

extension Packet {
    /// Gives a packet its times in the presentation.
    /// - Parameter rate: the rate of its samples, and ticks per second; nil: it is video.
    fileprivate func place(
        by step: EditProgram.Step, rate: (samples: Int64, ticks: Int64)?
    ) throws(LibavError) {
        (pts, dts, duration) = (step.pts, step.dts, step.duration)
        if step.isDiscarded {
            unsafe pointer.pointee.flags |= AV_PKT_FLAG_DISCARD
        }
        forgetSkippedSamples()
        guard let (samples, ticks) = rate, step.skip > 0 || step.padding > 0 else { return }
        func count(_ span: Int64) -> Int { Int(clamping: av_rescale(span, samples, ticks)) }
        try setDiscardedSamples(count(step.padding), first: count(step.skip))
    }

    /// Removes the numbers of samples to discard that the demuxer told.
    private func forgetSkippedSamples() {
        var size = 0
        guard let bytes = unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 8
        else { return }
        unsafe bytes.update(repeating: 0, count: size)
    }
}
