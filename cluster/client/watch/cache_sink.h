// The sinks that write the objects of reflectors into the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace winnow {

class ClusterCache;
enum class ResourceKind : std::uint8_t;

}  // namespace winnow

namespace winnow::live {

class ObjectSink;
class PodHandler;

/// A callback for an object that cannot be decoded. The message has "namespace/name", as far as it can be
/// read, and the error. The cache keeps the object's previous state.
using OnUndecodable = std::function<void(ResourceKind, std::string_view message)>;

/// The sink of a kind's reflector. The first list goes into the cache as it arrives, because nobody reads
/// an incomplete cache. A later list is compared with the cache, and the difference is written in one
/// step. Events are written in batches of at most kEventsPerBatch. The sink is a source of the cache. After
/// a loss of the cache (see ClusterCache) its next list is a first one again.
/// @param cache  must outlive the sink.
/// @param pod_handler  is told of each pod that is written, if the kind is Pod; outlives the sink. Null:
/// nobody.
std::unique_ptr<ObjectSink> make_cache_sink(ResourceKind kind, ClusterCache& cache,
                                            const OnUndecodable& on_undecodable,
                                            PodHandler* pod_handler = nullptr);

/// The maximum number of events that are written under one hold of the cache's lock: 64 take well under a
/// millisecond.
inline constexpr std::size_t kEventsPerBatch = 64;

}  // namespace winnow::live
