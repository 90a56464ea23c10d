// `trimctl drain`: the daemon starts no more jobs; the command ends when none is running, and with --exit the daemon exits too.
// The setting survives restarts, until `trimctl drain --off`.
internal import Media
internal import Wire

/// `trimctl drain`.
struct DrainCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let isOff = arguments.has(.off)
            if !isOff { console.say("trimctl: no more jobs are started; waiting for those that run") }
            let params = DrainParams(on: !isOff, exit: arguments.has(.exit) ? true : nil)
            let result: DrainResult = try daemon.call(.serverDrain, params)
            if asJSON {
                console.json(result)
            } else if result.exiting == true {
                console.print(
                    "drained, and trimd ends: nothing runs, \(result.waiting) waiting; the next trimd drains too, until `trimctl drain --off`"
                )
            } else if result.draining {
                console.print(
                    "drained: nothing runs, \(result.waiting) waiting; `trimctl drain --off` starts jobs again"
                )
            } else {
                console.print("jobs are started again, \(result.waiting) waiting")
            }
            return 0
        }
    }
}
