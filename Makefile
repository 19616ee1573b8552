# Thin: every target is one or two docker commands, and shows them.
IMAGE     ?= winnow
TOOLCHAIN ?= winnow-toolchain
PRESET    ?= release
E2E_IMAGE ?= winnow-e2e
PORT      ?= 10290
SEEDS     ?= 1-400
TIMES     ?= 20
REVISION  := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)

# Loopback in a container has IPv6 where the machine knows it.
IPV6 := $(shell test -e /proc/sys/net/ipv6/conf/lo/disable_ipv6 && echo --sysctl net.ipv6.conf.lo.disable_ipv6=0)

# A container of the toolchain with the checkout mounted, as the user who calls.
IN_TOOLCHAIN = docker run --rm $(IPV6) -v "$(CURDIR):/src" -u "$$(id -u):$$(id -g)" -e HOME=/tmp \
               -e CCACHE_DIR=/src/build/ccache $(FLAGS) $(TOOLCHAIN)

.PHONY: help run test stress image toolchain base shell bench bench-upstream e2e conformance format check

help:  ## Show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

run: image  ## Build Winnow and serve the sample cluster on localhost:10290
	docker run --rm --read-only -p 127.0.0.1:$(PORT):10290 -v "$(CURDIR)/manifests:/manifests:ro" $(IMAGE) \
	  serve --cluster /manifests/sample-cluster.json --v=2

test: toolchain  ## Build and pass the tests (PRESET=release, debug, asan or tsan)
	$(IN_TOOLCHAIN) sh -c 'cmake --preset $(PRESET) && cmake --build --preset $(PRESET) && ctest --preset $(PRESET)'

stress: toolchain  ## Repeat the unit tests beside busy loops (TIMES=20, PRESET=release or tsan)
	$(IN_TOOLCHAIN) sh -c 'cmake --preset $(PRESET) && cmake --build --preset $(PRESET) --target winnow_tests && tests/stress.sh $(TIMES) $(PRESET)'

image: base  ## Build the image that users run
	docker build -q --target winnow --build-arg REVISION=$(REVISION) -t $(IMAGE) .

toolchain: base
	docker build -q --target toolchain -t $(TOOLCHAIN) .

base:
	@docker image inspect debian:trixie-slim >/dev/null 2>&1 || docker pull -q debian:trixie-slim 2>/dev/null || \
	  { echo "tools/base-image.sh debian:trixie-slim   # no image registry answers"; tools/base-image.sh debian:trixie-slim; }

shell: toolchain  ## Open the build container with the checkout mounted, for quick rebuilds
	$(MAKE) --no-print-directory in-toolchain FLAGS=-it COMMAND=bash

bench: toolchain  ## Run the benchmarks
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release && tests/bench/run.sh build/release'

# Go downloads modules by the host's settings, where they are set, and trusting whom the host trusts; its caches are in build/e2e.
GO_AS_HERE = -e GOPROXY -e GOSUMDB -e GOFLAGS -e GOCACHE=/src/build/e2e/go-build -e GOMODCACHE=/src/build/e2e/go-mod \
             $(foreach file,$(wildcard /etc/ssl/certs/ca-certificates.crt),-v $(file):$(file):ro)

e2e: toolchain  ## Beside a real kube-scheduler and two real API servers (OPTIONS=--short, or scenarios by name)
	docker build -q --target e2e -t $(E2E_IMAGE) .
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	$(MAKE) --no-print-directory in-toolchain TOOLCHAIN=$(E2E_IMAGE) COMMAND='tests/e2e/run.sh $(OPTIONS)' \
	  FLAGS='$(FLAGS) $(GO_AS_HERE)'

conformance: toolchain  ## Compare with upstream's own code (SEEDS=1-400 OPTIONS="--today --large"; needs Go and python3)
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	TOOLCHAIN=$(TOOLCHAIN) tests/oracle/run.sh $(SEEDS) $(OPTIONS)

bench-upstream: bench  ## Set the engine's time beside upstream's own code (OPTIONS=--today; needs Go and python3)
	TOOLCHAIN=$(TOOLCHAIN) tests/oracle/time.sh $(OPTIONS)

format: toolchain  ## Format the sources in place
	$(IN_TOOLCHAIN) sh -c 'find cluster predicates priorities extender tests -name "*.h" -o -name "*.cc" | xargs clang-format-19 -i'

check: toolchain  ## Check format and clang-tidy
	$(IN_TOOLCHAIN) tools/check-sources.sh

.PHONY: in-toolchain
in-toolchain:
	$(IN_TOOLCHAIN) $(COMMAND)
