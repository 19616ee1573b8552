#include "cluster/files/load.h"

#include <utility>

#include "cluster/state/home.h"

namespace winnow {
namespace {

template <class Object>
void load_all(State& state, std::vector<Object>& objects) {
  for (Object& object : objects) Home<Object>::set(state, std::move(object));
}

}  // namespace

void load(State& state, ClusterObjects objects) {
  // Pods come last: their nodes and claims are there then, and each pod is counted once.
  for_each_kind([&]<class Object>(const Kind<Object>&) {
    if constexpr (kind_of<Object> != kind_of<Pod>) load_all(state, objects.of<Object>());
  });
  load_all(state, objects.of<Pod>());
}

}  // namespace winnow
