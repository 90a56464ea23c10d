// `trimctl convert`: lists in other formats; nothing is replaced unasked, and what is lost is told.
import FoundationEssentials
import Testing

@testable import trimctl

@Suite struct ConvertTests {
    private func rig() throws -> Rig {
        let rig = try Rig()
        try Data("input,start,end,preset,label\nfilm.mp4,0.5,250f,,\nfilm.mp4,2,3.5,m4a,\"a, b\"\n".utf8)
            .write(to: URL(filePath: rig.folder + "/cuts.csv"))
        try Data("1.5,4,x\n5,6,\n".utf8).write(to: URL(filePath: rig.folder + "/plain.csv"))
        return rig
    }

    private func text(_ rig: Rig, _ name: String) -> String {
        String(
            decoding: FileManager.default.contents(atPath: rig.folder + "/" + name) ?? Data(), as: UTF8.self)
    }

    @Test func aListIsWrittenInAnotherFormat() throws {
        let rig = try rig()
        #expect(
            rig.run(["convert", "plain.csv", "-o", "film.llc", "--input", "film.mp4"]) == 0, "\(rig.err)")
        #expect(text(rig, "film.llc").contains("\"mediaFileName\": \"film.mp4\""))
        #expect(rig.run(["convert", "film.llc", "--to", "csv"]) == 0)
        #expect(rig.out.hasSuffix("input,start,end,label\nfilm.mp4,1.5,4,x\nfilm.mp4,5,6,\n"), "\(rig.out)")
        #expect(
            rig.run(["convert", "cuts.csv", "-o", "cuts.edl", "--rate", "25", "--timecode", "01:00:00:00"])
                == 0)
        #expect(rig.err.contains("cuts.csv:3: edl has no preset, which is left out"))
        #expect(text(rig, "cuts.edl").contains("01:00:00:13 01:00:10:00"))
    }

    @Test func nothingIsReplacedUnasked() throws {
        let rig = try rig()
        let before = text(rig, "plain.csv")
        #expect(rig.run(["convert", "cuts.csv", "-o", "plain.csv"]) == 6 && text(rig, "plain.csv") == before)
        #expect(rig.run(["convert", "cuts.csv", "-o", "plain.csv", "--overwrite"]) == 0)
        #expect(text(rig, "plain.csv").hasPrefix("input,start,end,preset,label\nfilm.mp4,0.5,250f,,\n"))
    }

    @Test(arguments: [
        ["convert", "cuts.csv"], ["convert", "cuts.csv", "-o", "cuts.edl"],
        ["convert", "cuts.csv", "-o", "cuts.llc"],
        ["convert", "cuts.csv", "-o", "cuts.xyz"],
        ["convert", "cuts.csv", "--to", "edl", "--rate", "25", "--timecode", "1"],
        ["convert", "cuts.csv", "-o", "cuts.xml"], ["convert"],
    ])
    func errorsSayHow(words: [String]) throws {
        let rig = try rig()
        #expect(rig.run(words) == 2 && !rig.err.isEmpty, "\(words) \(rig.err)")
        #expect(text(rig, "cuts.edl").isEmpty && text(rig, "cuts.llc").isEmpty)
    }
}
