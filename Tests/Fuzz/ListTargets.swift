// Lists that other programs make, and the templates of names.
import Foundation
import Lists
import Media
import MediaTime

extension FuzzTarget {
    /// One target a format, and the templates.
    static let lists =
        ListFormat.allCases.map { format in
            FuzzTarget(name: format.rawValue, seeds: samples(format)) { bytes in
                let list = ExportList.read(bytes, format)
                for export in list.exports { precondition(export.line > 0, "an export stands on a line") }
                for fault in list.faults { precondition(!fault.message.isEmpty, "a fault says what it is") }
                for other in ListFormat.written { write(list, as: other) }
                return list.faults.isEmpty
            }
        } + [
            FuzzTarget(
                name: "template",
                seeds: ["{stem}-{index:03}-{label}", "{{{stem}}}.{ext}", "{preset} {line:9}"]
            ) { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                guard let template = try? NameTemplate(text) else { return false }
                // The text itself stands for a label of somebody else's.
                let name = template.name([.stem: "film", .label: text, .index: "7"], fileType: "m4v")
                precondition(name.utf8.count <= NameTemplate.limit, "a name fits a folder")
                precondition(
                    !name.contains("/") && !name.utf8.contains(0) && !name.hasPrefix("."),
                    "a name is one name")
                return true
            },
            FuzzTarget(name: "handbrake", seeds: [handBrake]) { bytes in
                guard let presets = try? HandBrakePresets.read(bytes) else { return false }
                for preset in presets {
                    precondition((preset.preset == nil) != (preset.reason == nil), "a preset, or the reason")
                }
                return true
            },
        ]

    /// Writes a list with and without drop-frame timecodes; a list that is written can be read.
    private static func write(_ list: ExportList, as format: ListFormat) {
        // A list of nothing is refused when it is read.
        guard !list.exports.isEmpty else { return }
        let late = TimeSpelling.timecode(hours: 23, minutes: 59, seconds: 59, frames: 2, dropFrame: true)
        for (rate, timecode) in [(nil, nil), (Ratio(25), nil), (Ratio(30000, 1001), late)] {
            guard let written = try? list.written(as: format, rate: rate, timecode: timecode) else {
                continue
            }
            let back = ExportList.read(Array(written.text.utf8), format, rate: rate)
            precondition(
                back.faults.isEmpty || back.exports.isEmpty,
                "a list of ours is read: \(back.faults.first?.message ?? "")")
        }
    }

    /// A preset of HandBrake's in a folder.
    private static let handBrake =
        #"{"PresetList":[{"Folder":true,"PresetName":"Mine","ChildrenArray":[{"PresetName":"Fast 720p30","FileFormat":"av_mp4","VideoEncoder":"x264_10bit","VideoLevel":"3.1","VideoOptionExtra":"keyint=30:vbv-maxrate=9500:ref=1","VideoQualitySlider":21.5,"VideoQualityType":2,"VideoFramerate":"29.97","PictureWidth":1280,"PictureHeight":720,"AudioList":[{"AudioEncoder":"av_aac","AudioBitrate":160,"AudioMixdown":"5point1","AudioSamplerate":"44.1"}]}]}]}"#

    /// A list of each format, and the lists of other programs that the tests have.
    private static func samples(_ format: ListFormat) -> [String] {
        fixtures(format) + [small(format)]
    }

    private static func small(_ format: ListFormat) -> String {
        switch format {
        case .csv:
            "input,start,end,preset,label,render\n\"a b.mov\",1:10,-30,m4v720,\"x, \"\"y\"\"\",smart\nc.mov,,,,,\n"
        case .tsv: "0\t1.5\tfirst\n2\t\tlast\n"
        case .jsonl:
            #"{"input":"b.mov","start":{"value":441000,"timescale":44100},"end":"-3","snap":"frame","options":{"audio":"eng"}}"#
        case .edl:
            "TITLE: a\nFCM: DROP FRAME\n001  AX V C 01:00:00:02 01:00:10:00 00:00:00:00 00:00:09:28\n* FROM CLIP NAME: a.mov\n"
        case .llc:
            "{version: 1, mediaFileName: 'a.mp4', // as it is\n cutSegments: [{start: 1.5, end: 4, name: \"It's\"}, {end: 9,},]}"
        case .otio:
            #"{"OTIO_SCHEMA":"Timeline.1","tracks":{"OTIO_SCHEMA":"Stack.1","children":[{"OTIO_SCHEMA":"Track.1","kind":"Video","children":[{"OTIO_SCHEMA":"Clip.2","name":"c","media_references":{"DEFAULT_MEDIA":{"OTIO_SCHEMA":"ExternalReference.1","target_url":"file:///a%20b.mov"}},"source_range":{"OTIO_SCHEMA":"TimeRange.1","start_time":{"rate":23.976,"value":86400.0},"duration":{"rate":24,"value":12.5}}}]}]}}"#
        case .ffmetadata:
            ";FFMETADATA1\ntitle=a\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1500\ntitle=one\\=1\n"
        case .chapters:
            "<?xml version=\"1.0\"?>\n<!DOCTYPE Chapters>\n<Chapters><EditionEntry><ChapterAtom><ChapterTimeStart>00:00:01.500</ChapterTimeStart><ChapterTimeEnd>00:00:02.0</ChapterTimeEnd><ChapterDisplay><ChapterString>a &amp; b</ChapterString></ChapterDisplay></ChapterAtom></EditionEntry></Chapters>"
        }
    }

    private static func fixtures(_ format: ListFormat) -> [String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/lists")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return names.sorted().compactMap { name in
            guard let data = FileManager.default.contents(atPath: folder.appending(path: name).path()),
                ListFormat(name: name, bytes: Array(data)) == format, data.count < 64 << 10,
                ExportList.read(Array(data), format).faults.isEmpty
            else { return nil }
            return String(decoding: data, as: UTF8.self)
        }
    }
}
