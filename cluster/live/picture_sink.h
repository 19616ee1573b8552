// The sinks that write the objects of reflectors into the picture.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "cluster/api/kinds.h"
#include "cluster/live/pod_handler.h"
#include "cluster/state/picture.h"
#include "cluster/watch/object_sink.h"

namespace winnow::live {

/// A callback for an object that cannot be decoded. The message has "namespace/name", as far as it can be
/// read, and the error. The picture keeps the object's previous state.
using OnUndecodable = std::function<void(ResourceKind, std::string_view message)>;

/// The sink of a kind's reflector. The first list goes into the picture as it arrives, because nobody reads
/// an incomplete picture. A later list is compared with the picture, and the difference is written in one
/// step. Events are written in batches of at most kEventsPerBatch. The sink is a source of the picture. After
/// a loss of the picture (see Picture) its next list is a first one again.
/// @param picture  must outlive the sink.
/// @param pod_handler  is told of each pod that is written, if the kind is Pod; outlives the sink. Null:
/// nobody.
std::unique_ptr<ObjectSink> make_picture_sink(ResourceKind kind, Picture& picture,
                                              const OnUndecodable& on_undecodable,
                                              PodHandler* pod_handler = nullptr);

/// The maximum number of events that are written under one hold of the picture's lock: 64 take well under a
/// millisecond.
inline constexpr std::size_t kEventsPerBatch = 64;

}  // namespace winnow::live
