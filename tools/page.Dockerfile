# The toolchain with Chromium and Selenium: for tests/page. `make` builds it.
ARG TOOLCHAIN=winnow-toolchain
FROM $TOOLCHAIN
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends chromium chromium-driver python3-selenium fonts-dejavu-core >/dev/null \
 && rm -rf /var/lib/apt/lists/*
