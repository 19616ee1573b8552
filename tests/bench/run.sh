#!/bin/sh
# Runs the benchmarks of a build made with -DWINNOW_BENCH=ON and prints their tables; a minute and a half on two cores. Compare
# within one run only: machines are shared and noisy. Usage: tests/bench/run.sh BUILD_DIR
set -eu
bin=$1/tests/bench

echo "== Each pass and rule, whole filter and prioritize (google-benchmark)"
"$bin/winnow_bench" --benchmark_min_time=0.05s

echo "== A request's processor time, over what RapidJSON alone needs for the same bytes"
"$bin/winnow_floor" 200

echo "== Time a request at 5,000 nodes with 15,000, 50,000 and 150,000 pods: the classic rules, then today's"
"$bin/winnow_flat" classic 100
"$bin/winnow_flat" today 100

echo "== With decisions kept, over the time without"
"$bin/winnow_kept"

echo "== A preemption's search among 5,000 full nodes"
"$bin/winnow_preemption"

echo "== Filter beside 10,000 pod events a second"
"$bin/winnow_burst" 5000 150000 10000 5

echo "== Memory"
"$bin/winnow_memory" 5000 150000
"$bin/winnow_memory" 15000 150000

echo "== A call to an API server over a kept TLS connection, and an event of a watch"
"$bin/winnow_api_client"

echo "== The running service: a 6 kB filter over one connection, alone and beside 1,000 idle and 100 dripping ones"
port=10291
"$1/winnow" serve --cluster manifests/sample-cluster.json --port $port 2>/dev/null &
service=$!
trap 'kill $service' EXIT
sleep 1
body=tests/fixtures/captures/names/filter-1.request.json
"$bin/http_driver" --port $port --pid $service --body $body --seconds 5
"$bin/http_driver" --port $port --pid $service --body $body --seconds 10 --idle 1000 --drip 100 --quiet-seconds 20
