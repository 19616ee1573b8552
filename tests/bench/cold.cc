// The cold start from a file: its bytes read into a cluster's state, beside what RapidJSON alone needs for
// them.
//
//   winnow_kinds write DIR today NODES PODS
//   winnow_cold DIR/cluster.json [ROUNDS=3]
//
// RapidJSON reads the text in place and builds nothing. Both sides have the file in the kernel's cache, and
// include reading it. Processor time of one thread, in turn; the medians and the median of the ratios.
#include <rapidjson/reader.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/files/cluster_file.h"
#include "cluster/files/cluster_objects.h"
#include "cluster/state/state.h"
#include "tests/bench/pairs.h"

namespace winnow::bench {
namespace {

void parse_alone(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::string text(static_cast<std::size_t>(in.tellg()), '\0');
  in.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size()));
  rapidjson::InsituStringStream stream(text.data());
  rapidjson::BaseReaderHandler<> nothing;
  rapidjson::Reader reader;
  if (!reader.Parse<rapidjson::kParseInsituFlag>(stream, nothing)) {
    std::fprintf(stderr, "%s: not JSON\n", file.c_str());
    std::exit(2);
  }
}

std::unique_ptr<State> start(const std::string& file) {
  auto objects = read_cluster(std::span(&file, 1));
  if (!objects) {
    std::fprintf(stderr, "%s\n", objects.error().message.c_str());
    std::exit(2);
  }
  auto state = std::make_unique<State>();
  load(*state, *objects);
  return state;
}

void run(const std::string& file, int rounds) {
  std::vector<double> alone, started, ratios;
  for (int round = 0; round < rounds; ++round) {
    std::unique_ptr<State> state;
    alone.push_back(cost([&] { parse_alone(file); }));
    started.push_back(cost([&] { state = start(file); }));
    ratios.push_back(started.back() / alone.back());
    if (round == 0) std::printf("%zu nodes, %zu pods\n", state->node_count(), state->pod_count());
  }
  std::printf("RapidJSON alone %.2f s, a state %.2f s, ratio %.2f\n", median(alone) / 1e9,
              median(started) / 1e9, median(ratios));
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: winnow_cold CLUSTER.json [ROUNDS]\n", stderr);
    return 2;
  }
  winnow::bench::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 3);
}
