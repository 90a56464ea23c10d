// Shared by these tests: a folder that goes away, preset files with one thing changed, and small assets.
import FoundationEssentials
import Media
import MediaTime
import Testing
import Text

/// A folder of a test's own; it goes with the last reference to it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/media-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file into a folder of this one, which is made where it is not there.
    func write(_ text: String, to name: String, in folder: String) throws -> String {
        let target = path + "/" + folder
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try text.write(toFile: target + "/" + name, atomically: false, encoding: .utf8)
        return target
    }
}

/// The folder of the built-in presets, found from this file.
func builtInFolder() -> String {
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/Presets"
}

/// A valid preset file that tests spoil: `replacing` is what stands in it, `with` what is to stand there.
enum PresetText {
    static let whole = """
        {
          "version": 1,
          "id": "own",
          "name": "My own",
          "fileTypes": ["mp4", "mov"],
          "video": {
            "codec": "h264",
            "encoder": "libx264",
            "profile": "high",
            "level": "3.1",
            "maxWidth": 1280,
            "maxHeight": 720,
            "maxFrameRate": "30000/1001",
            "crf": 21,
            "maxBitRate": 5000000,
            "bufferSize": 10000000,
            "keyframeInterval": "2",
            "pixelFormat": "yuv420p"
          },
          "audio": {
            "codec": "aac",
            "encoder": "aac",
            "bitRate": 160000,
            "maxChannels": 2,
            "maxSampleRate": 48000
          }
        }
        """

    static func with(_ old: String, _ new: String) throws -> String {
        try #require(whole.contains(old), "the preset of the tests has no \(old)")
        return whole.replacing(old, with: new)
    }
}

func preset(_ text: String) throws -> Preset { try PresetCatalogue.preset(json: Data(text.utf8)) }

/// A track that decodes.
func track(_ index: Int, _ kind: TrackKind, _ codec: String) throws -> Track {
    var track = Track(
        index: index, kind: kind, codec: codec, timebase: try #require(Timebase(perSecond: 90_000)))
    track.isDecodable = true
    if kind == .video {
        track.video = VideoFormat(width: 640, height: 360, sampleAspect: Ratio(1))
        track.video?.fieldOrder = .progressive
    } else if kind == .audio {
        track.audio = AudioFormat(
            sampleRate: 48_000, channels: 2, channelLayout: "stereo", sampleFormat: "fltp", priming: 0)
    }
    return track
}

func asset(_ tracks: Track...) -> Asset {
    Asset(
        container: Container(format: "mov,mp4", name: "QuickTime"), start: .zero, duration: Time(10, 1),
        bytes: 1000,
        tracks: tracks)
}

func encoded(_ value: some Encodable) throws -> String {
    String(decoding: try JSONValue(coding: value).encoded, as: UTF8.self)
}

func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONValue(parsing: Array(text.utf8), as: .message).value(of: type)
}

/// Writes a value and reads it back.
func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try decoded(Value.self, try encoded(value))
}

/// SplitMix64: the same numbers in every run.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
