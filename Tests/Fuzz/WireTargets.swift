// Input from the socket: lines, and streams that are cut into lines.
import Foundation
import Media
import Wire

extension FuzzTarget {
    /// The protocol.
    static let wire = [
        FuzzTarget(
            name: "line",
            seeds: [
                #"{"jsonrpc":"2.0","id":1,"method":"job.submit","params":{"input":"/a/b.mov","start":"1:10","end":{"value":441000,"timescale":44100},"preset":"m4v720","overwrite":true,"priority":50,"keep":[{"start":"1","end":"2"}]}}"#,
                #"{"jsonrpc":"2.0","id":"x","result":[1,-2.5e3,"\u00e9\n",null,false,{"a":{"b":[[]]}}]}"#,
                #"{"jsonrpc":"2.0","method":"job.progress","params":{"id":7}}"#,
                #"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no","data":{"code":"unknown","message":"no"}}}"#,
            ]
        ) { bytes in
            guard let message = try? Message(parsing: bytes) else { return false }
            let again = try? Message(parsing: message.line.filter { $0 != 10 })
            precondition(again == message, "said again, it is another message")
            switch message {
            case .request(_, _, let params):
                _ = try? params.decode(as: SubmitParams.self)
                _ = try? params.decode(as: ExportRequest.self)
            case .notification(_, let params): _ = try? params.decode(as: SubmitParams.self)
            case .failure(_, let error): _ = MediaError(error)
            case .response: break
            }
            return true
        },
        FuzzTarget(
            name: "frames", seeds: ["\u{3}{\"a\":1}\n\n{\"b\":2}\r\nlonger than the limit of a line\nend"]
        ) { bytes in
            // The first byte says how long the pieces are that it comes in.
            let piece = max(1, Int(bytes.first ?? 1) % 32)
            precondition(
                frames(bytes, piece: piece) == frames(bytes, piece: max(1, bytes.count)),
                "the lines depend on how the stream is cut")
            return true
        },
    ]

    private static func frames(_ bytes: [UInt8], piece: Int) -> [LineFramer.Piece] {
        var framer = LineFramer(limit: 20), found: [LineFramer.Piece] = [], from = 0
        while from < bytes.count {
            let to = min(bytes.count, from + piece)
            framer.append(bytes[from..<to])
            while let piece = framer.next() { found.append(piece) }
            from = to
        }
        if let last = framer.finish() { found.append(last) }
        return found
    }
}
