// How a container hides the encoder's priming before the first sample. Pure.
internal import Codecs
internal import Media

/// How a container handles encoder priming.
enum AudioPriming: Hashable, Sendable {
    /// The container, or the codec's header in it, declares it to be discarded: edit lists, Ogg's granule positions.
    case declared
    /// The LAME tag declares it, and the padding of the last packet.
    case tagged
    /// Matroska's CodecDelay gives its length, and times count from its start.
    case delayed
    /// It cannot be declared: packets begin with the first sample, and earlier ones are left out.
    case omitted

    /// The handling of a codec in a file type.
    init(of codec: any AudioCodec.Type, in fileType: FileType) {
        self =
            switch fileType.audioEnds {
            case .editList, .position, .samples: .declared
            case .tag: .tagged
            // Readers heed CodecDelay for Opus alone, and FFmpeg's demuxer loses what the first block says of codecs that it parses.
            // Opus trimming in a transport stream does not affect its times, which begin with the priming anyway.
            case .packets:
                fileType.isMatroska && (codec.hasCodecDelay || codec.beginsSilent || codec.declaresPadding)
                    ? .delayed : .omitted
            }
    }
}
