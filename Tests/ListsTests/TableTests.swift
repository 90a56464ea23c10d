// Tables: separators, quotes, marks at their beginning, headers, and everything that is wrong with them at once.
import Media
import MediaTime
import Testing

@testable import Lists

@Suite struct TableTests {
    @Test(arguments: [
        ("input,start,end,label\na.mov,1.5,2,x\n", ListFormat.csv),
        ("\u{FEFF}input;start;end;label\r\na.mov;1,5;2;x\r\n", .csv),
        ("input\tstart\tend\tlabel\na.mov\t1.5\t2\tx", .tsv),
        ("\"Input\",\"Start\",\"End\",\"Name\"\r\"a.mov\",\" 1.5 \",2,\"x\"\r", .csv),
        ("source,in,out,title\n\n  \na.mov,0:01.5,00:00:02.000,x\n", .csv),
    ]) func writtenInManyWays(text: String, format: ListFormat) throws {
        let list = read(text, format)
        #expect(list.faults.isEmpty, "\(list.faults)")
        let export = try #require(list.exports.first)
        #expect(list.exports.count == 1)
        #expect(export.input == "a.mov" && export.label == "x")
        #expect(export.start == .decimal(Time(3, 2)) && export.end == .decimal(Time(2, 1)))
    }

    @Test func optionsOverAPresetAreColumns() throws {
        let list = read(
            "input,crf,size,video-codec,audio_bitrate,crop,rotate,speed\na,20,720p,hevc,128k,640:480:0:8,90,1.5\nb,,,,,,,\n",
            .csv)
        #expect(list.faults.isEmpty, "\(list.faults)")
        var wanted = ExportOptions()
        (wanted.crf, wanted.size, wanted.videoCodec) = (20, FrameBox("1280x720"), .hevc)
        (wanted.audioBitRate, wanted.crop, wanted.rotate) = (128_000, FrameCrop("640:480:0:8"), 90)
        wanted.speed = Ratio(3, 2)
        #expect(list.exports.map(\.options) == [wanted, nil])
        let wrong = read("input,crf,speed\na,99,1\nb,20,9\n", .csv)
        #expect(wrong.faults.map(\.line) == [2, 3])
    }

    @Test func losslessCutHasNoHeader() {
        let list = read("0,5.2,Intro\n5.2,,\"The \"\"end\"\", really\"\n,3,\n", .csv)
        #expect(list.faults.isEmpty)
        #expect(list.exports.map(\.times) == ["0..5.2", "5.2..", "..3"])
        #expect(list.exports.map(\.label) == ["Intro", "The \"end\", really", nil])
        #expect(list.exports.map(\.line) == [1, 2, 3])
    }

    @Test func linesAreCountedThroughQuotedBreaks() {
        let list = read("input,start,label\na,1,\"two\nlines\"\nb,x,\nc,3,\"cr\r\nlf\"\nd,y,\n", .csv)
        #expect(list.exports.map(\.line) == [2, 5])
        #expect(list.faults.map(\.line) == [4, 7])
    }

    @Test func everythingWrongIsSaidAtOnce() {
        let list = read(
            """
            input,start,end,duration,render
            a,1,2,3,
            a,01:60,2,,
            a,1,2,,cpy
            a,1,2,,copy,9
            a,1,2,,copy
            """, .csv)
        #expect(list.faults.map(\.line) == [2, 3, 4, 5])
        #expect(list.exports.map(\.line) == [6])
    }

    @Test func columnsThatAreNotKnown() {
        #expect(read("input,strat,end\na,1,2", .csv).faults.first?.message.contains("'start'") == true)
        let list = read("input,start,director\na,1,Lang", .csv)
        #expect(list.faults.isEmpty && list.notes.count == 1 && list.exports.count == 1)
        #expect(read("input,input\na,b", .csv).faults.count == 1)
    }

    @Test(arguments: ["", "\n\n", "input,start\n", "\"open\n1,2", "a\u{0}b"])
    func listsOfNothingAreFaults(text: String) {
        let list = read(text, .csv)
        #expect(list.exports.isEmpty && !list.faults.isEmpty)
    }

    @Test func utf16AndWhatIsNoText() {
        let text = "input,start,label\nä.mov,1,x\n"
        for (mark, isLittle) in [([0xFF, 0xFE] as [UInt8], true), ([0xFE, 0xFF], false)] {
            let bytes = text.utf16.flatMap { unit in
                let pair = [UInt8(unit & 255), UInt8(unit >> 8)]
                return isLittle ? pair : pair.reversed()
            }
            #expect(ExportList.read(mark + bytes, .csv).exports.first?.input == "ä.mov")
        }
        let list = ExportList.read(Array("a,1\nb,".utf8) + [0xE4, 0x0A], .csv)
        #expect(list.faults.map(\.line) == [2])
        #expect(list.faults.first?.message.hasPrefix("this is no UTF-8; save the list as UTF-8") == true)
    }

    @Test func tenMegabytesTakeNoTime() {
        var text = "input,start,end,label\n"
        for line in 0..<150_000 {
            text += "some/folder/film.mov,\(line),\(line + 1),\"name, \(line) of many such\"\n"
        }
        #expect(text.utf8.count > 8_000_000)
        let clock = ContinuousClock()
        var list = ExportList()
        let time = clock.measure { list = read(text, .csv) }
        #expect(list.exports.count == 150_000 && list.faults.isEmpty)
        // Linear: some seconds unoptimised; quadratic would be hours.
        #expect(time < .seconds(60))
    }
}
