// How an encoder is set up. Values.
public import MediaTime

/// Settings of a video encoder.
public struct VideoEncoderSetup: Sendable {
    /// FFmpeg's name of the encoder.
    public var encoder: String
    /// Size in pixels.
    public var width: Int, height: Int
    /// FFmpeg's name of the pixel format.
    public var pixelFormat: String
    /// Seconds per tick of the frames' times.
    public var timebase: Timebase
    /// Frames per second, for rate control and the stream's own timing.
    public var frameRate: Ratio
    /// Average and maximum bits per second, and the decoder buffer in bits; 0 if not set.
    public var bitRate = 0, maxBitRate = 0, bufferSize = 0
    /// Maximum number of frames between keyframes.
    public var keyframeInterval: Int
    /// How full the decoder's buffer is when it starts, from 0 to 1; nil: as the encoder assumes.
    public var bufferStart: Double?
    /// Colour in FFmpeg's names.
    public var primaries: String?, transfer: String?, matrix: String?
    /// The encoder's own options, such as `crf`.
    public var options: [(String, String)] = []
    /// Threads; 0 lets the encoder choose.
    public var threads = 0
    /// Width of a pixel over its height.
    public var sampleAspect = Ratio(1)
    /// Full range values, not video range.
    public var isFullRange = false
    /// Parameter sets go into the container's header, not before each keyframe.
    public var hasGlobalHeader = true
    /// Codes frames that may consist of two fields.
    public var isInterlaced = false
    /// HDR light levels.
    public var light = LightLevels()
    /// The pass of a two-pass encode, with its statistics; nil: single pass.
    public var pass: EncodingPass?
    /// The same frames give the same bytes, whatever the process has done before.
    public var isRepeatable = true

    /// Keeps a share of the decoder's buffer, from 0 to 1, as a reserve. With a smaller buffer that begins emptier by the same number
    /// of bits and fills no faster, the encoder's model is never fuller than the decoder's buffer less the reserve.
    public mutating func keep(_ share: Double) {
        guard bufferSize > 0, maxBitRate > 0, share > 0, share < 1 else { return }
        let left = 1 - share
        if let start = bufferStart { bufferStart = max(0, start - share) / left }
        bufferSize = max(1, Int(Double(bufferSize) * left))
        maxBitRate = max(1, Int(Double(maxBitRate) * left))
        bitRate = min(bitRate, maxBitRate)
    }

    /// Basic settings; the rest is set as needed.
    public init(
        encoder: String, width: Int, height: Int, pixelFormat: String, timebase: Timebase, frameRate: Ratio,
        keyframeInterval: Int
    ) {
        self.encoder = encoder
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        self.timebase = timebase
        self.frameRate = frameRate
        self.keyframeInterval = keyframeInterval
    }
}

/// One of two passes.
public struct EncodingPass: Sendable {
    /// Statistics, which the first pass writes and the second reads.
    public let log: PassLog
    /// This is the first pass, whose packets are discarded.
    public let isFirst: Bool

    /// A pass.
    public init(_ log: PassLog, isFirst: Bool) {
        self.log = log
        self.isFirst = isFirst
    }
}

/// Settings of an audio encoder.
public struct AudioEncoderSetup: Sendable {
    /// FFmpeg's name of the encoder.
    public var encoder: String
    /// Samples per second.
    public var sampleRate: Int
    /// FFmpeg's name of the channel layout.
    public var channelLayout: String
    /// FFmpeg's name of the sample format.
    public var sampleFormat: String
    /// Bits per second; 0 if the codec has none.
    public var bitRate: Int
    /// Bits of a sample, where they are more than the 24 of which encoders store 32-bit integers otherwise.
    public var bits: Int?
    /// The encoder's own options.
    public var options: [(String, String)] = []

    /// Settings from their parts.
    public init(encoder: String, sampleRate: Int, channelLayout: String, sampleFormat: String, bitRate: Int) {
        self.encoder = encoder
        self.sampleRate = sampleRate
        self.channelLayout = channelLayout
        self.sampleFormat = sampleFormat
        self.bitRate = bitRate
    }
}
