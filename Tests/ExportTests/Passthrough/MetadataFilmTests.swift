// Metadata of real files: copied, translated, set and left out; checked with ffprobe, mediainfo and mkvmerge.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

struct MetadataFilmTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// One value for each key that has a cell in some container.
    static let values: [String: String] = [
        "title": "Über den Wolken", "artist": "Ann", "album_artist": "Band", "album": "Album",
        "composer": "Cy",
        "author": "Ed", "date": "2021-05-06", "description": "Its nature", "synopsis": "Its nature at length",
        "copyright": "© 2021", "publisher": "House", "genre": "Drama", "make": "Maker", "model": "M-1",
        "location": "+48.1374+011.5755/", "comment": "Well", "track": "3/12", "disc": "1/2", "show": "Show",
        "episode_id": "S1E2", "season_number": "1", "keywords": "a, b", "com.example.own": "mine",
        "content_rating": "mpaa|PG-13|300|", "accessibility_description": "Clouds",
    ]

    private func film() throws -> String {
        try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "1") + Film.noise(48_000, seconds: "1") + Film.h264() + [
                "-c:a", "aac",
            ]
        ).make(in: scratch)
    }

    private func picture(_ type: String) throws -> String {
        let file = scratch.name(type)
        try Tool.ffmpeg(["-f", "lavfi", "-i", "color=red:s=64x48:d=1", "-frames:v", "1", file])
        return file
    }

    private func pass(
        _ input: String, to type: String, artwork: String? = nil, _ metadata: MetadataRequest? = nil,
        start: Time? = nil
    ) throws -> Made {
        try export(input, "passthrough", start: start, in: scratch, type: type, artwork: artwork) {
            $0.render = .auto
            $0.output.name = "out.\(type)"
            if let metadata { $0.metadata = metadata }
            if let artwork { $0.metadata?.artwork = artwork }
        }
    }

    /// The metadata that trimd itself finds, by its own names.
    private func known(_ file: String) throws -> [String: String] {
        Tags(try #require(try Probe.asset(of: scratch.source(file)).items)).values
    }

    @Test func everyItemSurvivesEveryContainer() throws {
        let cover = try picture("jpg")
        var made = try pass(film(), to: "mp4", artwork: cover, MetadataRequest(items: Self.values))
        for type in ["mkv", "mov", "m4v", "mkv", "mp4"] {
            made = try pass(made.file, to: type)
            // Matroska's tags have names in capitals.
            let found = try known(made.file).map { ($0.key.lowercased(), $0.value) }
            let all = Dictionary(found) { first, _ in first }
            for (key, value) in Self.values { #expect(all[key] == value, "\(key) in \(type)") }
            let covers = try Carried.of(made.file).streams.filter { $0.disposition["attached_pic"] == 1 }
            #expect(covers.map(\.width) == [64], "\(type)")
            #expect(!made.result.dropped.contains { $0.what.contains("metadata") }, "\(made.result.dropped)")
            try verify(made, in: scratch)
        }
    }

    @Test(arguments: ["mp4", "m4v", "mov"]) func otherProgramsReadTheItems(type: String) throws {
        let made = try pass(
            film(), to: type, artwork: picture("png"), MetadataRequest(items: Self.values))
        let tags = try Carried.of(made.file).tags
        for (key, value) in Self.values where key != "content_rating" && key != "location" {
            let quick = MetadataKey.named(key)?.quickTime.map { "com.apple.quicktime.\($0)".lowercased() }
            #expect(tags[type == "mov" ? quick ?? key : key] == value, "\(key)")
        }
        #expect(tags["location"] == Self.values["location"])
        if type != "mov" {
            #expect(tags["itunextc"] == "mpaa|PG-13|300|")
            let text = try Tool.output(["mediainfo", made.file])
            for words in ["Über den Wolken", "Drama", "Its nature", "mpaa|PG-13|300|", "Cover"] {
                #expect(text.contains(words), "\(words)")
            }
        }
    }

    @Test func matroskaHasItsOwnNames() throws {
        let made = try pass(film(), to: "mkv", artwork: picture("jpg"), MetadataRequest(items: Self.values))
        let tags = try Carried.of(made.file).format.tags ?? [:]
        for (key, name) in [
            ("date", "DATE_RELEASED"), ("author", "WRITTEN_BY"), ("location", "RECORDING_LOCATION"),
            ("genre", "GENRE"), ("synopsis", "SYNOPSIS"), ("publisher", "PUBLISHER"),
        ] { #expect(tags[name] == Self.values[key], "\(name)") }
        let said = try Tool.output(["mkvmerge", "-J", made.file])
        for words in ["cover.jpg", "image/jpeg", "Über den Wolken"] {
            #expect(said.contains(words), "\(words)")
        }
    }

    /// A valid value of each form.
    private static func value(_ key: MetadataKey) -> String {
        switch key.form {
        case .text: "\(key.name) here"
        case .number: "7"
        case .flag: "1"
        case .position: "3/12"
        case .date: "2026-01-31"
        case .moment: "2026-01-31T12:00:00+02:00"
        case .place: "+48.1374+011.5755/"
        case .rating: "mpaa|PG-13|300|"
        case .mediaType: "tvshow"
        }
    }

    /// Every key in every container: nothing that is set vanishes without a word.
    @Test(arguments: [
        "mp4", "m4v", "mov", "mkv", "webm", "ts", "m4a", "mka", "flac", "ogg", "opus", "wav", "mp3", "aac",
        "aiff", "caf",
    ])
    func everyKeyIsWrittenOrNamed(type: String) throws {
        let id =
            switch type {
            case "flac", "wav", "mp3": type
            case "ogg", "opus": "opus"
            default: "passthrough"
            }
        let isAudio = FileType(rawValue: type)?.isAudio == true
        let (source, words) =
            switch type {
            case "webm":
                (type, Film.video(seconds: "1") + ["-c:v", "libvpx", "-deadline", "realtime"])
            case "aiff", "caf": (type, Film.noise(48_000, seconds: "1") + ["-c:a", "pcm_s16be"])
            case _ where isAudio: ("m4a", Film.noise(48_000, seconds: "1") + ["-c:a", "aac"])
            default: ("mp4", Film.video(seconds: "1") + Film.h264())
            }
        let input = try Film(name: "", type: source, words: words).make(in: scratch)
        let items = Dictionary(uniqueKeysWithValues: MetadataKey.all.map { ($0.name, Self.value($0)) })
        let made = try export(input, id, in: scratch, type: type) {
            $0.render = .auto
            $0.output.name = "o.\(type)"
            $0.metadata = MetadataRequest(items: items)
        }
        let dropped = Set(made.result.dropped.map { $0.what.replacing("metadata ", with: "") })
        let found = try known(made.file)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: made.file)))
        for key in MetadataKey.all where !dropped.contains(key.name) {
            let value = Self.value(key)
            switch key.form {
            case .moment: #expect(found[key.name]?.hasPrefix("2026-01-31T10:00:00") == true, "\(key.name)")
            case .mediaType:
                #expect(
                    [value, "10"].contains(found[key.name] ?? found[key.name.uppercased()]), "\(key.name)")
            case .text:
                // FFmpeg reads some of them under another name, or not at all: they stand in the file.
                #expect(bytes.firstRange(of: Array(value.utf8)) != nil, "\(key.name)")
            default:
                #expect(
                    found.contains { MetadataKey.named($0.key) == key && $0.value == value }, "\(key.name)")
            }
        }
    }

    @Test(arguments: ["mp4", "mov", "mkv"]) func theDateOfCreationIsTheMomentThatIsMeant(type: String) throws
    {
        for (text, wanted) in [
            ("2026-01-31", "2026-01-31T00:00:00.000000Z"),
            ("2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00.000000Z"),
        ] {
            let made = try pass(film(), to: type, MetadataRequest(items: ["creation_time": text]))
            #expect(try Carried.of(made.file).tags["creation_time"] == wanted)
        }
    }

    /// Audio in audio containers, written by the muxer as in an export.
    private func audioFile(_ type: String, codec: String, _ tags: Tags, _ artwork: Artwork?) throws -> String
    {
        let input = scratch.name(type)
        try Tool.ffmpeg(Film.noise(44_100, seconds: "1") + ["-c:a", codec, input])
        let file = scratch.name(type)
        let muxer = type == "opus" ? "ogg" : type
        let translation = TagTranslation(tags, artwork: artwork, muxer: muxer)
        let demuxer = try Demuxer(try scratch.source(input))
        let setup = try MuxerSetup(format: muxer, descriptor: try scratch.output(file))
        let parameters = try CodecParameters(
            try CodecParameters(demuxer, track: 0), extradata: nil, tag: nil)
        let timebase = demuxer.streams[0].timebase
        _ = try setup.addTrack(parameters, timebase: timebase, language: nil, title: nil, isDefault: true)
        setup.setMetadata(translation.dictionary)
        let picture = try translation.artwork.map {
            try setup.addPicture(codec: $0.format.codec, width: $0.width, height: $0.height)
        }
        let output = try setup.begin(options: [])
        if let picture { try output.writePicture(translation.artwork?.bytes ?? [], to: picture) }
        let packet = try Packet()
        while case .packet = demuxer.read(into: packet) { try output.write(packet) }
        try output.finish()
        return file
    }

    @Test(arguments: [("mp3", "libmp3lame"), ("flac", "flac"), ("opus", "libopus")])
    func audioFilesHaveItemsToo(type: String, codec: String) throws {
        var tags = Tags()
        tags.values = Self.values
        let cover = try #require(Artwork(try [UInt8](Data(contentsOf: URL(filePath: picture("jpg"))))))
        let file = try audioFile(type, codec: codec, tags, cover)
        let found = try known(file).map { ($0.key.lowercased(), $0.value) }
        let all = Dictionary(found) { first, _ in first }
        for (key, value) in Self.values {
            // A Vorbis comment for the description is FFmpeg's for the comment, and there is only one.
            if key == "comment", type != "mp3" { continue }
            #expect(all[key] == value, "\(key)")
        }
        let covers = try Carried.of(file).streams.filter { $0.disposition["attached_pic"] == 1 }
        #expect(covers.map(\.width) == [64])
    }

    @Test func whatAContainerCannotHoldIsNamed() throws {
        let first = try pass(film(), to: "mp4", artwork: picture("jpg"), MetadataRequest(items: Self.values))
        let made = try pass(first.file, to: "ts")
        #expect(made.result.dropped.contains { $0.what == "metadata genre" && $0.reason.contains(".ts") })
        #expect(made.result.dropped.contains { $0.what == "metadata artwork" })
    }

    @Test func sharingLeavesOutPlaceDeviceAndPerson() throws {
        let made = try pass(
            try pass(film(), to: "mov", MetadataRequest(items: Self.values)).file, to: "mp4",
            MetadataRequest(items: ["model": "set by hand"], policy: .sharing))
        let found = try known(made.file)
        for key in ["location", "make", "author", "com.example.own"] { #expect(found[key] == nil, "\(key)") }
        #expect(found["title"] == Self.values["title"] && found["copyright"] == Self.values["copyright"])
        #expect(found["model"] == "set by hand")
        #expect(
            made.result.dropped.contains { $0.what.contains("location") && $0.reason.contains("sharing") })
        let bytes = try Data(contentsOf: URL(filePath: made.file))
        for secret in ["48.1374", "Maker"] {
            #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(secret)")
        }
    }

    @Test func stripLeavesNothing() throws {
        let made = try pass(
            try pass(film(), to: "mp4", artwork: picture("jpg"), MetadataRequest(items: Self.values)).file,
            to: "m4v", MetadataRequest(policy: .strip))
        #expect(try known(made.file).isEmpty)
        #expect(try Carried.of(made.file).streams.count == 2)
    }

    @Test func theDateIsKeptOrMovedOnByTheInPoint() throws {
        let first = try pass(
            film(), to: "mov",
            MetadataRequest(items: [
                "creation_time": "2020-02-28T23:59:59.600000Z", "date": "2021-12-31T23:59:59+0100",
            ]))
        let kept = try pass(first.file, to: "mp4", start: Time(1, 2))
        #expect(try Carried.of(kept.file).tags["creation_time"]?.hasPrefix("2020-02-28T23:59:59") == true)
        let moved = try pass(
            first.file, to: "mkv", MetadataRequest(advancesDate: true), start: Time(1, 2))
        #expect(try known(moved.file)["date"] == "2021-12-31T23:59:59+0100")
        #expect(
            CalendarTime("2020-02-28T23:59:59.600000Z")?.advanced(by: Time(1, 2)).description
                == "2020-02-29T00:00:00.100000Z")
        #expect(
            CalendarTime("1969-12-31 23:59:59")?.advanced(by: Time(3, 1)).description == "1970-01-01 00:00:02"
        )
        #expect(CalendarTime("2021") == nil)
    }

    @Test func artworkThatIsNoImageIsRefused() throws {
        let input = try film()
        let text = scratch.name("jpg")
        try Data("not a picture".utf8).write(to: URL(filePath: text))
        let whole = try Data(contentsOf: URL(filePath: picture("png")))
        let broken = scratch.name("png")
        try whole.prefix(whole.count - 9).write(to: URL(filePath: broken))
        for file in [text, broken] {
            let error = try #require(throws: MediaError.self) { try pass(input, to: "mp4", artwork: file) }
            #expect(error.code == .invalidRequest && error.message.contains("JPEG or PNG"), "\(error)")
        }
    }

    @Test func itemsThatCannotBeAreErrors() throws {
        for (key, value, words) in [
            ("titel", "x", "did you mean 'title'"), ("date", "yesterday", "a date"),
            ("location", "Munich", "ISO 6709"), ("track", "three", "3/12"),
            ("content_rating", "nice", "PG-13"), ("season_number", "one", "whole number"), ("", "x", "none"),
        ] {
            let error = try #require(throws: MediaError.self, "\(key)") {
                try MetadataRequest(items: [key: value]).check()
            }
            #expect(error.message.contains(words), "\(error)")
        }
        try MetadataRequest(items: Self.values).check()
        try MetadataRequest(items: ["albumName": "A", "content_rating": "TV-MA", "title": ""]).check()
    }
}
