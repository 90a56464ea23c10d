# trimd: what is done with the sources. `make help` lists the targets.
#
# The one list of Debian packages. Building needs the first, testing and measuring the second too.
BUILD_PACKAGES = libavcodec-dev libavfilter-dev libavformat-dev libavutil-dev libswresample-dev \
	libass-dev libgcrypt20-dev libmicrohttpd-dev libpq-dev libseccomp-dev libsqlite3-dev libsystemd-dev pkg-config
TEST_PACKAGES = ffmpeg fonts-dejavu-core mediainfo mkvtoolnix postgresql procps python3-av python3-jsonschema python3-numpy python3-pytest \
	python3-yaml
# Shells, formatters and a terminal, in which the client is tried; what is missing is said and left out.
SHELL_PACKAGES = fish man-db mandoc tmux zsh
# Only for `make test-systemd`, which boots a machine of its own in a container.
SYSTEMD_PACKAGES = debian-archive-keyring mmdebstrap systemd-container
# In the machines that the checks boot.
MACHINE_PACKAGES = ca-certificates dbus libpam-systemd man-db passwd systemd systemd-sysv
# Only for `make test-clones`, which mounts file systems.
CLONE_PACKAGES = btrfs-progs xfsprogs
# Only for `make test-fleet`, which runs engines of its own.
FLEET_PACKAGES = munge postgresql slurm-wlm
# Only for `make test-setup`, which boots machines and connects them.
SETUP_PACKAGES = iproute2 openssl
# For the machine of `make test-nfs`, besides those of test-power.
NFS_PACKAGES = mmdebstrap
# Only for `make test-debian`: what the toolchain needs in another Debian, besides the first two lists.
TOOLCHAIN_PACKAGES = binutils ca-certificates g++ git libc6-dev libcurl4 libedit2 libncurses-dev libxml2-dev make mount python3 tzdata
# For `make deb`.
DEB_PACKAGES = debhelper dpkg-dev lintian xz-utils
# Only for `make test-image`, which runs containers.
IMAGE_PACKAGES = crun fuse-overlayfs podman slirp4netns uidmap
# Only for `make test-power`, which takes the power from a machine of its own.
POWER_PACKAGES = attr busybox-static cpio e2fsprogs kmod qemu-system-x86

SWIFT = swift
PREFIX = /usr/local
DESTDIR =
BINDIR = $(PREFIX)/bin
SBINDIR = $(PREFIX)/sbin
LIBEXECDIR = $(PREFIX)/libexec/trimd
DATADIR = $(PREFIX)/share/trimd
DOCDIR = $(PREFIX)/share/doc/trimd
MANDIR = $(PREFIX)/share/man
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
UNITDIR = $(PREFIX)/lib/systemd
SYSTEMUNITDIR = $(UNITDIR)/system
SYSCONFDIR = /etc

# Programs that are installed need no Swift on the machine they run on. They are hardened as the packages of Debian are.
# Swift links with gold where it is; of GNU's other linker, programs have no part that is read-only once they are loaded, and lld comes with Swift.
RELEASE = -c release --static-swift-stdlib -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	$(if $(shell command -v ld.gold),,-Xswiftc -use-ld=lld)
# The sources' folder, and what debugging information calls it (FOLDER=NAME). Another folder still gives other bytes: hashes of Swift's modules.
MAPPED =
PROGRAMS = trimctl trimd trim-worker trim-page
# Which version this is, which commit, and its time in seconds since 1970. Archives of the sources have the last two in .release.
VERSION = $(shell sed -n 's/^public let trimdVersion = "\(.*\)"$$/\1/p' Sources/Wire/Version.swift)
GIT = $(shell test -e .git && git rev-parse --git-dir 2>/dev/null)
COMMIT = $(if $(GIT),$(shell git describe --always --abbrev=40 --exclude='*' --dirty),$(firstword $(shell cat .release)))
export SOURCE_DATE_EPOCH ?= $(if $(GIT),$(shell git log -1 --format=%ct),$(lastword $(shell cat .release)))
# The checks that are pytest's.
PYTEST = /usr/bin/python3 -m pytest -q -p no:cacheprovider
# Where they are installed from.
BUILD = .build/release
# Writes manual pages and completions.
TRIMCTL = $(BUILD)/trimctl
BUILT = $(addprefix $(BUILD)/,$(PROGRAMS))

# Manual pages beside those of trimctl, and the documents they are made from.
DOCUMENTS = trimd.8=Sources/trimd/trimd.docc/trimd.md trimd.json.5=Sources/trimd/trimd.docc/Settings.md \
	trimd-fleet.7=Sources/trimd/trimd.docc/Fleet.md trimd-recipes.7=Sources/trimctl/trimctl.docc/Recipes.md \
	trimd-limits.7=Sources/trimctl/trimctl.docc/Limits.md trimd-security.7=.github/SECURITY.md \
	trimd-preset.5=Sources/Media/Media.docc/Presets.md trimd-protocol.7=Sources/Wire/Wire.docc/Protocol.md

# Real media and checking tools that may lie beside the checkout; what needs them says so and is left out without them.
export MEDIA ?= $(abspath ../shared/media)
export TOOLS ?= $(abspath ../shared/tools)
INPUT =
# The package that `make test-upgrade` begins with; without one, the new one with a lower version.
OLD =
# Damaged files of `make test-faults`; `make test-asan` takes a twentieth of them in each of five kinds.
MUTANTS = 3000
# Encodes that `make test-chunks` kills at random.
export ROUNDS ?= 30
# So long `make test-fuzz` feeds each parser of ours, or those named by TARGETS.
SECONDS = 600
TARGETS =

.PHONY: help build demo images map test test-media test-joins test-chunks test-clones test-matrix test-linear test-quality test-smart test-page test-mistakes test-batch test-fleet test-setup test-nfs test-scale test-faults test-hostile test-fuzz test-asan test-tsan \
	test-systemd test-power test-client test-handbrake test-deb test-upgrade test-image bench deb packages image release lint install uninstall build-packages test-packages programs clean test-debian \
	print-documents print-version print-commit print-epoch print-packages print-machine-packages

help: ## What there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# Installs what is missing of the packages in $(1); says nothing where nothing is.
define need
	@missing=$$(for p in $(1); do \
		dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	[ -z "$$missing" ] || Tests/Scripts/install-packages $$missing
endef

# Built for tests alone: what lets a call of a program fail, or ends the program at it; and what keeps ffmpeg and ffprobe ready.
SHIM = .build/faults.so
READY = .build/ready-server.so .build/ready-client
SHIM_CC = $(shell command -v clang || command -v cc) -std=c11 -O2 -Wall -Werror -Wno-array-parameter

.PHONY: shim ready
shim: $(SHIM)
ready: $(READY)

$(SHIM): Tests/FaultShim/faults.c
	@mkdir -p $(@D)
	@$(SHIM_CC) -fPIC -shared -o $@.$$$$ $< -ldl && mv $@.$$$$ $@

.build/ready-server.so: Tests/ReadyTools/server.c Tests/ReadyTools/call.h
	@mkdir -p $(@D)
	@$(SHIM_CC) -fPIC -shared -o $@.$$$$ $< -ldl && mv $@.$$$$ $@

.build/ready-client: Tests/ReadyTools/client.c Tests/ReadyTools/call.h
	@mkdir -p $(@D)
	@$(SHIM_CC) -o $@.$$$$ $< && mv $@.$$$$ $@

print-documents: ; @echo $(DOCUMENTS)
print-version: ; @echo $(VERSION)
print-commit: ; @echo $(COMMIT)
print-epoch: ; @echo $(SOURCE_DATE_EPOCH)
print-packages: ; @echo $(BUILD_PACKAGES)
print-machine-packages: ; @echo $(MACHINE_PACKAGES)

build-packages:
	$(call need,$(BUILD_PACKAGES))

test-packages:
	$(call need,$(BUILD_PACKAGES) $(TEST_PACKAGES))
	-$(call need,$(SHELL_PACKAGES))

build: build-packages programs ## The programs, optimised, in .build/release

# The same, where nothing may be installed.
programs:
	TRIMD_COMMIT=$(COMMIT) $(SWIFT) build $(RELEASE) $(if $(MAPPED),-Xswiftc -file-prefix-map -Xswiftc $(MAPPED) -Xcc -ffile-prefix-map=$(MAPPED))

demo: test-packages build ## Export a part of a film: INPUT=film.mov, or a small one made for it
	@Tests/Scripts/demo .build/release $(INPUT)

test: test-packages ## All tests but the slow ones
	$(SWIFT) build --build-tests
	@$(MAKE) -s shim ready
	@Tests/Scripts/with-tools Tests/Scripts/unit-test
	@TRIMD_PROGRAMS=.build/debug Tests/Scripts/with-tools Tests/Scripts/side-by-side \
		'Tests/Scripts/exports/media-check --sample' \
		'Tests/Scripts/service/rights-check' \
		'Tests/Scripts/exports/smart-check --sample --seed 1' \
		'$(PYTEST) Tests/Scripts/programs/test_errors.py' \
		'$(PYTEST) Tests/Scripts/programs/test_watch.py' \
		'$(PYTEST) Tests/Scripts/programs/test_shells.py' \
		'$(PYTEST) Tests/Scripts/programs/test_readme.py' \
		'$(PYTEST) Tests/Scripts/programs/test_pictures.py' \
		'$(PYTEST) Tests/Scripts/programs/test_examples.py' \
		'$(PYTEST) Tests/Scripts/programs/test_protocol.py' \
		'$(PYTEST) Tests/Scripts/programs/test_ready.py' \
		'Tests/Scripts/exports/matrix-check --sample' \
		'Tests/Scripts/exports/linear-check --sample' \
		'Tests/Scripts/faults/hostile-check --seed 1 --count 40 --seconds 7' \
		'Tests/Scripts/faults/damage-check --seed 1 --count 26 --seconds 20' \
		'Tests/Scripts/service/page-check --sample' \
		'Tests/Scripts/service/check-units' \
		'$(PYTEST) Tests/Scripts/sources'

images: test-packages build ## The pictures of the README, and the outputs of its commands and of the guide's, anew
	@Tests/Scripts/record-readme .build/release
	@TRIMD_PROGRAMS=.build/release Tests/Scripts/record-page
	@TRIMD_PROGRAMS=.build/release UPDATE=1 $(PYTEST) Tests/Scripts/programs/test_readme.py

map: test-packages ## The diagram in Sources/README.md, anew from Package.swift
	@UPDATE=1 $(PYTEST) Tests/Scripts/sources/test_map.py

test-media: test-packages build ## Every file of $(MEDIA) through trimd, judged by tools that do not ask it
	@TRIMD_PROGRAMS=.build/release Tests/Scripts/exports/media-check

test-joins: test-packages build ## Random joins of unlike films, judged by decoding each of them with ffmpeg
	@TRIMD_PROGRAMS=.build/release Tests/Scripts/exports/join-check

test-chunks: test-packages build ## Slow: encodes in chunks beside encodes in one; killed at random ROUNDS times; the decoder's buffer
	@Tests/Scripts/exports/chunk-check

test-clones: test-packages build ## Slow: cuts that take blocks of their source, on XFS and btrfs in files that are mounted; needs root
	$(call need,$(CLONE_PACKAGES))
	@Tests/Scripts/exports/clone-check

test-smart: test-packages build ## Random cuts and joins without encoding, judged frame by frame by tools that do not ask it
	@Tests/Scripts/exports/smart-check

test-linear: test-packages build ## Slow: frame N of every container and codec, beside a decode from the beginning
	@Tests/Scripts/exports/linear-check

# The browsers, and their driver from PyPI; no browser is downloaded. Later drivers ask Firefox for media features that Debian's does not have.
PAGE_PYTHON = .build/page-python
$(PAGE_PYTHON):
	$(call need,python3-venv chromium firefox-esr)
	python3 -m venv $@.part && $@.part/bin/pip install -q 'playwright<1.64' axe-core-python && mv $@.part $@

test-page: test-packages build $(PAGE_PYTHON) ## The trimming page in chromium and Firefox, by real keys; its screenshots in .build/page
	@mkdir -p .build/page
	@TRIMD_PROGRAMS=.build/release Tests/Scripts/service/page-check --pictures .build/page
	@TRIMD_PROGRAMS=.build/release Tests/Scripts/service/page-check --browser firefox

test-mistakes: test-packages ## Slow: would the tests notice? Seven mistakes made in a copy of the sources
	@Tests/Scripts/faults/mutation-check

test-hostile: test-packages build ## Thousands of damaged and hostile files (MUTANTS), each run others
	@Tests/Scripts/faults/hostile-check --count $(MUTANTS)
	@Tests/Scripts/faults/damage-check --count $(MUTANTS)

# SwiftPM's choice, gold, fails to link what the sanitizers add; the compiler brings lld along.
test-fuzz: test-packages ## Slow: every parser of ours under libFuzzer and the address sanitizer, SECONDS each
	TRIMD_FUZZ=1 $(SWIFT) build -c release --scratch-path .build/fuzz --product fuzz -Xswiftc -enable-testing \
		-Xswiftc -sanitize=fuzzer,address -Xswiftc -Xclang-linker -Xswiftc -fuse-ld=lld
	@Tests/Scripts/faults/fuzz .build/fuzz/release/fuzz $(SECONDS) $(TARGETS)

test-asan: test-packages ## Damaged files through the exporter under the address sanitizer
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build/asan
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 TRIM_MUTANTS=$$(($(MUTANTS) / 20)) $(SWIFT) test --skip-build \
		--sanitize=address --scratch-path .build/asan --disable-xctest --filter 'ExportTests.(Hostile|Limit|Refusal)Tests'

test-systemd: test-packages build ## The service under a booted systemd, in a container; needs root
	$(call need,$(SYSTEMD_PACKAGES))
	@Tests/Scripts/service/systemd-check

test-client: test-packages build ## TrimClient as a package outside the checkout uses it: built without FFmpeg, run against trimd
	@Tests/Scripts/service/client-check

test-handbrake: test-packages build ## Slow: ten of HandBrake's presets, imported, beside HandBrakeCLI
	$(call need,handbrake-cli)
	@TRIMD_PROGRAMS=.build/release Tests/Scripts/exports/handbrake-check

# The Debian of `make test-debian`.
SUITE = trixie
test-debian: ## Slow: all of it built and tested in a root of another Debian (SUITE), with its FFmpeg; needs root
	$(call need,$(SYSTEMD_PACKAGES))
	@PACKAGES="$(BUILD_PACKAGES) $(TEST_PACKAGES) $(DEB_PACKAGES) $(TOOLCHAIN_PACKAGES)" Tests/Scripts/debian-check $(SUITE)

test-power: test-packages build ## The power goes, three times, in an emulated machine; needs root and some minutes
	$(call need,$(POWER_PACKAGES))
	@Tests/Scripts/service/power-check

test-matrix: test-packages build ## Slow: every preset and file type on every file of MEDIA, and the checker's word for each
	@Tests/Scripts/exports/matrix-check

test-quality: test-packages build ## Slow: the pictures of every preset beside those of ffmpeg with the same settings
	@Tests/Scripts/exports/quality-check

test-faults: test-packages ## Slow: every call of the programs failing or ending them once, hostile workers, and a storm of clients
	$(SWIFT) build --build-tests
	@$(MAKE) -s shim
	TRIMD_FAULTS=1 $(SWIFT) test --skip-build --disable-xctest --filter 'CrashTests|CallFaultTests|MeanwhileTests|QueueTroubleTests|HostileWorkerTests|DescriptorTests'
	$(SWIFT) build $(RELEASE)
	Tests/Scripts/faults/storm .build/release

test-batch: test-packages build ## Slow: lists of a hundred lines over MEDIA, wrong, interrupted, killed and resumed
	@Tests/Scripts/exports/batch-check .build/release

test-fleet: test-packages build ## Slow: nodes that share a queue; a list on the engines of others: Slurm, whose controller is killed; needs root
	-$(call need,$(FLEET_PACKAGES))
	@Tests/Scripts/fleet/nodes-check .build/release
	@Tests/Scripts/fleet/shard-check .build/release
	@Tests/Scripts/fleet/slurm-check .build/release
	@Tests/Scripts/fleet/fleet-check .build/release

test-setup: test-packages deb ## Slow: a fleet as its manual sets it up: a database and three nodes on four machines with systemd; needs root
	$(call need,$(SYSTEMD_PACKAGES) $(SETUP_PACKAGES))
	@Tests/Scripts/fleet/setup-check .build/deb/trimd_*.deb

test-nfs: test-packages deb ## Slow: two nodes over a real NFS, versions 4.2 and 3, in an emulated machine; needs root
	$(call need,$(POWER_PACKAGES) $(NFS_PACKAGES))
	@Tests/Scripts/fleet/nfs-check .build/deb/trimd_*.deb

test-scale: test-packages ## Slow: 200 nodes without workers and 100,000 jobs over a PostgreSQL: claims and submissions a second
	$(SWIFT) build --build-tests
	@Tests/Scripts/fleet/scale-check

test-tsan: test-packages ## The queue, the wire and the daemon under the thread sanitizer
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/tsan.supp $(SWIFT) test --scratch-path .build/tsan --sanitize=thread \
		--disable-xctest --filter 'JobQueueTests|WireTests|trimdTests'

bench: test-packages build ## Beside ffmpeg's command line, in one run
	@Tests/Scripts/bench .build/release

deb: build ## The packages of the Debian this runs on, in .build/deb, judged by lintian
	$(call need,$(DEB_PACKAGES))
	@rm -rf .build/deb
	@Tests/Scripts/packaging/make-deb .build/release .build/deb

test-upgrade: test-packages packages ## Slow: an older package (OLD) with jobs in its queue, upgraded, also to the next Debian; needs root
	$(call need,$(SYSTEMD_PACKAGES))
	@Tests/Scripts/packaging/upgrade-check "$(OLD)" .build/dist/trimd_$(VERSION)-*~deb12u1_*.deb .build/dist/trimd_$(VERSION)-*~deb13u1_*.deb

# The Debians that are released for.
SUITES = bookworm trixie
packages: ## The packages of each of SUITES, in .build/dist, each built in a root of that Debian; needs root
	$(call need,$(DEB_PACKAGES) $(SYSTEMD_PACKAGES))
	@for suite in $(SUITES); do PACKAGES="$(BUILD_PACKAGES) $(TEST_PACKAGES) $(DEB_PACKAGES) $(TOOLCHAIN_PACKAGES)" \
		Tests/Scripts/packaging/make-packages $$suite .build/dist || exit 1; done

# The Debian of the image, one of SUITES.
IMAGE_SUITE = trixie
IMAGE = .build/dist/trimd-$(VERSION)-image.tar
image: packages ## A container image (OCI) of Debian 13 with the package, in .build/dist
	$(call need,$(DEB_PACKAGES) $(SYSTEMD_PACKAGES) zstd)
	@SUITE=$(IMAGE_SUITE) Tests/Scripts/packaging/make-image .build/dist/trimd_$(VERSION)-1$(patsubst %,~deb%u1,$(subst trixie,13,$(subst bookworm,12,$(IMAGE_SUITE))))_*.deb $(IMAGE)

test-image: test-packages image ## Slow: the image in a container of podman, without root: daemon, volume, health, SIGTERM; a list as a step of a CI
	$(call need,$(IMAGE_PACKAGES))
	@Tests/Scripts/packaging/image-check $(IMAGE)

release: image ## All that is released, in .build/dist: packages, image, sources, SBOM, checksums, signed by the key of gpg's that KEY names
	@KEY=$(KEY) Tests/Scripts/packaging/make-release .build/dist

test-deb: test-packages deb ## Slow: the package in a small Debian without Swift: installed, used, upgraded, removed; needs root
	$(call need,$(SYSTEMD_PACKAGES))
	@Tests/Scripts/service/deb-check .build/deb/trimd_*.deb

lint: ## The format of the sources
	$(SWIFT) format lint --strict -r Sources Tests Package.swift

$(BUILT): ; $(MAKE) build

install: $(BUILT) ## Into $(DESTDIR)$(PREFIX); to be run with sudo
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(SBINDIR) $(DESTDIR)$(LIBEXECDIR) $(DESTDIR)$(DATADIR)/presets $(DESTDIR)$(DATADIR)/page/elements \
		$(DESTDIR)$(DOCDIR) $(DESTDIR)$(SYSTEMUNITDIR) $(DESTDIR)$(UNITDIR)/user \
		$(DESTDIR)$(PREFIX)/lib/sysusers.d $(DESTDIR)$(PREFIX)/lib/tmpfiles.d $(DESTDIR)$(DOCDIR)/examples \
		$(DESTDIR)$(SYSCONFDIR)/trimd $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	install -m 755 $(BUILD)/trimctl $(DESTDIR)$(BINDIR)/trimctl
	install -m 755 $(BUILD)/trimd $(DESTDIR)$(SBINDIR)/trimd
	install -m 755 $(BUILD)/trim-worker $(DESTDIR)$(LIBEXECDIR)/trim-worker
	install -m 755 $(BUILD)/trim-page $(DESTDIR)$(LIBEXECDIR)/trim-page
	install -m 644 $(wildcard Sources/TrimPage/Page/*.*) $(DESTDIR)$(DATADIR)/page
	install -m 644 Sources/TrimPage/Page/elements/*.js $(DESTDIR)$(DATADIR)/page/elements
	install -m 644 Presets/*.json $(DESTDIR)$(DATADIR)/presets
	install -m 644 Presets/schema/preset.schema.json Sources/Wire/Wire.docc/protocol.schema.json $(DESTDIR)$(DATADIR)
	install -m 644 README.md LICENSE Sources/trimctl/trimctl.docc/Guide.md $(DESTDIR)$(DOCDIR)
	install -m 644 systemd/sysusers.d/trimd.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/trimd.conf
	install -m 644 systemd/tmpfiles.d/trimd.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/trimd.conf
	install -m 644 systemd/examples/* Sources/trimctl/trimctl.docc/Examples/* $(DESTDIR)$(DOCDIR)/examples
	test -e $(DESTDIR)$(SYSCONFDIR)/trimd/trimd.json || \
		install -m 644 systemd/trimd.json $(DESTDIR)$(SYSCONFDIR)/trimd/trimd.json
	for unit in trimd.service trimd.socket; do for kind in system=$(SYSTEMUNITDIR) user=$(UNITDIR)/user; do \
		sed -e 's|@SBINDIR@|$(SBINDIR)|g' -e 's|@DOCDIR@|$(DOCDIR)|g' systemd/$${kind%%=*}/$$unit > $(DESTDIR)$${kind#*=}/$$unit && \
		chmod 644 $(DESTDIR)$${kind#*=}/$$unit || exit 1; done; done
	umask 022 && $(TRIMCTL) manual $(DESTDIR)$(MANDIR) $(DOCUMENTS)
	umask 022 && $(TRIMCTL) completions bash > $(DESTDIR)$(BASHDIR)/trimctl
	umask 022 && $(TRIMCTL) completions zsh > $(DESTDIR)$(ZSHDIR)/_trimctl
	umask 022 && $(TRIMCTL) completions fish > $(DESTDIR)$(FISHDIR)/trimctl.fish

uninstall: ## What install put there, but for the settings
	rm -f $(DESTDIR)$(BINDIR)/trimctl $(DESTDIR)$(SBINDIR)/trimd $(DESTDIR)$(PREFIX)/lib/sysusers.d/trimd.conf \
		$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/trimd.conf \
		$(addprefix $(DESTDIR)$(SYSTEMUNITDIR)/,trimd.service trimd.socket) $(addprefix $(DESTDIR)$(UNITDIR)/user/,trimd.service trimd.socket)
	rm -f $(DESTDIR)$(MANDIR)/man1/trimctl.1 $(DESTDIR)$(MANDIR)/man1/trimctl-*.1 $(DESTDIR)$(BASHDIR)/trimctl \
		$(foreach page,$(DOCUMENTS),$(DESTDIR)$(MANDIR)/man*/$(firstword $(subst =, ,$(page)))) \
		$(DESTDIR)$(ZSHDIR)/_trimctl $(DESTDIR)$(FISHDIR)/trimctl.fish
	rm -rf $(DESTDIR)$(LIBEXECDIR) $(DESTDIR)$(DATADIR) $(DESTDIR)$(DOCDIR)

clean: ## What was built
	rm -rf .build
