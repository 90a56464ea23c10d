// libsystemd: readiness, socket activation, the journal's priorities.
#pragma once
#include <systemd/sd-daemon.h>
