// The dictionaries: the pools that intern the values that many nodes or pods share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/state/pool.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

using TaintSet = std::vector<Taint>;
struct TaintSetHash {
  std::size_t operator()(const TaintSet& taints) const {
    std::size_t seed = taints.size();
    for (const Taint& taint : taints)
      for (const std::string* part : {&taint.key, &taint.value, &taint.effect})
        seed = hash_mix(seed, TextHash{}(*part));
    return seed;
  }
};

/// Node::prefer_avoid_pods.
using AvoidList = std::vector<AvoidedController>;
struct AvoidListHash {
  std::size_t operator()(const AvoidList& list) const {
    std::size_t seed = list.size();
    for (const AvoidedController& one : list)
      seed = hash_mix(seed, hash_mix(TextHash{}(one.uid), TextHash{}(one.kind)));
    return seed;
  }
};

/// An inline volume that can conflict with one of another pod on the node.
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
    std::size_t seed = hash_mix(TextHash{}(disk.id), static_cast<std::size_t>(disk.source));
    seed = hash_mix(seed, hash_mix(TextHash{}(disk.pool), disk.read_only));
    for (const std::string& monitor : disk.monitors) seed = hash_mix(seed, TextHash{}(monitor));
    return seed;
  }
};

/// A volume that counts against an attach limit of a node; see attachable.h.
struct Attachable {
  Symbol limit = kNone;  ///< Of Dictionaries::limits; see acquire_attachable().
  std::string id;        ///< Unique under its limit.
  bool operator==(const Attachable&) const = default;
};
struct AttachableHash {
  std::size_t operator()(const Attachable& volume) const {
    return hash_mix(TextHash{}(volume.id), volume.limit);
  }
};

/// The pools of a state, or those of an overlay with the state's pools as their base.
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
  Symbols zones;  ///< Zone keys; see NodeColumns::zone and zone_key().
  Pool<Disk, DiskHash> disks;
  Symbols claims;  ///< The keys of claims that pods use; see claim_key().
  Symbols limits;  ///< The names of attach limits.
  Pool<Attachable, AttachableHash> attachables;
};

}  // namespace winnow
