// Measures how hard the frames of a range are to compress: scales down and quickly encodes a few from one or two positions. Takes
// less than a second and says more than any field of the container. The positions are measured at the same time, the caller's
// thread waits; the result does not depend on that.
package import Libav
package import Media
internal import MediaTime
package import Source

/// A trial encode of a range.
package struct ComplexityProbe {
    let source: SourceFile
    let asset: Asset

    /// Creates a value of its parts.
    package init(source: SourceFile, asset: Asset) {
        (self.source, self.asset) = (source, asset)
    }

    /// Frames per position.
    private static let framesPerPosition = 8
    /// Longer ranges are also tried at their middle.
    private static let long = Time(8, 1)

    /// Frames that begin earlier than this before a position are no longer on screen there.
    private static let shown = Time(1, 1)

    /// Where a trial begins.
    private struct Position {
        var time: Time
        /// The trial begins with the sync sample before `time` if that is not before this: then nothing is decoded on the way.
        var earliest: Time
    }

    /// Returns the complexity; nil if nothing decodes.
    package func measure(_ range: ResolvedRange) -> Complexity? {
        guard let track = asset.mainVideo, track.isDecodable, Encoder.exists("libx264") else { return nil }
        var positions = [Position(time: range.start, earliest: range.start)]
        if let end = [range.end, asset.duration].compactMap(\.self).min(),
            end - range.start > ComplexityProbe.long
        {
            func place(_ fourths: Int64) -> Time {
                let part = (end - range.start).multiplied(by: fourths, over: 4)
                return range.start + part.converted(to: 1000, rounding: .towardZero)
            }
            positions.append(Position(time: place(2), earliest: place(1)))
        }
        let found = measured(track, at: positions)
        let tried = found.filter(\.blank.isFinite)
        guard let first = tried.first else { return found.first }
        let count = Double(tried.count)
        return Complexity(
            intra: tried.reduce(0) { $0 + $1.intra } / count,
            inter: tried.reduce(0) { $0 + $1.inter } / count,
            pixels: first.pixels, blank: first.blank)
    }

    /// The findings at each of the positions, in their order.
    private func measured(_ track: Track, at positions: [Position]) -> [Complexity] {
        let threads = max(1, Decoder.processors / positions.count)
        return positions.concurrentMap { try? measure(track, at: $0, threads: threads) }.compactMap(\.self)
    }

    private func measure(
        _ track: Track, at position: Position, threads: Int
    ) throws(MediaError) -> Complexity {
        let (first, start) = try VideoStart(
            source: source, track: track, origin: asset.start, start: position.time,
            diagnostics: Diagnostics(), threads: threads
        ).find()
        return try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            var trial: Trial?
            var begun: Time?
            var time: Time?
            var clock = FrameClock(track: track, origin: asset.start)
            func take(_ frame: Frame) throws(LibavError) {
                let (start, duration) = clock.time(of: frame)
                let wanted = time ?? (start < position.earliest ? position.time : min(start, position.time))
                time = wanted
                guard start + duration > wanted else { return }
                begun = begun ?? max(.zero, start - wanted)
                let current: Trial
                if let trial { current = trial } else { current = try Trial(frame, track) }
                trial = current
                try current.take(frame)
            }
            for frame in first where trial?.count ?? 0 < ComplexityProbe.framesPerPosition { try take(frame) }
            let packet = try Packet()
            let needed = track.timebase.ticks(
                of: (time ?? position.time) - ComplexityProbe.shown + asset.start,
                rounding: .towardNegativeInfinity
            ).ticks
            var isGoing = !start.isFlushing
            while isGoing, trial?.count ?? 0 < ComplexityProbe.framesPerPosition {
                isGoing = start.reader.read(into: packet, Diagnostics())
                // On the way, only frames that others refer to are needed.
                start.decoder.skipsUnreferenced = isGoing && packet.pts.map { $0 < needed } ?? false
                _ = try start.decoder.send(isGoing ? packet : nil)
                receiving: while trial?.count ?? 0 < ComplexityProbe.framesPerPosition {
                    let frame = try Frame()
                    switch try start.decoder.receive(into: frame) {
                    case .frame: try take(frame)
                    case .needsInput, .ended: break receiving
                    case .damaged: break
                    }
                }
            }
            // The video has ended before the range.
            guard let trial else { return Complexity(intra: 0, inter: 0, pixels: 1, blank: .infinity) }
            return try trial.result(blank: begun?.seconds ?? 0)
        }
    }

    /// A small encode of the first frames.
    private final class Trial {
        private let graph: FilterGraph
        private let encoder: Encoder
        private let shape: FrameShape
        private let pixels: Int
        /// By how much ultrafast, which costs a quarter of veryfast, makes frames larger: fitted to exports of 46 ranges of all kinds of
        /// films by three encoders.
        private static let excess = (intra: 2.0, inter: 3.0)
        private(set) var count = 0
        private var sizes: [Int] = []

        init(_ first: Frame, _ track: Track) throws(LibavError) {
            shape = first.shape
            let (width, height) = FrameSize.fit(
                width: shape.width, height: shape.height, sampleAspect: track.video?.sampleAspect ?? Ratio(1),
                isTurned: false, maxWidth: 640, maxHeight: 360)
            let numbers = Timebase(perSecond: 25) ?? .seconds
            graph = try FilterGraph(
                chain: "scale=\(width):\(height),format=yuv420p,setsar=1", shape: shape, timebase: numbers,
                threads: 1)
            var setup = VideoEncoderSetup(
                encoder: "libx264", width: width, height: height, pixelFormat: "yuv420p", timebase: numbers,
                frameRate: Ratio(25), keyframeInterval: 250)
            // Without adaptive quantisation, which exports use, dark noise would cost a quarter of what it costs them.
            setup.options = [("preset", "ultrafast"), ("aq-mode", "1"), ("crf", "20")]
            // Check, dry run and export must agree; multithreaded encoding is not deterministic.
            setup.threads = 1
            encoder = try Encoder(setup)
            pixels = width * height
        }

        func take(_ frame: Frame) throws(LibavError) {
            guard frame.shape == shape else { return }
            frame.pts = Int64(count)
            count += 1
            frame.setKeyframe(false)
            try graph.send(frame)
            while let small = try graph.receive() {
                small.becomeProgressive()
                small.setKeyframe(false)
                try encoder.send(small)
                while let packet = try encoder.receive() { sizes.append(packet.size) }
            }
        }

        func result(blank: Double) throws(LibavError) -> Complexity {
            try encoder.send(nil)
            while let packet = try encoder.receive() { sizes.append(packet.size) }
            guard let first = sizes.first else { throw LibavError("encoding a trial", cause: "no packets") }
            let rest = sizes.dropFirst()
            let bits = 8 / Double(pixels)
            let (keys, others) = (bits / Trial.excess.intra, bits / Trial.excess.inter)
            let inter = rest.isEmpty ? Double(first) / 8 : Double(rest.reduce(0, +)) / Double(rest.count)
            return Complexity(
                intra: Double(first) * keys, inter: inter * others, pixels: Double(pixels), blank: blank)
        }
    }
}
