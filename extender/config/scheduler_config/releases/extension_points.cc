#include "extender/config/scheduler_config/releases/extension_points.h"

#include <iterator>

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

}  // namespace

const PointName& name_of(Point point) { return kPointNames[static_cast<std::size_t>(point)]; }

}  // namespace winnow
