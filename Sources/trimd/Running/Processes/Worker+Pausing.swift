// The pause of a worker: its processes are stopped where they are, and its timeouts stand still. Any thread.
internal import Glibc
internal import Platform
internal import Synchronization

extension Worker {
    /// Stops the process and its group, or lets them go on. A stopped process is killed as any other; it is stopped also before
    /// it has its request.
    func pause(_ isOn: Bool) {
        // Under the lock: once the process is reaped, its PID may be reused.
        state.withLock { state in
            guard state.status == nil, !state.killed else { return }
            state.isPaused = isOn
            state.watchdog?.isPaused.store(isOn, ordering: .relaxed)
            Glibc.kill(-identity.pid, isOn ? SIGSTOP : SIGCONT)
        }
    }
}
