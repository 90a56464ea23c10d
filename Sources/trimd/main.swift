// The daemon's beginning. Signals are blocked before there is a second thread; all else is Daemon's.
internal import Platform

Signals.block()
DispatchLog.silence()
Memory.limitArenas()
Daemon.main(Kernel.words)
