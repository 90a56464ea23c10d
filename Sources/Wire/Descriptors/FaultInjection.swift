// FaultInjection: in a debug build, the Nth system call of some sorts fails, so that tests can see what becomes of each
// failure. The seam is `SystemError.check`, through which all calls go. In a release build there is nothing here.
#if DEBUG
    internal import Glibc
    internal import Synchronization

    /// System calls that fail because a test wants it.
    package enum FaultInjection {
        private struct Plan {
            var acts: Set<String>
            var left: Int
            var code: Int32
        }

        private static let plan = Mutex<Plan?>(nil)

        /// Arms it: `opening,syncing:3:28` makes the third call that opens or syncs fail with errno 28. Other texts do
        /// nothing. `opening /a/b` is a call on that object alone, for tests beside others in one process.
        package static func arm(_ text: String?) {
            let parts = (text ?? "").split(separator: ":")
            guard parts.count == 3, let count = Int(parts[1]), let code = Int32(parts[2]) else { return }
            let acts = Set(parts[0].split(separator: ",").map(String.init))
            plan.withLock { $0 = Plan(acts: acts, left: count, code: code) }
        }

        /// The errno with which this call is to fail; nil: it is to be made.
        static func strike(_ act: String, _ object: String) -> Int32? {
            let code: Int32? = plan.withLock { plan in
                guard let now = plan, now.left > 0,
                    now.acts.contains(act) || now.acts.contains("\(act) \(object)")
                else { return nil }
                plan?.left -= 1
                return now.left == 1 ? now.code : nil
            }
            if let code {
                // A test sees by this that the plan was carried out.
                var line = Array("fault injected: \(act) \(object): \(SystemError.reason(code))\n".utf8)
                _ = unsafe write(2, &line, line.count)
            }
            return code
        }
    }
#endif
