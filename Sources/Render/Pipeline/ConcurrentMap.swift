// Independent pieces of work on several threads of Dispatch, while the caller's waits. Owns nothing: elements and results are the caller's.
internal import Dispatch
internal import Libav
internal import Synchronization

extension Array where Element: Sendable {
    /// The results of `work` for the elements, in their order. It runs on as many threads as the worker may use, and for each element even
    /// if one throws.
    /// - Parameter most: elements at once, where each takes much memory.
    /// - Throws: the error of the first element that has one.
    package func concurrentMap<Value: Sendable, Failure: Error>(
        atOnce most: Int = .max, _ work: @Sendable (Element) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        let results = Mutex([Result<Value, Failure>?](repeating: nil, count: count))
        let threads = Swift.min(Decoder.processors, count, most)
        if threads <= 1 {
            // On the caller's thread: a process that may start none gets none.
            return try map { element throws(Failure) in try work(element) }
        }
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for index in stride(from: thread, to: count, by: threads) {
                let result = Result { () throws(Failure) in try work(self[index]) }
                results.withLock { $0[index] = result }
            }
        }
        var values: [Value] = []
        for case let result? in results.withLock(\.self) { values.append(try result.get()) }
        return values
    }
}
