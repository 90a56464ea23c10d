// Leaves out of a movie that is written the samples that lie in its source as they are, so that another process gives the output
// those blocks of the source. Puts a box that readers skip before such samples, so that both files have them at the same place of a
// block; writes what does not fill a block, and patches the media boxes. Used on the muxer's queue; owns neither descriptor.
internal import CFFmpeg
internal import ISOMedia

/// The blocks of the source that an output does without until it is given them.
@safe public final class CloneWriter {
    /// A break in the media: a box that readers skip, and the header of the media box after it.
    private struct Break {
        let offset: Int64
        let media: Int64
    }
    private let source: SourceFile
    /// The runs of samples that lie in the source as in the output. The bytes of its packets are mostly left out, and those that are not are read here
    /// again: their reader need not read them.
    public let runs: StoredRuns
    /// Bytes that were not written, in the order of the output, apart.
    private var left: [ClonedBytes] = []
    /// Bytes that were not written so far, and those of the breaks.
    private var (sum, padding): (Int64, Int64) = (0, 0)
    private var breaks: [Break] = []

    private static let act = "leaving room for blocks of the source"
    /// The header of a media box whose size has 64 bits.
    private static let header: Int64 = 16
    /// The shortest box: its size and type.
    private static let smallest: Int64 = 8
    /// Fewer blocks are written: giving them costs as much.
    private static let leastBlocks: Int64 = 16
    /// The breaks may take a sixteenth of what they save, and this many bytes.
    private static let allowance: Int64 = 64 << 10

    /// A writer that leaves out what lies in these runs of the source.
    public init(_ source: SourceFile, _ runs: StoredRuns) { (self.source, self.runs) = (source, runs) }

    /// The whole blocks that the output lacks, in its order: known when it is finished.
    public private(set) var clones: [ClonedBytes] = []

    /// Where the output's bytes are read that it lacks.
    public var lender: Lender? { clones.isEmpty ? nil : Lender(source, clones) }

    /// The number of the run that holds a packet's bytes; nil: none does.
    public func run(of packet: Packet) -> Int? { packet.place.flatMap(runs.run) }

    // MARK: Writing

    /// Reads the bytes of a packet that is written after all, and whose reader may have left them out.
    func load(_ packet: Packet) throws(LibavError) {
        guard let place = packet.place, runs.run(of: place) != nil else { return }
        try LibavError.check(
            unsafe av_packet_make_writable(packet.pointer), "reading a sample of \(source.name)")
        var done = 0
        while done < place.count, let data = unsafe packet.pointer.pointee.data {
            let got = unsafe source.read(
                into: data + done, count: place.count - done, at: place.lowerBound + Int64(done))
            guard got > 0 else {
                throw LibavError("reading \(source.name)", cause: "it ends before a sample does")
            }
            done += got
        }
    }

    /// Leaves out a packet that is about to be written, if that is worth it.
    /// - Parameter beginsRun: the packets that follow are probably those that follow in the source.
    /// - Returns: where the output is after the packet; nil: it is written.
    func leaveOut(_ packet: Packet, beginsRun: () -> Bool, _ io: FileIO) -> Int64? {
        guard let place = packet.place, let run = runs.run(of: place) else { return nil }
        var offset = unsafe avio_tell(io.context)
        if (place.lowerBound - offset) % runs.block != 0 {
            guard beginsRun(), runs.runs[run].upperBound - place.lowerBound >= runs.least,
                padding <= sum / 16 + CloneWriter.allowance
            else { return nil }
            offset = pad(offset, towards: place.lowerBound, io)
        }
        let length = Int64(place.count)
        if let last = left.last, last.end == offset, last.source + last.length == place.lowerBound {
            left[left.count - 1].length += length
        } else {
            left.append(ClonedBytes(output: offset, source: place.lowerBound, length: length))
        }
        sum += length
        io.omit(beyond: offset..<(offset + length))
        return offset + length
    }

    /// Ends the media box, and begins another one whose content lies in a block as the source's does.
    private func pad(_ offset: Int64, towards place: Int64, _ io: FileIO) -> Int64 {
        let least = offset + CloneWriter.smallest + CloneWriter.header
        let missing = ((place - least) % runs.block + runs.block) % runs.block
        let media = offset + CloneWriter.smallest + missing
        let bytes =
            Box.free(Int(media - offset)) + BigEndian.bytes(1, 4) + Array("mdat".utf8)
            + BigEndian.bytes(CloneWriter.header, 8)
        unsafe bytes.withUnsafeBufferPointer {
            unsafe avio_write(io.context, $0.baseAddress, Int32(clamping: $0.count))
        }
        breaks.append(Break(offset: offset, media: media))
        padding += Int64(bytes.count)
        return media + CloneWriter.header
    }

    // MARK: Finishing

    /// Completes a movie whose trailer is written: its media boxes, and the bytes that fill no block.
    /// - Parameter reserve: bytes that were reserved before the media for the index.
    func finish(_ descriptor: Int32, reserve: Int) throws(LibavError) {
        let output = SourceFile(descriptor: descriptor, name: "the output")
        try completeBoxes(output, reserve: reserve)
        for range in left {
            let low = (range.output + runs.block - 1) / runs.block * runs.block
            let high = range.end / runs.block * runs.block
            guard high - low >= CloneWriter.leastBlocks * runs.block else {
                try write(range, to: output)
                continue
            }
            let distance = range.source - range.output
            try write(
                ClonedBytes(output: range.output, source: range.source, length: low - range.output),
                to: output)
            try write(
                ClonedBytes(output: high, source: high + distance, length: range.end - high), to: output)
            clones.append(ClonedBytes(output: low, source: low + distance, length: high - low))
        }
        left = []
    }

    /// Writes what the output lacks: for those who must move it.
    public func fill(_ descriptor: Int32) throws(LibavError) {
        let output = SourceFile(descriptor: descriptor, name: "the output")
        for range in clones { try write(range, to: output) }
        clones = []
    }

    /// Sets the sizes of the media boxes: FFmpeg counts packets, and takes all for one box.
    private func completeBoxes(_ output: SourceFile, reserve: Int) throws(LibavError) {
        guard let last = breaks.last else { return }
        var first = try box(of: output, at: try box(of: output, at: 0).end + Int64(reserve))
        while first.name != "mdat" { first = try box(of: output, at: first.end) }
        let end = first.end + padding
        guard try box(of: output, at: end).name == "moov", last.media < end else {
            throw LibavError(CloneWriter.act, cause: "the movie's index is not after its media")
        }
        let ends = breaks.map(\.offset) + [end]
        let begins = [first.offset] + breaks.map(\.media)
        for (index, (begin, end)) in zip(begins, ends).enumerated() {
            let isWide = index > 0 || first.length == CloneWriter.header
            try output.write(
                BigEndian.bytes(end - begin, isWide ? 8 : 4), at: isWide ? begin + 8 : begin, CloneWriter.act)
        }
    }

    private func box(of output: SourceFile, at offset: Int64) throws(LibavError) -> BoxHeader {
        guard let box = BoxHeader(output.bytes(at: offset, count: BoxHeader.longest), at: offset) else {
            throw LibavError(CloneWriter.act, cause: "the movie breaks off, or a box has no size")
        }
        return box
    }

    /// Bytes copied at a time.
    private static let piece: Int64 = 1 << 20

    private func write(_ range: ClonedBytes, to output: SourceFile) throws(LibavError) {
        var done: Int64 = 0
        while done < range.length {
            let bytes = source.bytes(
                at: range.source + done, count: Int(min(CloneWriter.piece, range.length - done)))
            guard !bytes.isEmpty else {
                throw LibavError("reading \(source.name)", cause: "it ends before a sample does")
            }
            try output.write(bytes, at: range.output + done, CloneWriter.act)
            done += Int64(bytes.count)
        }
    }
}
