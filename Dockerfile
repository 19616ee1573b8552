# Stages: toolchain (everything that builds, tests and checks Winnow), build (compiles the release) and winnow (what users
# run). The base is debian:trixie-slim; where no image registry answers, tools/base-image.sh makes it (the Makefile sees to
# that).

FROM debian:trixie-slim AS toolchain
ENV DEBIAN_FRONTEND=noninteractive
# The backports of the base image's own archive, wherever that is: cpp-httplib and Go are taken from there.
RUN apt-get update -qq \
 && apt-get upgrade -y -qq >/dev/null \
 && apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
    | awk '$2 == "trixie" { print "deb " $1 " trixie-backports main"; exit }' >/etc/apt/sources.list.d/backports.list \
 && apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends \
      g++ cmake ninja-build pkg-config ccache python3 curl ca-certificates \
      rapidjson-dev prometheus-cpp-dev doctest-dev libyaml-cpp-dev libcli11-dev libspdlog-dev \
      libbenchmark-dev zlib1g-dev libssl-dev libre2-dev libgoogle-perftools-dev \
      clang-format-19 clang-tidy-19 >/dev/null \
 && apt-get install -y -qq --no-install-recommends -t trixie-backports libcpp-httplib-dev >/dev/null \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src

FROM toolchain AS build
ARG REVISION=unknown
# The folder of what is compiled already: `make image` compiles in the toolchain, where the caches are.
ARG COMPILED=
COPY . .
RUN if [ -n "$COMPILED" ]; then cp -a "$COMPILED" /image; \
    else tools/image-root.sh /image "$REVISION" -DWINNOW_TESTS=OFF -DWINNOW_BENCH=OFF; fi

FROM scratch AS winnow
COPY --from=build /image /
USER 65532:65532
ENV WINNOW_BIND_ADDRESS=0.0.0.0
EXPOSE 10290 10291
ENTRYPOINT ["/winnow"]
