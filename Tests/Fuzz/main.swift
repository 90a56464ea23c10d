// fuzz: feeds one parser with texts that grow from good ones, led by what the code did with the last (libFuzzer). Without a
// name it says which there are; the rest of the words is libFuzzer's. Single-threaded, as the fuzzer is.
//
// `unsafe` here: the fuzzer is C, and lends its bytes for one call.
import CFuzzer
import Foundation

guard CommandLine.arguments.count > 2, let target = FuzzTarget.chosen else {
    for target in FuzzTarget.all { print(target.name) }
    exit(CommandLine.arguments.count > 1 ? 2 : 0)
}

let corpus = URL(filePath: CommandLine.arguments[2])
for (index, seed) in target.seeds.enumerated() {
    // Unspoiled they are taken, or nothing would be learnt from them.
    precondition(target.feed(Array(seed.utf8)), "\(target.name) does not take \(seed)")
    try Data(seed.utf8).write(to: corpus.appending(path: "seed-\(index)"))
}

var words = [CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)
var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
var count = Int32(words.count)
let result = unsafe pointers.withUnsafeMutableBufferPointer { buffer in
    var first = buffer.baseAddress
    return unsafe LLVMFuzzerRunDriver(&count, &first) { data, size in
        let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: size))
        _ = FuzzTarget.chosen?.feed(bytes)
        return 0
    }
}
exit(result)
