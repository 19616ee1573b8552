// From a reflector into the picture.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "cluster/api/kinds.h"
#include "cluster/state/picture.h"
#include "cluster/watch/object_sink.h"

namespace winnow::live {

/// Told of an object that cannot be decoded: "namespace/name" as far as it can be read, and what is wrong.
/// What was known of it stays.
using OnUndecodable = std::function<void(ResourceKind, std::string_view message)>;

/// The sink of a kind's reflector. The first list goes into the picture as it comes: nobody reads a picture
/// that is not complete. A later list is compared with what is there, and the difference goes in in one
/// step. Events go in in batches of at most kEventsPerBatch.
/// @param picture  outlives the sink.
std::unique_ptr<ObjectSink> make_picture_sink(ResourceKind kind, Picture& picture,
                                              const OnUndecodable& on_undecodable);

/// How many events one hold of the picture's lock applies at most: 64 take well under a millisecond.
inline constexpr std::size_t kEventsPerBatch = 64;

}  // namespace winnow::live
