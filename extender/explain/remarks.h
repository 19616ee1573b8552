// What of a pod's fields has no effect here, whatever node it goes to: no verdict and no score tells it.
#pragma once

#include <string>
#include <vector>

namespace winnow {

class View;
struct Pod;

/// A line for each selector for pods that finds none, neither there nor this one: `the spread over
/// topology.kubernetes.io/zone counts no pod: no pod in namespace shop has app=recomend (did you mean
/// "recommend"?)`. Required affinity is left out: its refusals say so.
std::vector<std::string> remarks_on(const View& view, const Pod& pod);

}  // namespace winnow
