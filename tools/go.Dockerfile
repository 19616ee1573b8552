# The toolchain and Go, for what is set beside upstream's own programs: tests/oracle and tests/e2e. `make` builds it.
# iproute2 and nftables are for programs in networks of their own, which `make churn` cuts. prometheus is for the alerts of
# `make e2e`.
ARG TOOLCHAIN=winnow-toolchain
FROM $TOOLCHAIN
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends -t trixie-backports golang-1.26-go >/dev/null \
 && apt-get install -y -qq --no-install-recommends iproute2 nftables prometheus >/dev/null \
 && rm -rf /var/lib/apt/lists/*
ENV PATH=/usr/lib/go-1.26/bin:$PATH GOTOOLCHAIN=local CGO_ENABLED=0
