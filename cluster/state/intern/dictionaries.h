// The names of things: everything that many nodes or pods share is interned here once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/state/intern/pool.h"

namespace winnow {

using Symbol = std::uint32_t;

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
/// Label keys, values, namespaces, resources, addresses, image names.
using Symbols = Pool<std::string, StringHash>;

/// A label set: key and value symbols, sorted by key symbol.
using LabelSet = std::vector<std::pair<Symbol, Symbol>>;

/// The value symbol of a key, or kNone.
inline Symbol label_value(const LabelSet& labels, Symbol key) {
  const auto it = std::ranges::lower_bound(labels, key, {}, &std::pair<Symbol, Symbol>::first);
  return it != labels.end() && it->first == key ? it->second : kNone;
}

using TaintSet = std::vector<Taint>;
struct TaintSetHash {
  std::size_t operator()(const TaintSet& taints) const {
    std::size_t seed = taints.size();
    for (const Taint& taint : taints)
      for (const std::string* part : {&taint.key, &taint.value, &taint.effect})
        seed = hash_mix(seed, StringHash{}(*part));
    return seed;
  }
};

/// Node::prefer_avoid_pods.
using AvoidList = std::vector<AvoidedController>;
struct AvoidListHash {
  std::size_t operator()(const AvoidList& list) const {
    std::size_t seed = list.size();
    for (const AvoidedController& one : list) seed = hash_mix(seed, StringHash{}(one.uid));
    return seed;
  }
};

/// An inline volume that a node's pods can be in each other's way with.
struct Disk {
  VolumeSource source = VolumeSource::kOther;
  std::string id;
  std::string pool;
  std::vector<std::string> monitors;
  bool read_only = false;
  bool operator==(const Disk&) const = default;
};
struct DiskHash {
  std::size_t operator()(const Disk& disk) const {
    return hash_mix(StringHash{}(disk.id), static_cast<std::size_t>(disk.source));
  }
};

/// A volume that counts against a limit on what a node may have attached; see attachable.h.
struct Attachable {
  Symbol limit = kNone;  ///< Of Dictionaries::limits.
  std::string id;        ///< Unique under its limit.
  bool operator==(const Attachable&) const = default;
};
struct AttachableHash {
  std::size_t operator()(const Attachable& volume) const {
    return hash_mix(StringHash{}(volume.id), volume.limit);
  }
};

/// One set for the state, or one for an overlay on top of the state's.
struct Dictionaries {
  explicit Dictionaries(const Dictionaries* base = nullptr)
      : symbols(base ? &base->symbols : nullptr),
        taints(base ? &base->taints : nullptr),
        avoids(base ? &base->avoids : nullptr),
        zones(base ? &base->zones : nullptr),
        disks(base ? &base->disks : nullptr),
        claims(base ? &base->claims : nullptr),
        limits(base ? &base->limits : nullptr),
        attachables(base ? &base->attachables : nullptr) {}

  Symbols symbols;
  Pool<TaintSet, TaintSetHash> taints;
  Pool<AvoidList, AvoidListHash> avoids;
  Symbols zones;  ///< Zone keys; see NodeTable::zone.
  Pool<Disk, DiskHash> disks;
  Symbols claims;  ///< The claims that pods name; see claim_key().
  Symbols limits;  ///< Names of attach limits, held for ever: they are few.
  Pool<Attachable, AttachableHash> attachables;
};

/// Interns a set of labels; each symbol in the result holds a reference.
LabelSet acquire_labels(Symbols& symbols, const StringMap& labels);
void release_labels(Symbols& symbols, const LabelSet& labels);

}  // namespace winnow
