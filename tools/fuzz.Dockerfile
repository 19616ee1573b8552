# The toolchain with clang's runtime of sanitizers and fuzzers, and llvm-cov: for tests/fuzz. `make` builds it.
ARG TOOLCHAIN=winnow-toolchain
FROM $TOOLCHAIN
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends clang-19 libclang-rt-19-dev lld-19 llvm-19 >/dev/null \
 && rm -rf /var/lib/apt/lists/*
ENV PATH=/usr/lib/llvm-19/bin:$PATH CC=clang CXX=clang++
