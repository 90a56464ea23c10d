# trimd: what is done with the sources. `make help` lists the targets.
#
# The one list of Debian packages. Building needs the first, testing and measuring the second too.
BUILD_PACKAGES = libavcodec-dev libavfilter-dev libavformat-dev libavutil-dev libswresample-dev \
	libsqlite3-dev libsystemd-dev pkg-config
TEST_PACKAGES = ffmpeg procps python3-av python3-numpy

SWIFT = swift
PREFIX = /usr/local
DESTDIR =
BINDIR = $(PREFIX)/bin
SBINDIR = $(PREFIX)/sbin
LIBEXECDIR = $(PREFIX)/libexec/trimd
DATADIR = $(PREFIX)/share/trimd
DOCDIR = $(PREFIX)/share/doc/trimd
UNITDIR = $(PREFIX)/lib/systemd

# Programs that are installed need no Swift on the machine they run on.
RELEASE = -c release --static-swift-stdlib
PROGRAMS = trimctl trimd trim-worker
BUILT = $(addprefix .build/release/,$(PROGRAMS))

# Real media and checking tools that may lie beside the checkout; what needs them says so and is left out without them.
export MEDIA ?= $(abspath ../shared/media)
export TOOLS ?= $(abspath ../shared/tools)
INPUT =

.PHONY: help build demo test test-faults test-tsan test-media bench lint install uninstall packages test-packages clean

help: ## What there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# Installs what is missing of the packages in $(1); says nothing where nothing is.
define need
	@missing=$$(for p in $(1); do \
		dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
		echo "installing" $$missing; \
		sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$sudo apt-get update -qq && \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi
endef

packages:
	$(call need,$(BUILD_PACKAGES))

test-packages:
	$(call need,$(BUILD_PACKAGES) $(TEST_PACKAGES))

build: packages ## The programs, optimised, in .build/release
	$(SWIFT) build $(RELEASE)

demo: test-packages build ## Export a part of a film: INPUT=film.mov, or a small one made for it
	@Tests/Scripts/demo .build/release $(INPUT)

test: test-packages ## All tests but the slow ones
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest --parallel
	@Tests/Scripts/check-units
	@TRIMD_PROGRAMS=.build/debug Tests/Scripts/error-check
	@TRIMD_PROGRAMS=.build/debug Tests/Scripts/media-check --sample

test-media: test-packages build ## Every file of $(MEDIA) through trimd, judged by tools that do not ask it
	@TRIMD_PROGRAMS=.build/release Tests/Scripts/media-check

test-faults: test-packages ## Slow: 200 crashes, every system call failing once, and a storm of clients
	$(SWIFT) build --build-tests
	TRIMD_FAULTS=1 $(SWIFT) test --skip-build --disable-xctest --filter 'CrashTests|CallFaultTests|MeanwhileTests'
	$(SWIFT) build $(RELEASE)
	Tests/Scripts/storm .build/release

test-tsan: test-packages ## The queue, the wire and the daemon under the thread sanitizer
	$(SWIFT) test --scratch-path .build/tsan --sanitize=thread --disable-xctest --filter 'JobQueueTests|WireTests|trimdTests'

bench: test-packages build ## Beside ffmpeg's command line, in one run
	@Tests/Scripts/bench .build/release

lint: ## The format of the sources
	$(SWIFT) format lint --strict -r Sources Tests Package.swift

$(BUILT): ; $(MAKE) build

install: $(BUILT) ## Into $(DESTDIR)$(PREFIX); to be run with sudo
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(SBINDIR) $(DESTDIR)$(LIBEXECDIR) $(DESTDIR)$(DATADIR)/presets \
		$(DESTDIR)$(DOCDIR) $(DESTDIR)$(UNITDIR)/system $(DESTDIR)$(UNITDIR)/user \
		$(DESTDIR)$(PREFIX)/lib/sysusers.d
	install -m 755 .build/release/trimctl $(DESTDIR)$(BINDIR)/trimctl
	install -m 755 .build/release/trimd $(DESTDIR)$(SBINDIR)/trimd
	install -m 755 .build/release/trim-worker $(DESTDIR)$(LIBEXECDIR)/trim-worker
	install -m 644 Presets/*.json $(DESTDIR)$(DATADIR)/presets
	install -m 644 README.md LICENSE $(DESTDIR)$(DOCDIR)
	install -m 644 systemd/sysusers.d/trimd.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/trimd.conf
	for unit in system/trimd.service system/trimd.socket user/trimd.service user/trimd.socket; do \
		sed -e 's|@SBINDIR@|$(SBINDIR)|g' -e 's|@DOCDIR@|$(DOCDIR)|g' systemd/$$unit > $(DESTDIR)$(UNITDIR)/$$unit && \
		chmod 644 $(DESTDIR)$(UNITDIR)/$$unit || exit 1; done

uninstall: ## What install put there
	rm -f $(DESTDIR)$(BINDIR)/trimctl $(DESTDIR)$(SBINDIR)/trimd $(DESTDIR)$(PREFIX)/lib/sysusers.d/trimd.conf \
		$(addprefix $(DESTDIR)$(UNITDIR)/,system/trimd.service system/trimd.socket user/trimd.service user/trimd.socket)
	rm -rf $(DESTDIR)$(LIBEXECDIR) $(DESTDIR)$(DATADIR) $(DESTDIR)$(DOCDIR)

clean: ## What was built
	rm -rf .build
