#include "tests/cluster/client/watch/real_picture.h"

#include <algorithm>

#include "cluster/state/view.h"
#include "tests/cluster/state/describe.h"

namespace winnow::live {
namespace {

ResourceKind kind_of_resource(const std::string& resource) {
  return resource == "nodes" ? kind_of<Node> : resource == "pods" ? kind_of<Pod> : kind_of<Service>;
}

/// All but the age of nodes: a node that went and came again is younger than in a list.
test::Lines lines_of(const ClusterCache& cache) {
  const ClusterCache::ReadGuard state = cache.read();
  const Selector everything = Selector::everything();
  test::Lines lines = test::describe(View(*state), {"default"}, {everything}, {{{}, everything, true}});
  if (state->node_count() == 0) test::append(lines, test::describe_pods(*state));
  test::Lines versions;
  for (PodId id = 0; id < state->pod_capacity(); ++id)
    if (const PodRecord& pod = state->pod(id); !pod.name.empty())
      versions.push_back(pod.name + '@' + std::to_string(pod.resource_version));
  std::ranges::sort(versions);
  test::append(lines, versions);
  lines.push_back(std::to_string(state->workloads.size()) + " workloads");
  lines.push_back(std::to_string(state->names().symbols.size()) + " symbols");
  return lines;
}

}  // namespace

RealCache::RealCache(const std::string& resource, CheckedSink& checks)
    : kind_(kind_of_resource(resource)),
      inner_(make_cache_sink(kind_, cache_, [](ResourceKind, std::string_view) {})),
      checks_(checks) {}

RealCache::~RealCache() = default;

void RealCache::on_loss(std::function<void()> list_again) { cache_.on_loss(std::move(list_again)); }

std::string RealCache::whole(std::string_view object) const {
  constexpr std::string_view kMetadata = R"("metadata":{)";
  std::string text(object);
  const std::size_t at = text.find(kMetadata);
  if (kind_ != kind_of<Node> && at != std::string::npos)
    text.insert(at + kMetadata.size(), R"("namespace":"default",)");
  return text;
}

void RealCache::begin_list() {
  inner_->begin_list();
  checks_.begin_list();
}

bool RealCache::list(std::string_view object) { return inner_->list(whole(object)) && checks_.list(object); }

void RealCache::end_list(std::string_view resource_version) {
  inner_->end_list(resource_version);
  checks_.end_list(resource_version);
}

bool RealCache::set(std::string_view object) { return inner_->set(whole(object)) && checks_.set(object); }

bool RealCache::remove(std::string_view object) {
  return inner_->remove(whole(object)) && checks_.remove(object);
}

void RealCache::flush() {
  inner_->flush();
  checks_.flush();
}

std::string RealCache::compare(const FakeEtcd::Objects& truth) const {
  if (!cache_.read().whole()) return "the picture is not whole";
  ClusterCache expected{State::Options{}};
  const auto filled = make_cache_sink(kind_, expected, [](ResourceKind, std::string_view) {});
  filled->begin_list();
  for (const auto& [name, object] : truth) filled->list(whole(object));
  filled->end_list("1");
  const std::string difference = test::difference(lines_of(expected), lines_of(cache_));
  return difference.empty() ? "" : "the picture: " + difference;
}

}  // namespace winnow::live
