#include <algorithm>
#include <bit>

#include "extender/engine/engine.h"

namespace winnow {
namespace {

/// Measured: below this many nodes a helper's wake-up costs more than it takes off.
constexpr std::size_t kNodesPerChunk = 2048;

}  // namespace

std::optional<std::string> basic_checks(const Pod& pod, const View& view) {
  for (const Volume& volume : pod.spec.volumes) {
    if (volume.source != VolumeSource::kPersistentVolumeClaim) continue;
    const PersistentVolumeClaim* claim = view.volumes().claim(pod.metadata.namespace_, volume.id);
    if (!claim) return "persistentvolumeclaim \"" + volume.id + "\" not found";
    if (claim->metadata.deleting) return "persistentvolumeclaim \"" + volume.id + "\" is being deleted";
  }
  return std::nullopt;
}

Filtered Engine::filter(const Request& request, bool all_rules, PassTimes& times) const {
  Filtered result;
  result.bound.reserve(rules_.predicates.size());
  for (const ConfiguredPredicate& rule : rules_.predicates)
    result.bound.push_back(rule.bind(request, rule.arguments));
  times.lap(Pass::kBind);

  const std::span<const NodeId> nodes = request.nodes;
  result.failed_by.assign(nodes.size(), Filtered::kNobody);
  result.verdict.assign(nodes.size(), Verdict());
  if (all_rules) result.matrix.assign(nodes.size() * result.bound.size(), Verdict());
  workers_.for_each_chunk(nodes.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
    all_rules ? filter_chunk_all(result, nodes, begin, end) : filter_chunk(result, nodes, begin, end);
  });
  times.lap(Pass::kMap);
  return result;
}

/// Each rule is asked about the nodes that are left.
void Engine::filter_chunk(Filtered& result, std::span<const NodeId> nodes, std::size_t begin,
                          std::size_t end) const {
  std::vector<NodeId> left(nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                           nodes.begin() + static_cast<std::ptrdiff_t>(end));
  std::vector<std::uint32_t> place(left.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = static_cast<std::uint32_t>(begin + i);
  std::vector<Verdict> verdicts;
  for (std::size_t rule = 0; rule < result.bound.size(); ++rule) {
    if (!result.bound[rule]) continue;
    verdicts.assign(left.size(), Verdict());
    result.bound[rule]->map(left, verdicts);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (verdicts[i].fits()) {
        left[kept] = left[i];
        place[kept++] = place[i];
      } else {
        result.failed_by[place[i]] = static_cast<std::uint16_t>(rule);
        result.verdict[place[i]] = verdicts[i];
      }
    }
    left.resize(kept);
  }
}

void Engine::filter_chunk_all(Filtered& result, std::span<const NodeId> nodes, std::size_t begin,
                              std::size_t end) const {
  const std::span<const NodeId> chunk = nodes.subspan(begin, end - begin);
  for (std::size_t rule = 0; rule < result.bound.size(); ++rule) {
    if (!result.bound[rule]) continue;
    const std::span<Verdict> row =
        std::span(result.matrix).subspan(rule * nodes.size() + begin, chunk.size());
    result.bound[rule]->map(chunk, row);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      Verdict& verdict = result.verdict[begin + i];
      // Where upstream itself goes on behind a failure it meets an error there as well.
      const bool meets_error =
          rules_.always_check_all_predicates && row[i].fit() == Fit::kError && verdict.fit() != Fit::kError;
      if (row[i].fits() || !(result.fits(begin + i) || meets_error)) continue;
      result.failed_by[begin + i] = static_cast<std::uint16_t>(rule);
      verdict = row[i];
    }
  }
}

std::vector<std::string_view> Filtered::reasons(std::size_t rule, Verdict failed) const {
  std::vector<std::string_view> texts;
  for (std::uint64_t bits = failed.reasons(); bits != 0; bits &= bits - 1)
    texts.emplace_back(bound[rule]->reasons()[static_cast<std::size_t>(std::countr_zero(bits))]);
  return texts;
}

std::optional<std::string> Filtered::error() const {
  for (std::size_t i = 0; i < verdict.size(); ++i)
    if (verdict[i].fit() == Fit::kError) return std::string(reasons(failed_by[i], verdict[i]).front());
  return std::nullopt;
}

}  // namespace winnow
