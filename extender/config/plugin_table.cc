#include "extender/config/plugin_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include "cluster/rule/args_schema.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

constexpr PointName kPointNames[] = {
    {"preFilter", "PreFilterPlugin"},
    {"filter", "FilterPlugin"},
    {"postFilter", "PostFilterPlugin"},
    {"reserve", "ReservePlugin"},
    {"preScore", "PreScorePlugin"},
    {"score", "ScorePlugin"},
    {"preBind", "PreBindPlugin"},
    {"bind", "BindPlugin"},
    {"postBind", "PostBindPlugin"},
    {"permit", "PermitPlugin"},
    {"preEnqueue", "PreEnqueuePlugin"},
    {"queueSort", "QueueSortPlugin"},
    {"placementGenerate", "PlacementGeneratePlugin"},
    {"placementScore", "PlacementScorePlugin"},
    {"podGroupPostFilter", "PodGroupPostFilterPlugin"},
    {"unreserve", "UnreservePlugin"},
};
static_assert(std::size(kPointNames) == kPoints);

// Arguments of plugins that Winnow does not run. They are checked, and not used.

using namespace fields;

constexpr Field kDefaultPreemptionFields[] = {
    kKind, kApiVersion, {"minCandidateNodesPercentage", &kInt32}, {"minCandidateNodesAbsolute", &kInt32}};
constexpr FieldType kDefaultPreemptionType = object(kDefaultPreemptionFields);

FieldResult check_preemption(const Reader& r, std::string_view path) {
  std::int64_t percentage = 10;
  std::int64_t absolute = 100;
  r.read("minCandidateNodesPercentage", percentage);
  r.read("minCandidateNodesAbsolute", absolute);
  const std::string at = child(path, "minCandidateNodesPercentage");
  if (auto good = check_range(at, percentage, 0, kMaxPercent); !good) return good;
  if (absolute < 0)
    return invalid(child(path, "minCandidateNodesAbsolute"), absolute, "not in valid range [0, inf)");
  if (percentage == 0 && absolute == 0)
    return invalid(at, percentage, "cannot be zero at the same time as minCandidateNodesAbsolute");
  return {};
}

PluginArgs read_default_preemption(const WrittenArgs& written) {
  return {{}, check_preemption(written.object, written.path)};
}

constexpr ArgsSchema kDefaultPreemptionArgs{kDefaultPreemptionType, read_default_preemption};

/// A plugin that only kube-scheduler runs.
struct OtherPlugin {
  std::string_view name;
  PluginKind kind;
  Releases releases;
};

using enum Point;
using enum PluginKind;

constexpr OtherPlugin kOthers[] = {
    {"DefaultBinder", kNotOfNodes, {{.release = Release::k1_18, .points = PointSet(kBind)}}},
    {"DefaultPreemption",
     kNotOfNodes,
     {{.release = Release::k1_22, .points = PointSet(kPostFilter), .args = &kDefaultPreemptionArgs},
      {.release = Release::k1_37,
       .points = PointSet(kPreEnqueue, kPostFilter, kPodGroupPostFilter),
       .args = &kDefaultPreemptionArgs}}},
    {"DeferredPodScheduling",
     kInKubeScheduler,
     {{.release = Release::k1_37, .points = PointSet(kPreFilter, kFilter, kPermit)}}},
    {"GangScheduling", kNotOfNodes, {{.release = Release::k1_37, .points = PointSet(kPreEnqueue, kPermit)}}},
    {"PodGroupPodsCount", kNotOfNodes, {{.release = Release::k1_37, .points = PointSet(kPlacementScore)}}},
    {"PrioritySort", kNotOfNodes, {{.release = Release::k1_18, .points = PointSet(kQueueSort)}}},
    {"SchedulingGates", kNotOfNodes, {{.release = Release::k1_27, .points = PointSet(kPreEnqueue)}}},
    {"TopologyPlacementGenerator",
     kNotOfNodes,
     {{.release = Release::k1_37, .points = PointSet(kPlacementGenerate)}}},
};

PluginKind kind_of_origin(RuleOrigin origin) {
  if (origin == RuleOrigin::kToday) return kInBoth;
  return origin == RuleOrigin::kRemoved ? kRemoved : kInWinnow;
}

/// The rows of a release, made of the records.
class RowMaker {
 public:
  explicit RowMaker(Release release) : release_(release) {}

  std::vector<PluginRow> make() {
    for (const OtherPlugin& other : kOthers) put(other.name, other.kind, other.releases);
    for (const predicates::Record& record : predicates::plugins())
      put(record.name, kind_of_origin(record.origin), record.releases);
    for (const priorities::Record& record : priorities::plugins())
      if (PluginRow* const row = put(record.name, kind_of_origin(record.origin), record.releases)) {
        if (release_ == Release::k1_37) row->absent_weight = record.absent_weight;
        row->scores_nothing = record.scores_nothing_before_1_37 && release_ < Release::k1_37;
      }
    std::vector<PluginRow> rows;
    for (const auto& [name, row] : rows_) rows.push_back(row);
    return rows;
  }

 private:
  /// Adds what one record says of the release; null if it has no such plugin.
  PluginRow* put(std::string_view rule, PluginKind kind, const Releases& releases) {
    const SinceRelease* const plugin = releases.find(release_);
    if (plugin == nullptr) return nullptr;
    const std::string_view name = plugin->name.empty() ? rule : plugin->name;
    PluginRow& row =
        rows_.try_emplace(name, PluginRow{.name = name, .points = {}, .kind = kind}).first->second;
    row.rule = rule;
    row.points = row.points | plugin->points;
    if (plugin->args != nullptr) row.args = plugin->args;
    row.weight = std::max(row.weight, plugin->weight);
    row.pre_filters_as_today |= plugin->pre_filters_as_today;
    return &row;
  }

  const Release release_;
  std::map<std::string_view, PluginRow> rows_;
};

}  // namespace

const PointName& name_of(Point point) { return kPointNames[static_cast<std::size_t>(point)]; }

std::span<const PluginRow> plugins_of(Release release) {
  static const std::array<std::vector<PluginRow>, 5> kRows = {
      RowMaker(Release::k1_18).make(), RowMaker(Release::k1_22).make(), RowMaker(Release::k1_27).make(),
      RowMaker(Release::k1_28).make(), RowMaker(Release::k1_37).make()};
  return kRows[static_cast<std::size_t>(release)];
}

const PluginRow* find_plugin_row(std::string_view name) {
  const auto rows = plugin_rows();
  const auto row = std::ranges::find(rows, name, &PluginRow::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace winnow
