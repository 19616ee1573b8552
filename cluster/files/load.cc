#include "cluster/files/load.h"

#include "cluster/state/home.h"

namespace winnow {
namespace {

template <class Object>
void load_all(State& state, const std::vector<Object>& objects) {
  // Copied, not moved: the objects' memory can go back as a whole then.
  for (const Object& object : objects) Home<Object>::set(state, Object(object));
}

}  // namespace

void load(State& state, const ClusterObjects& objects) {
  // Pods come last: their nodes and claims are there then, and each pod is counted once.
  for_each_kind([&]<class Object>(const Kind<Object>&) {
    if constexpr (kind_of<Object> != kind_of<Pod>) load_all(state, objects.of<Object>());
  });
  load_all(state, objects.of<Pod>());
}

}  // namespace winnow
