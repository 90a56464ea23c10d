// URLs where files are wanted: refused with a command that fetches first, before anything is looked up.
import Media
import Testing

@testable import trimctl

@Suite struct RemoteFileTests {
    private func error(_ words: [String]) throws -> MediaError {
        try #require(throws: MediaError.self) { _ = try Arguments.parse(words) }
    }

    @Test(
        arguments: [
            (
                "https://example.org/a/film.mp4",
                "curl -fLO https://example.org/a/film.mp4 && trimctl export film.mp4"
            ),
            (
                "HTTP://example.org/film.mp4",
                "curl -fLO HTTP://example.org/film.mp4 && trimctl export film.mp4"
            ),
            (
                "https://example.org/film.mp4?key=1&b=2",
                "curl -fLO 'https://example.org/film.mp4?key=1&b=2' && trimctl export film.mp4"
            ),
            (
                "https://example.org/",
                "curl -fL -o video.mp4 https://example.org/ && trimctl export video.mp4"
            ),
            ("https://example.org", "curl -fL -o video.mp4 https://example.org && trimctl export video.mp4"),
            ("ftp://host/a%20b.mov", "curl -fLO ftp://host/a%20b.mov && trimctl export a%20b.mov"),
            ("s3://bucket/a b.mov", "aws s3 cp 's3://bucket/a b.mov' 'a b.mov' && trimctl export 'a b.mov'"),
            ("gs://bucket/b.mov", "gcloud storage cp gs://bucket/b.mov b.mov && trimctl export b.mov"),
            (
                "rtmp://host/live",
                "ffmpeg -i rtmp://host/live -c copy stream.mkv && trimctl export stream.mkv"
            ),
            (
                "https://host/live/index.m3u8",
                "ffmpeg -i https://host/live/index.m3u8 -c copy stream.mkv && trimctl export stream.mkv"
            ),
        ])
    func urlsAreRefusedWithACommandThatFetches(url: String, command: String) throws {
        let error = try error(["export", url, "--start", "1"])
        #expect(error.message == "INPUT: '\(url)' is a URL, and only files are read")
        #expect(error.remedy == "fetch it first: \(command)")
        #expect(error.code.exitCode == 2)
    }

    @Test func everyCommandThatReadsFilesRefusesThem() throws {
        for entry in CommandTable.entries where entry.positionals.first?.kind == .inputFile {
            let error = try error([entry.name, "https://example.org/in.mp4"])
            #expect(error.remedy?.hasSuffix("&& \(entry.title) in.mp4") == true, "\(entry.name)")
        }
        let other = try error(["export", "ipfs://hash"])
        #expect(other.remedy == "fetch it to a file first, then: trimctl export FILE")
        let artwork = try error(["export", "in.mp4", "--artwork", "https://example.org/a.jpg"])
        #expect(artwork.remedy == "fetch it first: curl -fLO https://example.org/a.jpg")
        let output = try error(["export", "in.mp4", "-o", "s3://bucket/out.mp4"])
        #expect(output.message == "-o: 's3://bucket/out.mp4' is a URL, and only files are written")
    }

    /// It comes before "no such file", and needs no daemon.
    @Test func nothingIsLookedUp() throws {
        let rig = try Rig()
        #expect(rig.run(["export", "https://example.org/in.mp4", "--socket", rig.socket]) == 2)
        #expect(rig.err.contains("is a URL"))
        #expect(rig.run(["export", "in.mp4", "rtsp://host/x", "--socket", rig.socket]) == 2)
    }

    @Test(arguments: ["./http://a", "a/b://c", "1a://x", "://x", "file:///a/b.mp4", "http:/x", "a b://c"])
    func pathsAreNoURLs(path: String) throws {
        #expect(RemoteFile(path) == nil)
        guard case .run = try Arguments.parse(["export", path]) else { throw MediaError(.unknown, path) }
    }
}
