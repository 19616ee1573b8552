#include "extender/explain/device_text.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <string_view>

#include "extender/explain/explanation_text.h"

namespace winnow {
namespace {

std::string count_of(std::int64_t count) {
  return with_thousands(static_cast<std::size_t>(std::max<std::int64_t>(count, 0))) +
         (count == 1 ? " device" : " devices");
}

/// "claim ml/train, request gpu"
std::string request_of(const Cause& cause) {
  return std::format("claim {}, request {}", cause.text("claim"), cause.text("request"));
}

std::string holder_of(const Cause& cause) {
  const std::string claim = cause.text("heldBy");
  // A name that may not be told has been replaced by a number.
  if (!claim.contains('/')) return "another claim";
  return "claim " + claim + (cause.has("pod") ? " of pod " + cause.text("pod") : "");
}

/// What a request lacks, on the node that has most. @param devices  how many there are to choose from.
std::string lack(const Cause& cause, std::int64_t devices, bool of_several_nodes = false) {
  const std::string of_class = " of class " + cause.text("class");
  if (devices == 0)
    return std::format("{}: no device is there for class {}", request_of(cause), cause.text("class"));
  if (!cause.has("wanted"))
    return std::format("{} takes all devices{}, and not all of {} can be had", request_of(cause), of_class,
                       count_of(devices));
  const std::int64_t found = cause.number("found");
  const std::string most = of_several_nodes ? " at most on one node," : "";
  return std::format("{} wants {}{}: {}{} of {} will do", request_of(cause), count_of(cause.number("wanted")),
                     of_class, found == 0 ? "none" : std::to_string(found), found == 0 ? "" : most,
                     count_of(devices));
}

std::string selector(const Cause& cause) {
  const std::string whose =
      cause.has("class") ? "class " + cause.text("class") + " wants " : "the request wants ";
  return whose + cause.text("selector");
}

/// What excludes the devices, without their number.
std::string obstacle(const Cause& cause) {
  const std::string why = cause.text("why");
  if (why == "allocated") return "allocated to " + holder_of(cause);
  if (why == "request") return "given to request " + cause.text("other") + " of the same pod";
  if (why == "selector") return selector(cause);
  if (why == "error") return cause.text("error");
  if (why == "node") return "for other nodes";
  if (why == "taint") return "taint " + cause.text("taint");
  if (why == "constraint")
    return cause.has("other")
               ? std::format("differs in {} from {}", cause.text("name"), cause.text("other"))
               : std::format("has no attribute {}, which a constraint names", cause.text("name"));
  if (why == "counter")
    return std::format("the pool has {} left of counter {}, and {} is needed", cause.text("have"),
                       cause.text("name"), cause.text("wanted"));
  if (!cause.has("have"))
    return std::format("no capacity {}, wanted {}", cause.text("name"), cause.text("wanted"));
  return std::format("{} of {}, wanted {}", cause.text("name"), cause.text("have"), cause.text("wanted"));
}

std::string device(const Cause& cause, std::int64_t devices) {
  const std::string which = devices == 1 ? "device " + cause.text("device") : count_of(devices);
  const std::string as = devices == 1 ? "" : ", as " + cause.text("device");
  if (cause.text("why") == "allocated" && devices != 1)
    return std::format("{} are allocated{} to {}", which, as, holder_of(cause));
  if (cause.text("why") == "selector")
    return which + (cause.has("values") ? " with " + cause.text("values") : "") + as + ": " + obstacle(cause);
  return which + ": " + obstacle(cause) + as;
}

std::string pool(const Cause& cause) {
  const std::string name = "pool " + cause.text("pool");
  if (cause.has("why")) return std::format("{} is invalid: {}", name, cause.text("why"));
  return std::format("{} is incomplete: {} of {} slices are there", name, cause.text("slices"),
                     cause.text("wanted"));
}

std::string elsewhere(const Cause& cause) {
  if (cause.text("why") == "feature")
    return std::format("claim {} has devices that skip node operations, which the node does not declare",
                       cause.text("claim"));
  if (cause.has("why"))
    return std::format("claim {}: its devices were not bound in time, or failed", cause.text("claim"));
  return std::format("claim {} has its devices on other nodes", cause.text("claim"));
}

std::string text_of(const Cause& cause, std::int64_t devices) {
  if (cause.kind == "devices") return lack(cause, devices);
  if (cause.kind == "device") return device(cause, devices);
  return cause.kind == "pool" ? pool(cause) : elsewhere(cause);
}

}  // namespace

bool is_of_devices(const Cause& cause) {
  constexpr std::string_view kOfDevices[] = {"devices", "device", "pool", "claimElsewhere"};
  return std::ranges::contains(kOfDevices, std::string_view(cause.kind));
}

std::string device_text(const Cause& cause) { return text_of(cause, cause.number("devices")); }

std::string device_sort(const Cause& cause) {
  std::string key = cause.kind;
  if (cause.kind == "pool") return key + '\0' + (cause.has("why") ? cause.text("why") : "");
  // What a device has stays out: a line tells the first one.
  for (const char* const name : {"claim", "request", "class", "why", "selector", "name", "wanted", "taint"})
    key += '\0' + cause.text(name);
  return key;
}

std::string sum_devices(std::span<const Cause* const> causes) {
  std::int64_t devices = 0;
  for (const Cause* const cause : causes) devices += cause->number("devices");
  if (causes.front()->kind == "devices") {
    const auto found = [](const Cause* cause) { return cause->number("found"); };
    return lack(**std::ranges::max_element(causes, {}, found), devices, causes.size() > 1);
  }
  if (causes.front()->kind != "pool") return text_of(*causes.front(), devices);
  const std::string more = causes.size() > 1 ? std::format(", and {} more", causes.size() - 1) : "";
  return pool(*causes.front()) + more;
}

}  // namespace winnow
