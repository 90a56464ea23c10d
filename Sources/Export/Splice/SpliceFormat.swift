// One track's form in the output: samples with four-byte lengths and every parameter set in the track's header, whichever
// the source's form was; and encoders for its ends whose sets go beside the source's. Lives on the lane's queue.
internal import Libav
internal import Media
internal import MediaTime

/// The common form of copied and encoded samples.
struct SpliceFormat {
    /// What the container is told.
    let parameters: CodecParameters
    /// How the ends' parameter sets were brought beside the source's: `match`, `ids`; nil where nothing is encoded.
    let scheme: String?
    /// Pictures decoders hold back.
    let delay: Int

    init(source: SourceFile, track: Track, needsEdges: Bool, delay: Int) throws(MediaError) {
        let stored = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            let demuxer: Demuxer
            do throws(OpenFailure) { demuxer = try Demuxer(source, quick: true) } catch {
                throw LibavError("opening \(source.name)", cause: "\(error)")
            }
            return try CodecParameters(demuxer, track: track.index)
        }
        self.delay = max(delay, stored.reorderDepth)
        scheme = nil
        parameters = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(stored, extradata: nil, tag: nil)
        }
    }

    /// Brings a copied sample into the common form.
    func adapt(_ packet: Packet, isFirstAfterEdge: Bool) throws(MediaError) {}

    /// An encoder for one end.
    func edge(_ track: Track) throws(MediaError) -> EdgeEncoder { try EdgeEncoder(track) }
}
