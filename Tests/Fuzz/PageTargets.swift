// The page's routes, as far as they read what browsers and lists of others say: bodies, lists beside films, and headers.
import Lists
import Media
import MediaTime
import Text
import Wire

@testable import TrimPage

extension FuzzTarget {
    private static var film: Asset {
        Asset(
            container: Container(format: "mp4", name: "MP4"), start: .zero, duration: Time(seconds: 10),
            bytes: 0, tracks: [])
    }

    /// Writes ranges in every format.
    private static func write(_ ranges: JSONValue?) -> Bool {
        var isTaken = false
        for format in ListFormat.written {
            let written = try? PageRanges.written(
                ranges, format, name: "a.mp4", path: "/a.mp4", of: film)
            isTaken = isTaken || written != nil
        }
        return isTaken
    }

    /// The page's routes.
    static let page = [
        FuzzTarget(
            name: "page-ranges",
            seeds: [
                #"[{"start":{"value":441000,"timescale":44100},"end":"12.5","label":"a","tags":{"interstitial":"skip"}},{}]"#,
                #"[{"start":"1:10","end":"end-1"}]"#,
            ]
        ) { bytes in
            guard let ranges = try? JSONValue(parsing: bytes) else { return false }
            return write(ranges)
        },
        FuzzTarget(
            name: "page-list",
            seeds: [
                "start,end\n1.5,2.25\n", "0\t1.5\tfirst\n2\t\tlast\n",
                #"{"input":"a.mp4","start":{"value":441000,"timescale":44100},"duration":"3"}"#,
            ]
        ) { bytes in
            var isTaken = false
            for format in ListFormat.allCases {
                guard let read = try? PageRanges.read(bytes, format, name: "a.mp4", of: film) else {
                    continue
                }
                isTaken = true
                _ = write(read["ranges"])
            }
            return isTaken
        },
        FuzzTarget(name: "page-headers", seeds: ["bytes=0-99", "bytes=-5", "17", "FSK 16", "mpaa|R|400|"]) {
            bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let range = ByteRange(text, size: 1000)
            if let range {
                precondition(range.count > 0 && range.first + range.count <= 1000, "a part of the file")
            }
            let id = EventFeed.id(after: text)
            precondition(id >= 0, "events count up")
            return range != nil || id > 0 || AgeRating(text) != nil
        },
    ]
}
