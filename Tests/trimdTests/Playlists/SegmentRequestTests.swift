// A worker that asks for files of a playlist: it is answered once at a time, and only where there are any.
import Foundation
import Media
import Testing
import Text
import Wire

@testable import trimd

extension WorkerTests {
    private static func ask(_ names: Int) -> String {
        let list = (0..<names).map { "\"\($0).ts\"" }.joined(separator: ",")
        return #"echo '{"jsonrpc":"2.0","method":"segments","params":{"names":[\#(list)]}}' >&3"#
    }

    @Test func whereThereIsNoPlaylistNoFileIsOpened() throws {
        let script = """
            read request <&3; \(WorkerTests.ask(2)); read answer <&3; echo "$answer"
            echo '{"jsonrpc":"2.0","id":1,"result":{"fine":true}}' >&3
            """
        let (outcome, lines) = try serve(try worker(script))
        #expect(try outcome.get() == ["fine": true])
        let answer = try #require(lines.first)
        #expect(answer.components(separatedBy: #""code":"playlist""#).count == 3, "\(answer)")
    }

    @Test func tooManyNamesAndTooManyRequestsEndIt() throws {
        for asked in [
            WorkerTests.ask(SegmentRequest.most + 1), WorkerTests.ask(0),
            #"echo '{"jsonrpc":"2.0","method":"segments","params":{"names":7}}' >&3"#,
        ] {
            #expect(code(try serve(try worker("read request <&3; \(asked); sleep 100")).0) == .workerCrashed)
        }
    }

    /// A worker that has not said that it is sealed gets nothing.
    @Test func onlyASealedWorkerGetsFiles() throws {
        let script = "read request <&3; \(WorkerTests.ask(1)); sleep 100"
        let outcome = try serve(try worker(script, Worker.Setup())).0
        #expect([.workerCrashed, .sandboxUnavailable].contains(code(outcome)))
    }
}
