// trim-worker: one request, in one process, on descriptors opened by trimd. Started only by trimd.
import Glibc

exit(WorkerMain.run(Array(CommandLine.arguments.dropFirst())))
