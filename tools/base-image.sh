#!/bin/sh
# Makes the base image debian:trixie-slim on this machine, for places where no image registry can be
# reached: a minimal Debian 13 by debootstrap, from the same mirror that this machine itself uses.
# Needs root and apt (a Debian or Ubuntu machine). Usage: tools/base-image.sh [IMAGE]
set -eu
image=${1:-debian:trixie-slim}

die() { echo "base-image: $*" >&2; exit 1; }

command -v apt-get >/dev/null || die "no image registry answers and this machine has no apt: load $image by 'docker load'"
command -v debootstrap >/dev/null || { apt-get update -qq; apt-get install -y -qq debootstrap >/dev/null; }

# The machine's own archives: "URI CODENAME" a line, the security archive told by its codename.
archives=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' | sort -u)
mirror=$(echo "$archives" | awk '$2 !~ /-/ && $1 ~ /\/debian\/?$/ {print $1; exit}')
security=$(echo "$archives" | awk '$2 ~ /-security$/ {print $1; exit}')
[ -n "$mirror" ] || die "apt knows no Debian archive here (run 'apt-get update' once)"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase trixie "$root" "$mirror" >"$root.log" 2>&1 || { tail -20 "$root.log" >&2; die "debootstrap failed"; }
rm -f "$root.log"
[ -z "$security" ] || echo "deb $security trixie-security main" >>"$root/etc/apt/sources.list"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
tar -C "$root" -c . | docker import - "$image"
