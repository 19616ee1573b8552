#!/usr/bin/env bash
# Checks the image that users get: small, the binary as its entrypoint, non-root, content with a read-only file
# system, stopped by SIGTERM; and that the manifests' own files work in it.
set -eu
cd "$(dirname "$0")/../.."
make image >/dev/null
image=${IMAGE:-winnow}
fail() { echo "image: $*" >&2; exit 1; }

size=$(docker image inspect -f '{{.Size}}' "$image")
[ "$size" -lt 40000000 ] || fail "$size bytes, expected less than 40 MB"
user=$(docker image inspect -f '{{.Config.User}}' "$image")
[ "${user%%:*}" -gt 0 ] || fail "user $user, expected a number other than 0"
[ "$(docker image inspect -f '{{json .Config.Entrypoint}}' "$image")" = '["/winnow"]' ] || fail "the entrypoint is not the binary"
extra=$(docker create "$image" | { read -r id; docker export "$id" | tar -t; docker rm "$id" >/dev/null; } |
  grep -vE '/$|^winnow$|\.so(\.[0-9]+)*$|^(dev|etc|proc|sys)/|^\.dockerenv$' || true)
[ -z "$extra" ] || fail "holds more than the binary and its libraries: $extra"

docker run --rm --read-only "$image" --version | grep -q '^winnow ' || fail "--version"
docker run --rm --read-only -v "$PWD/manifests:/manifests:ro" "$image" \
  explain batch/encoder-mbp4chq9fg-pkj9b --cluster /manifests/sample-cluster.json --config /manifests/policy.yaml >/dev/null ||
  fail "explain with the sample policy"

id=$(docker run -d --rm --read-only --cap-drop ALL --security-opt no-new-privileges -p 127.0.0.1::10290 \
  -v "$PWD/manifests:/manifests:ro" "$image" serve --cluster /manifests/sample-cluster.json)
trap 'docker rm -f "$id" >/dev/null 2>&1 || true' EXIT
address=$(docker port "$id" 10290/tcp | head -n 1)
for _ in $(seq 50); do curl -fsS "http://$address/readyz" >/dev/null 2>&1 && break; sleep 0.1; done
curl -fsS "http://$address/readyz" >/dev/null || fail "not ready: $(docker logs "$id" 2>&1 | tail -n 3)"
curl -fsS "http://$address/metrics" | grep -q '^winnow_state_nodes 12$' || fail "/metrics does not show the sample's 12 nodes"
docker kill -s TERM "$id" >/dev/null
for _ in $(seq 50); do docker inspect "$id" >/dev/null 2>&1 || { stopped=1; break; }; sleep 0.1; done
[ "${stopped:-}" = 1 ] || fail "SIGTERM did not stop it within 5 s"
echo "image: $((size / 1000000)) MB, user $user, read-only, stops on SIGTERM"
