# Thin: every target is one or two docker commands, and shows them.
IMAGE     ?= winnow
TOOLCHAIN ?= winnow-toolchain
PRESET    ?= release
GO_IMAGE  ?= winnow-go
PORT      ?= 10290
SEEDS     ?= 1-400
TIMES     ?= 20
SECONDS   ?= 60
SEED      ?= 0
TIME      ?= 1h
WAY       ?= best
FUZZ      ?= winnow-fuzz
MONITORING ?= winnow-monitoring
PAGE      ?= winnow-page
PACKAGE   ?= winnow-package
VERSION   := $(shell awk '$$2 == "VERSION" && /^project/ { print $$3 }' CMakeLists.txt)
REVISION  := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)

# Loopback in a container has IPv6 where the machine knows it.
IPV6 := $(shell test -e /proc/sys/net/ipv6/conf/lo/disable_ipv6 && echo --sysctl net.ipv6.conf.lo.disable_ipv6=0)

# A container with the checkout and the caches mounted, as the user who calls. The checkout is always /src there: what one
# has compiled, another finds.
IN_CONTAINER = docker run --rm $(IPV6) -v "$(CURDIR):/src" -v "$$(tools/cache-dir.sh):/cache" -u "$$(id -u):$$(id -g)" \
               -e HOME=/tmp -e CCACHE_DIR=/cache/ccache $(FLAGS)
IN_TOOLCHAIN = $(IN_CONTAINER) $(TOOLCHAIN)
IN_FUZZ = $(IN_CONTAINER) $(FUZZ)

# Go downloads modules by this machine's settings, where it has some, and trusts whom this machine trusts. All of upstream's
# programs are compiled here, so that each of its packages is compiled once.
SETTING_OF = $(or $($(1)),$(shell go env $(1) 2>/dev/null))
IN_GO = $(IN_CONTAINER) -e GOCACHE=/cache/go-build -e GOMODCACHE=/cache/go-mod -e GOFLAGS="$(call SETTING_OF,GOFLAGS) -modcacherw" \
        $(foreach name,GOPROXY GOSUMDB GONOSUMDB GOPRIVATE,-e $(name)="$(call SETTING_OF,$(name))") \
        $(foreach file,$(wildcard /etc/ssl/certs/ca-certificates.crt),-v $(file):$(file):ro) $(GO_IMAGE)

# Network namespaces are made by whoever has these two rights of root's: the caller has them here.
RIGHTS = +net_admin,+sys_admin
IN_NETWORKS = $(subst -u "$$(id -u):$$(id -g)",--cap-add NET_ADMIN --cap-add SYS_ADMIN -u 0:0,$(IN_GO)) \
              setpriv --reuid "$$(id -u)" --regid "$$(id -g)" --clear-groups --inh-caps $(RIGHTS) --ambient-caps $(RIGHTS)

.PHONY: help run test stress page package package-image monitoring monitoring-image chart abuse fuzz fuzz-coverage \
        fuzz-keep fuzz-image image toolchain go base shell bench bench-upstream oracle e2e scheduler-perf bed churn conformance \
        format check

help:  ## Show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

run: image  ## Build Winnow and serve the sample cluster on localhost:10290
	docker run --rm --read-only -p 127.0.0.1:$(PORT):10290 -v "$(CURDIR)/manifests:/manifests:ro" $(IMAGE) \
	  serve --cluster /manifests/sample-cluster.json --v=2

# clang compiles what has sanitizers, for tests and fuzz targets alike.
PRESET_IMAGE = $(if $(filter asan tsan,$(PRESET)),fuzz-image,toolchain)
IN_PRESET = $(if $(filter asan tsan,$(PRESET)),$(IN_FUZZ),$(IN_TOOLCHAIN))
test: $(PRESET_IMAGE)  ## Build and pass the tests (PRESET=release, debug, asan or tsan)
	$(IN_PRESET) sh -c 'cmake --preset $(PRESET) && cmake --build --preset $(PRESET) && ctest --preset $(PRESET)'

stress: $(PRESET_IMAGE)  ## Repeat the unit tests beside busy loops (TIMES=20, PRESET=release or tsan, OPTIONS=--together)
	$(IN_PRESET) sh -c 'cmake --preset $(PRESET) && cmake --build --preset $(PRESET) --target winnow_tests && tests/stress.sh $(OPTIONS) $(TIMES) $(PRESET)'

monitoring: monitoring-image  ## Hold alerts, dashboard and /metrics against Prometheus
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	$(IN_CONTAINER) -e PYTHONDONTWRITEBYTECODE=1 $(MONITORING) tests/monitoring/monitoring_test.py build/release/winnow

chart: go monitoring-image  ## Hold the chart against Helm and the plain manifests
	$(IN_GO) tests/chart/build-helm.sh build/chart
	$(IN_CONTAINER) -e PYTHONDONTWRITEBYTECODE=1 $(MONITORING) tests/chart/chart_test.py build/chart/helm

page: toolchain  ## Use the page in headless Chromium (screenshots in build/page; OPTIONS=--times PARTS="overview a_pod")
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	docker build -q --build-arg TOOLCHAIN=$(TOOLCHAIN) -t $(PAGE) - <tools/page.Dockerfile
	$(IN_CONTAINER) -e PYTHONDONTWRITEBYTECODE=1 $(PAGE) tests/page/page_test.py $(OPTIONS) build/release/winnow $(PARTS)

monitoring-image: toolchain
	docker build -q --build-arg TOOLCHAIN=$(TOOLCHAIN) -t $(MONITORING) - <tools/monitoring.Dockerfile

abuse: toolchain  ## Attack a running Winnow that has 1 GiB of memory
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	$(subst docker run,docker run --memory 1g --memory-swap 1g,$(IN_TOOLCHAIN)) tests/abuse/abuse_test.py build/release/winnow
	$(subst docker run,docker run --memory 256m --memory-swap 256m,$(IN_TOOLCHAIN)) \
	  tests/abuse/abuse_test.py build/release/winnow cells try deaf

fuzz: fuzz-image  ## Feed mutated input to all that reads input (SECONDS=60 for all targets together, SEED=1, TARGETS="json http")
	$(IN_FUZZ) sh -c 'cmake --preset asan && cmake --build --preset asan --target fuzz_targets && SEED=$(SEED) tests/fuzz/run.sh $(SECONDS) $(TARGETS)'

fuzz-coverage: fuzz-image  ## Show which lines the fuzz corpus reaches
	$(IN_FUZZ) tests/fuzz/coverage.sh

fuzz-keep: fuzz-image  ## Put inputs into the fuzz corpus, after make fuzz (INPUTS="build/fuzz/found/…", or FOLDER=build/fuzz/corpus TARGETS=json)
	$(IN_FUZZ) $(if $(FOLDER),tests/fuzz/merge.sh $(FOLDER) $(TARGETS),tests/fuzz/keep.sh $(INPUTS))

fuzz-image: toolchain
	docker build -q --build-arg TOOLCHAIN=$(TOOLCHAIN) -t $(FUZZ) - <tools/fuzz.Dockerfile

package: package-image  ## Build the packages for the plugin of kubectl, in build/package/files, and try them
	$(IN_CONTAINER) $(PACKAGE) tools/package/link-static.sh build/package/winnow $(REVISION)
	$(IN_CONTAINER) -e SOURCE_DATE_EPOCH=$(shell git log -1 --format=%ct 2>/dev/null || echo 0) -e BASE_URL $(PACKAGE) \
	  tools/package/pack.py build/package/winnow $(VERSION) $(REVISION) build/package/files
	PACKAGE=$(PACKAGE) tests/package/package_test.sh

package-image: toolchain
	docker build -q --build-arg TOOLCHAIN=$(TOOLCHAIN) -t $(PACKAGE) -f tools/package.Dockerfile tools/package

image: toolchain  ## Build the image that users run
	$(IN_TOOLCHAIN) tools/image-root.sh build/image $(REVISION)
	docker build -q --target winnow --build-arg COMPILED=build/image -t $(IMAGE) .

toolchain: base
	docker build -q --target toolchain -t $(TOOLCHAIN) .

go: toolchain
	docker build -q --build-arg TOOLCHAIN=$(TOOLCHAIN) -t $(GO_IMAGE) - <tools/go.Dockerfile

base:
	@docker image inspect debian:trixie-slim >/dev/null 2>&1 || docker pull -q debian:trixie-slim 2>/dev/null || \
	  { echo "tools/base-image.sh debian:trixie-slim   # no image registry answers"; tools/base-image.sh debian:trixie-slim; }

shell: FLAGS += -it
shell: toolchain  ## Open the build container with the checkout mounted, for quick rebuilds
	$(IN_TOOLCHAIN) bash

bench: toolchain  ## Run the benchmarks
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target benchmarks && tests/bench/run.sh build/release'

e2e: go  ## Beside a real kube-scheduler and two real API servers (OPTIONS=--short, or scenarios by name)
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	$(IN_GO) tests/e2e/run.sh $(OPTIONS)

scheduler-perf: go  ## Upstream's own benchmark, in-tree and with Winnow in turn (OPTIONS="-turns 3", "-nodes 500 -ways in-tree,best"; --help)
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	$(IN_GO) tests/scheduler_perf/run.sh $(OPTIONS)

bed: go  ## Etcd, API servers and kube-scheduler without Winnow, to try commands on (TIME=1h); prints how to reach them
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	$(subst docker run,docker run --name winnow-bed,$(IN_GO)) tests/e2e/run.sh --short -hold $(TIME) hold

churn: go  ## The bed of e2e under churn and faults, each program in a network of its own (TIME=1h WAY=best OPTIONS="-seed 7")
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow'
	$(IN_NETWORKS) tests/e2e/run.sh -apart -churn $(TIME) $(OPTIONS) churn/$(WAY)

oracle: go
	$(IN_GO) tests/oracle/build.sh $(PROGRAM) build/oracle/$(PROGRAM)

conformance: toolchain  ## Compare with upstream's own code (SEEDS=1-400 OPTIONS="--today --large"; needs python3)
	$(IN_TOOLCHAIN) sh -c 'cmake --preset release && cmake --build --preset release --target winnow winnow_simulates'
	TOOLCHAIN=$(TOOLCHAIN) tests/oracle/run.sh $(SEEDS) $(OPTIONS)

bench-upstream: bench  ## Set the engine's time beside upstream's own code (OPTIONS=--today; needs python3)
	TOOLCHAIN=$(TOOLCHAIN) tests/oracle/time.sh $(OPTIONS)

format: toolchain  ## Format the sources in place
	$(IN_TOOLCHAIN) sh -c 'find cluster predicates priorities extender tests -name "*.h" -o -name "*.cc" | xargs clang-format-19 -i'

check: toolchain  ## Check format, clang-tidy, mutexes, and that each file compiles by itself
	$(IN_TOOLCHAIN) tools/check-sources.sh
