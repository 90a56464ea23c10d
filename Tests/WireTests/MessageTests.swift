import Testing
import Text

@testable import Wire

@Suite struct MessageTests {
    private func parse(_ text: String) throws(Message.Malformed) -> Message {
        try Message(parsing: Array(text.utf8))
    }

    @Test(arguments: [
        Message.request(id: .int(1), method: "a", params: ["x": 1]),
        .request(id: .string("k"), method: "a", params: [1]),
        .request(id: .null, method: "a", params: .empty), .notification(method: "n", params: ["x": [1, 2]]),
        .response(id: .int(-1), result: nil), .response(id: .string(""), result: ["a": "b"]),
        .failure(id: .null, error: .parse("p")),
        .failure(id: .int(3), error: RemoteError(code: "job.not-found", "no job", details: ["id": 3])),
    ])
    func roundTrip(_ message: Message) throws {
        let line = message.line
        #expect(line.last == 10)
        #expect(line.dropLast().firstIndex(of: 10) == nil)
        #expect(try Message(parsing: Array(line.dropLast())) == message)
    }

    @Test func tolerates() throws {
        let message = try parse(#"{"extra":1,"id":1,"id":2,"method":"m","jsonrpc":"2.0","params":{}}"#)
        #expect(message == .request(id: .int(2), method: "m", params: .empty))
        #expect(
            try parse(#"{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"m"}}"#)
                == .failure(id: .int(1), error: RemoteError(number: -5, code: "unknown", "m", details: [:])))
    }

    @Test(arguments: [
        ("", -32700, RequestID.null), ("{", -32700, .null), ("[[[[", -32700, .null), ("[]", -32600, .null),
        (#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#, -32600, .null), ("1", -32600, .null),
        ("{}", -32600, .null),
        (#"{"id":1,"method":"a"}"#, -32600, .int(1)),
        (#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600, .int(1)),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, -32600, .null),
        (#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, -32600, .null),
        (#"{"jsonrpc":"2.0","id":"q","method":1}"#, -32600, .string("q")),
        (#"{"jsonrpc":"2.0","id":"q"}"#, -32600, .string("q")),
        (#"{"jsonrpc":"2.0","id":1,"method":"a","params":3}"#, -32600, .int(1)),
        (#"{"jsonrpc":"2.0","id":1,"error":"x"}"#, -32600, .int(1)),
    ])
    func malformed(_ text: String, _ number: Int, _ id: RequestID) {
        let fault = #expect(throws: Message.Malformed.self) { try parse(text) }
        #expect(fault?.error.number == number)
        #expect(fault?.id == id)
    }

    @Test func errorsCarryTheirWord() throws {
        let error = RemoteError(code: "time.invalid", "bad", details: ["time": "x", "code": "loses"])
        let line = String(decoding: Message.failure(id: .int(1), error: error).line, as: UTF8.self)
        #expect(line.contains(#""data":{"code":"time.invalid","time":"x"}"#))
        #expect(line.contains(#""code":-32000"#))
    }
}
