// trim-worker: one request, in one process, on descriptors that were opened elsewhere. Started by trimd only.
import Glibc

exit(WorkerMain.run(Array(CommandLine.arguments.dropFirst())))
