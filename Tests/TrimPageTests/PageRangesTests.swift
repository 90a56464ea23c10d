// Lists from outside: whatever numbers they name, there is an answer, and what is read comes back as it was.
import Lists
import Media
import MediaTime
import Testing
import Text

@testable import TrimPage

@Suite struct PageRangesTests {
    private var asset: Asset {
        Asset(
            container: Container(format: "mp4", name: "MP4"), start: .zero, duration: Time(seconds: 10),
            bytes: 0, tracks: [])
    }

    private static let numbers = [
        "0", "1.5", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775807.5",
        "9223372036854.775807", "9223372036854775807/1", "-9223372036854775808/1", "1/2147483647", "9e18",
        "9223372036854775807f", "end-9223372036854775807",
    ]

    @Test(arguments: ListFormat.allCases, numbers) func numbersOfListsEndNothing(
        _ format: ListFormat, _ number: String
    ) {
        for text in [
            "start,end\n\(number),\n", "start,end\n1,\(number)\n", "\(number)\t\(number)\tx\n",
            #"{"input":"a.mp4","start":"\#(number)","duration":"\#(number)"}"#,
            "{cutSegments: [{start: \(number), end: \(number)}]}",
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=\(number)\nEND=\(number)\n",
        ] {
            guard let read = try? PageRanges.read(Array(text.utf8), format, name: "a.mp4", of: asset) else {
                continue
            }
            for written in ListFormat.written {
                _ = try? PageRanges.written(
                    read["ranges"], written, name: "a.mp4", path: "/a.mp4", of: asset)
            }
        }
    }

    @Test(arguments: ListFormat.written, [Int64.min, -1, 0, 1, Int64.max]) func numbersOfBrowsersEndNothing(
        _ format: ListFormat, _ value: Int64
    ) {
        for scale in [1, 90_000, 1_000_000, Int64(Int32.max)] {
            let time: JSONValue = ["value": .int(value), "timescale": .int(scale)]
            for range in [["start": time], ["end": time], ["start": time, "end": time]] as [JSONValue] {
                _ = try? PageRanges.written(
                    [range], format, name: "a.mp4", path: "/a.mp4", of: asset)
            }
        }
    }

    @Test func aDecimalCountsMicroseconds() throws {
        let read = try PageRanges.read(
            Array("start,end\n1.5,2.25\n".utf8), .csv, name: "a.mp4", of: asset)
        let range = try #require(read["ranges"]?.array?.first?.object?.dictionary)
        #expect(range["start"] == ["value": 1_500_000, "timescale": 1_000_000])
        #expect(range["end"] == ["value": 2_250_000, "timescale": 1_000_000])
    }

    @Test(arguments: ["9223372036854775807", "-1", "-9223372036854775808", "x", "", "9007199254740993"])
    func eventsBeginAnewBehindNumbersThatAreNotOurs(text: String) {
        #expect(EventFeed.id(after: text) == 0)
        #expect(EventFeed.id(after: "17") == 17)
    }
}
