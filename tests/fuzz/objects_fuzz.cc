// Objects of the API: one kind a part. What is accepted goes into a cache and out again.
#include <concepts>
#include <cstdint>

#include "cluster/api/decode.h"
#include "cluster/client/watch/cache_sink.h"
#include "cluster/client/watch/resource.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "tests/cluster/state/describe.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

template <class Object>
std::expected<Object, DecodeError> decode_in_place(std::string_view text) {
  std::string buffer(text);
  buffer += "behind--";  // Must be as it was afterwards.
  auto object = decode_in_situ<Object>(std::span(buffer.data(), text.size()));
  must(buffer.ends_with("behind--"), "what is behind a text stays");
  return object;
}

/// What a cache says. It does not depend on ids.
test::Lines all_of(const ClusterCache& cache) {
  const ClusterCache::ReadGuard state = cache.read();
  test::Lines lines = test::describe(View(*state), {"default", "kube-system"}, {Selector::everything()}, {});
  test::append(lines, test::describe_pods(*state));
  test::append(lines, test::describe_devices(*state));
  return lines;
}

/// A node, and a pod on it. Each input leaves it as it was, so that all can share it.
struct Small {
  Small() {
    const auto node = decode_node(
        R"({"metadata":{"name":"n0","labels":{"disk":"ssd","topology.kubernetes.io/zone":"z"}},
            "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}})");
    const auto pod = decode_pod(
        R"({"metadata":{"name":"p0","namespace":"default","uid":"u0","labels":{"app":"web"}},
            "spec":{"nodeName":"n0","containers":[{"resources":{"requests":{"cpu":"1"}}}]}})");
    cache.write([&](State& state) {
      state.set_node(node.value());
      state.set_pod(pod.value());
    });
    before = all_of(cache);
  }
  ClusterCache cache{State::Options{}};
  test::Lines before;
};

/// An object that arrives and goes leaves the cache as it was, as does one that cannot be decoded.
template <class Object>
void arrive_and_go(std::string_view text, const std::expected<Object, DecodeError>& object) {
  if constexpr (!std::same_as<Object, EndpointSlice>) {  // It is in no cache.
    const std::string name = object ? object->metadata.name : "";
    if (object && (name == "n0" || name == "p0" || name.empty())) return;  // It would replace one of ours.
    static Small small;
    std::size_t undecodable = 0;
    const auto sink = live::make_cache_sink(kind_of<Object>, small.cache,
                                            [&](ResourceKind, std::string_view) { ++undecodable; });
    const bool is_json = sink->set(text);
    sink->flush();
    must(is_json || !object, "an object is JSON");
    // What is no JSON is for the watch to tell.
    must(undecodable == (object || !is_json ? 0 : 1), "what is decoded arrives, and nothing else");
    if (object) {
      sink->remove(text);
      sink->flush();
    }
    const test::Lines now = all_of(small.cache);
    must(now == small.before, "an object that arrives and goes leaves nothing",
         test::difference(now, small.before));
  }
}

template <class Object>
void object(std::string_view text) {
  const auto decoded = decode<Object>(text);
  const auto in_place = decode_in_place<Object>(text);
  must(decoded.has_value() == in_place.has_value(), "both ways to decode agree");
  if (!decoded) {
    check_error(decoded.error().message);
    must(decoded.error().message == in_place.error().message, "both ways give the same error");
    return arrive_and_go<Object>(text, decoded);
  }
  // The object as the parser has it, written again.
  std::string buffer;
  rapidjson::Document document;
  must(parse(text, buffer, document).empty(), "an object is JSON");
  const std::string written = json_of(document);
  const auto again = decode<Object>(written);
  must(again.has_value(), "an object that is written is read back", written);
  if constexpr (std::equality_comparable<Object>)
    must(*again == *decoded && *in_place == *decoded, "it is the same object", written);
  arrive_and_go<Object>(text, decoded);
}

template <class... Objects>
void object_of_part(unsigned part, std::string_view text, const std::tuple<Kind<Objects>...>&) {
  void (*const kParts[])(std::string_view) = {object<Objects>..., object<EndpointSlice>};
  kParts[part](text);
}

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = winnow::fuzz::split(data, size, winnow::kResourceKinds + 1);
  winnow::fuzz::object_of_part(input.part, input.text, winnow::kKinds);
  return 0;
}
