// The kinds of objects that the state keeps unchanged.
#pragma once

#include <concepts>
#include <tuple>

#include "cluster/api/admission.h"
#include "cluster/api/node.h"
#include "cluster/api/storage.h"
#include "cluster/api/store.h"
#include "cluster/api/workload.h"

namespace winnow {

/// One store for each of the kinds. Not synchronised: see State.
template <class... Kinds>
class Stores {
 public:
  template <class Object>
  static constexpr bool has = (std::same_as<Object, Kinds> || ...);

  template <class Object>
  const Store<Object>& of() const {
    static_assert(has<Object>, "the kind has no store in Objects, and no Home of its own");
    return std::get<Store<Object>>(stores_);
  }
  template <class Object>
  Store<Object>& of() {
    static_assert(has<Object>, "the kind has no store in Objects, and no Home of its own");
    return std::get<Store<Object>>(stores_);
  }

 private:
  std::tuple<Store<Kinds>...> stores_;
};

/// The kinds that have no index of their own. No rule reads the last two: they are for pods that are made.
using Objects = Stores<Namespace, CsiDriver, PodDisruptionBudget, DeviceClass, PriorityClass, LimitRange>;

}  // namespace winnow
