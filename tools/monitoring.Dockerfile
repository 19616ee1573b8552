# The toolchain with Prometheus, its promtool, and PyYAML: for tests/monitoring and tests/chart. `make` builds it.
ARG TOOLCHAIN=winnow-toolchain
FROM $TOOLCHAIN
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends prometheus python3-yaml >/dev/null \
 && rm -rf /var/lib/apt/lists/*
