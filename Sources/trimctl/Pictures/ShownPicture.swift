// A picture on its way to the terminal: reads the file or takes the preview, and makes the control sequence. Text that came from a
// worker reaches the terminal as base64, or only if it is Sixel data and nothing else. Decodes nothing.
internal import FoundationEssentials
internal import Media
internal import Platform

/// Shows pictures where `--show` asks for it.
struct ShownPicture {
    private let screen: PictureScreen?
    private let reason: String?
    private let console: Console

    /// Larger files are not sent to a terminal.
    private static let largest: Int64 = 32 << 20
    /// Bytes of one piece of a kitty picture, by its protocol.
    private static let piece = 4096

    /// Asks the terminal, if the command has the option.
    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        console = surroundings.console
        guard arguments.has(.show) else {
            (screen, reason) = (nil, nil)
            return
        }
        do throws(PictureScreen.Unavailable) {
            screen = try PictureScreen.find(surroundings)
            reason = nil
        } catch {
            (screen, reason) = (nil, error.reason)
        }
    }

    /// The preview to ask for.
    func preview(of path: String?) -> PreviewRequest? { screen?.preview(of: path) }

    /// Shows a picture, or says why it does not.
    /// - Parameter size: of the picture in pixels.
    func show(_ path: String, size: (width: Int, height: Int), preview: String?) {
        do throws(PictureScreen.Unavailable) {
            guard let screen else {
                if let reason { throw PictureScreen.Unavailable(reason: reason) }
                return
            }
            console.show(try ShownPicture.sequence(path, size: size, preview: preview, on: screen) + "\n")
        } catch {
            console.say("not shown here: \(error.reason)")
        }
    }

    private static func sequence(
        _ path: String, size: (width: Int, height: Int), preview: String?, on screen: PictureScreen
    ) throws(PictureScreen.Unavailable) -> String {
        switch screen.language {
        case .sixel:
            guard let preview, let sequence = sixel(preview) else {
                throw PictureScreen.Unavailable(reason: "trimd sent no Sixel data")
            }
            return sequence
        case .kitty:
            if let preview, let bytes = Data(base64Encoded: preview) {
                // It was made to fit.
                return kitty(Array(bytes), cells: "")
            }
            return kitty(try contents(path), cells: cells(size, on: screen, ("c", "r")))
        case .iterm:
            return iterm(try contents(path), cells: cells(size, on: screen, ("width", "height")))
        }
    }

    private static func contents(_ path: String) throws(PictureScreen.Unavailable) -> [UInt8] {
        if let status = FileSystem.status(path), status.size > largest {
            throw PictureScreen.Unavailable(reason: "the file is too large for a terminal")
        }
        do throws(SystemError) { return try FileSystem.contents(path) } catch {
            throw PictureScreen.Unavailable(reason: "\(error)")
        }
    }

    /// The key that makes a picture fit a window for which it is too large, with its value in cells; empty if it fits.
    private static func cells(
        _ size: (width: Int, height: Int), on screen: PictureScreen, _ keys: (width: String, height: String)
    ) -> String {
        let (across, down) = (
            Double(size.width) / Double(screen.room.width), Double(size.height) / Double(screen.room.height)
        )
        guard max(across, down) > 1 else { return "" }
        return across >= down
            ? "\(keys.width)=\(screen.columns)" : "\(keys.height)=\(max(1, screen.rows - 2))"
    }

    /// The sequences of the kitty graphics protocol for a PNG file.
    static func kitty(_ bytes: [UInt8], cells: String) -> String {
        let text = Array(Data(bytes).base64EncodedString().utf8)
        var sequences = ""
        for start in stride(from: 0, to: max(1, text.count), by: piece) {
            let end = min(start + piece, text.count)
            // No answers: they would be taken for typed keys.
            let keys =
                (start == 0 ? "a=T,f=100,q=2," + (cells.isEmpty ? "" : cells + ",") : "q=2,")
                + "m=\(end < text.count ? 1 : 0)"
            sequences += "\u{1B}_G\(keys);\(String(decoding: text[start..<end], as: UTF8.self))\u{1B}\\"
        }
        return sequences
    }

    /// The sequence of iTerm2 for an image file.
    static func iterm(_ bytes: [UInt8], cells: String) -> String {
        let keys = "inline=1;size=\(bytes.count);preserveAspectRatio=1" + (cells.isEmpty ? "" : ";" + cells)
        return "\u{1B}]1337;File=\(keys):\(Data(bytes).base64EncodedString())\u{7}"
    }

    /// The sequence of Sixel data; nil if there is anything else among it.
    static func sixel(_ data: String) -> String? {
        let others = Array("0123456789;\"#!$-".utf8)
        guard !data.isEmpty, data.utf8.allSatisfy({ 0x3F...0x7E ~= $0 || others.contains($0) }) else {
            return nil
        }
        return "\u{1B}P0;1;0q\(data)\u{1B}\\"
    }
}
