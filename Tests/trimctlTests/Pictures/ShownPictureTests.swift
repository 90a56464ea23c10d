// Which protocol a terminal gets pictures by, and the sequences.
import FoundationEssentials
import Media
import Testing
import Text
import Wire

@testable import trimctl

@Suite struct ShownPictureTests {
    private static let kitty = "\u{1B}_Gi=31;OK\u{1B}\\", sixel = "\u{1B}[?62;4c", plain = "\u{1B}[?62c"

    @Test(
        arguments: [
            (kitty + sixel, [:], PictureScreen.Language.kitty), (sixel, [:], .sixel), (plain, [:], nil),
            ("\u{1B}P>|iTerm2 3.5\u{1B}\\" + sixel, [:], .iterm),
            ("\u{1B}P>|WezTerm 2024\u{1B}\\" + plain, [:], .iterm),
            (plain, ["LC_TERMINAL": "iTerm2"], .iterm), (plain, ["TERM_PROGRAM": "iTerm.app"], .iterm),
            // tmux passes the variables on, and says its own name.
            (plain, ["LC_TERMINAL": "iTerm2", "TMUX": "/tmp/x,1,0"], nil),
            ("\u{1B}P>|tmux 3.3a\u{1B}\\" + plain, ["LC_TERMINAL": "iTerm2"], nil),
            ("\u{1B}P>|XTerm(370)\u{1B}\\" + sixel, ["LC_TERMINAL": "iTerm2"], .sixel),
        ] as [(String, [String: String], PictureScreen.Language?)])
    func theMostExactProtocolIsUsed(
        _ answers: String, _ environment: [String: String], _ language: PictureScreen.Language?
    ) {
        #expect(PictureScreen.choose(TerminalAnswers(answers.utf8), environment) == language)
    }

    @Test func whichPreviewIsAskedFor() {
        func preview(_ language: PictureScreen.Language, _ path: String?) -> PreviewRequest? {
            PictureScreen(language: language, columns: 80, rows: 24, cell: .init(width: 8, height: 16))
                .preview(of: path)
        }
        #expect(preview(.sixel, nil) == PreviewRequest(.sixel, width: 640, height: 352))
        #expect(preview(.kitty, "/a.jpg") == PreviewRequest(.png, width: 640, height: 352))
        for path in [nil, "/a.png", "/a.PNG", "/folder/"] { #expect(preview(.kitty, path) == nil) }
        #expect(preview(.iterm, "/a.jpg") == nil)
    }

    @Test func kittyPiecesAreShort() throws {
        for count in [0, 1, 3071, 3072, 3073, 20_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let text = ShownPicture.kitty(bytes, cells: "c=80")
            let pieces = text.components(separatedBy: "\u{1B}\\").dropLast()
            let data = pieces.compactMap { $0.split(separator: ";", omittingEmptySubsequences: false).last }
            #expect(data.allSatisfy { $0.utf8.count <= 4096 })
            #expect(Data(base64Encoded: data.joined()) == Data(bytes))
            #expect(pieces.first?.hasPrefix("\u{1B}_Ga=T,f=100,q=2,c=80,m=") == true)
            #expect(pieces.last?.contains("m=0;") == true)
            #expect(pieces.dropLast().allSatisfy { $0.contains("m=1;") })
        }
    }

    /// The data comes from a process that has read untrusted media.
    @Test(arguments: [
        "", "#0;2;0;0;0~\u{1B}\\\u{1B}[2J", "~\u{7}", "~\n~", "~ ~", "~\u{9C}", "#0é", "~\u{7F}", "'",
    ]) func nothingButSixelDataReachesTheTerminal(_ data: String) {
        #expect(ShownPicture.sixel(data) == nil)
    }

    @Test func sixelDataIsEnclosed() {
        #expect(
            ShownPicture.sixel("\"1;1;2;1#0;2;0;0;0!2@$-") == "\u{1B}P0;1;0q\"1;1;2;1#0;2;0;0;0!2@$-\u{1B}\\")
    }

    @Test func withoutATerminalTheReasonIsSaid() throws {
        let rig = try Rig()
        let invocation = try Arguments.parse(["frame", "in.mov", "--at", "1", "--show"])
        guard case .run(let arguments) = invocation else { return #expect(Bool(false)) }
        let shown = ShownPicture(arguments, rig.surroundings)
        #expect(shown.preview(of: nil) == nil)
        shown.show("/a.png", size: (8, 8), preview: nil)
        #expect(rig.err == "not shown here: stdout is not a terminal\n" && rig.out.isEmpty)
    }

    @Test(
        arguments: [
            (["--size", "1280"], 1280, nil), (["--size", "1280x720"], 1280, 720),
            (["--size=160x160"], 160, 160),
        ] as [([String], Int64, Int64?)]) func sizesOfSheets(
            _ words: [String], _ width: Int64, _ height: Int64?
        )
        throws
    {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { _, method, params in
            #expect(method == .assetSheet)
            #expect(params["sheetWidth"]?.int == width && params["sheetHeight"]?.int == height)
            throw MediaError(.inputOutput, "enough")
        }
        defer { daemon.stop() }
        #expect(rig.run(["sheet", "in.mov", "--socket", rig.socket] + words) == 1, "\(rig.err)")
    }

    @Test(arguments: [
        ["--size", "12"], ["--size", "1280x"], ["--size", "x720"], ["--size", "1280x720x3"],
        ["--size", "720p"],
        ["--every", "0"], ["--every", "-3"], ["--every", "end"], ["--every", "5", "--rows", "2"],
        ["--size", "1280", "--width", "100"],
    ]) func whatIsNoLayout(_ words: [String]) throws {
        let rig = try Rig()
        #expect(rig.run(["sheet", "in.mov"] + words) == 2, "\(rig.err)")
    }
}
