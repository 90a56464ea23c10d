// libsystemd: readiness, socket activation, the watchdog, and the journal with custom fields.
#pragma once
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
