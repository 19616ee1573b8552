# The toolchain, and what a package needs besides: the libraries of which Debian has no archive to link from, compiled from
# the upstream text that Debian's own packages are made of, and man. `make` builds it.
ARG TOOLCHAIN=winnow-toolchain
FROM $TOOLCHAIN
COPY static-libraries.sh /tmp/
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends xz-utils man-db >/dev/null \
 && apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
    | awk '$2 == "trixie" { for (i = 1; i <= 2; i++) print "deb-src " $1 " trixie" (i == 2 ? "-backports" : "") " main"; exit }' \
    >/etc/apt/sources.list.d/sources.list \
 && apt-get update -qq \
 && sh /tmp/static-libraries.sh /opt/static \
 && rm -rf /var/lib/apt/lists/*
