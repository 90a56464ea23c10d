// A definition of pthread_setschedparam that takes precedence over the C library's in the encoder libraries. SVT-AV1 gives the thread that
// opens an encoder, and so all that this one starts, the highest real-time priority wherever root may. On such threads a VP8 encoder
// that waited for its helpers kept every processor from them. The seal refuses the call too; this holds without it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters) {
    if (policy == SCHED_FIFO || policy == SCHED_RR) return EPERM;
    int (*own)(pthread_t, int, const struct sched_param *) =
        (int (*)(pthread_t, int, const struct sched_param *))dlsym(RTLD_NEXT, "pthread_setschedparam");
    return own ? own(thread, policy, parameters) : ENOSYS;
}
