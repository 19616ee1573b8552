// Why a node lacks devices for a pod's claims: equal obstacles of a request's devices are one cause.
#include <algorithm>
#include <cstdint>
#include <format>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "cluster/api/quantity.h"
#include "cluster/devices/explanation.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/pod_devices.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow {
namespace {

using ObstacleKind = DeviceObstacle::Kind;

std::string text_of(const DeviceName& device) {
  return device.driver + '/' + device.pool + '/' + device.device;
}

std::string value_text(const DeviceAttribute& attribute) {
  struct Texts {
    std::string operator()(const UnsupportedAttribute&) const { return "of a type that is not known"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(bool yes) const { return yes ? "true" : "false"; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const DeviceVersion& version) const { return version.text; }
  };
  return std::visit(Texts(), attribute);
}

/// Whether the expression has the name as a word of its own. @param name  with or without a domain.
bool mentions(std::string_view expression, std::string_view name) {
  const std::string_view word = name.substr(name.rfind('/') + 1);
  const auto is_letter = [](char c) {
    return (c >= '0' && c <= '9') || (c | 32) >= 'a' ? (c | 32) <= 'z' || c == '_' : false;
  };
  for (std::size_t at = expression.find(word); at != std::string_view::npos;
       at = expression.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(expression[at - 1])) &&
        (end == expression.size() || !is_letter(expression[end])))
      return true;
  }
  return false;
}

/// What the device has of what the expression names: "memory=40Gi, model=A100".
std::vector<std::string> values_of(const Device& device, std::string_view expression) {
  std::vector<std::string> values;
  for (const auto& [name, attribute] : device.attributes)
    if (mentions(expression, name)) values.push_back(name + '=' + value_text(attribute));
  for (const auto& [name, capacity] : device.capacity)
    if (mentions(expression, name)) values.push_back(name + '=' + quantity_text(capacity.value));
  return values;
}

std::string_view why_of(ObstacleKind kind) {
  switch (kind) {
    case ObstacleKind::kAllocated:
      return "allocated";
    case ObstacleKind::kOtherPick:
      return "request";
    case ObstacleKind::kSelector:
      return "selector";
    case ObstacleKind::kError:
      return "error";
    case ObstacleKind::kOtherNode:
      return "node";
    case ObstacleKind::kCapacity:
      return "capacity";
    case ObstacleKind::kCounter:
      return "counter";
    case ObstacleKind::kTaint:
      return "taint";
    case ObstacleKind::kConstraint:
      return "constraint";
    case ObstacleKind::kFree:
    case ObstacleKind::kPicked:
      break;
  }
  return "";
}

}  // namespace

/// Makes the causes of one node.
class DeviceCauses {
 public:
  DeviceCauses(const PodDevices& devices, const View& view, const DeviceExplanation& explanation,
               const std::vector<const ResourceClaim*>& claims, std::vector<Cause>& causes)
      : devices_(devices), view_(view), explanation_(explanation), claims_(claims), causes_(causes) {}

  void add() {
    for (const ExplainedPool& pool : explanation_.pools) add(pool);
    for (const ExplainedRequest& request : explanation_.requests)
      if (request.picked < std::max<std::int64_t>(request.wanted, 1)) add(request);
  }

 private:
  void add(const ExplainedPool& pool) {
    if (pool.state == NodePoolView::State::kUsable) return;
    Cause cause{"pool"};
    cause.with("pool", pool.driver + '/' + pool.pool);
    if (pool.state == NodePoolView::State::kInvalid)
      cause.with("why", pool.invalid_reason);
    else
      cause.with("slices", static_cast<std::int64_t>(pool.found_slices)).with("wanted", pool.expected_slices);
    causes_.push_back(std::move(cause));
  }

  Cause cause_of(std::string kind, const ExplainedRequest& request) const {
    const ResourceClaim& claim = *claims_[request.claim];
    Cause cause{std::move(kind)};
    cause.with("claim", claim.metadata.namespace_ + '/' + claim.metadata.name);
    cause.with("request",
               request.alternative.empty() ? request.request : request.request + '/' + request.alternative);
    return cause;
  }

  void add(const ExplainedRequest& request) {
    Cause lack = cause_of("devices", request);
    lack.with("class", request.class_name);
    if (!request.takes_all) lack.with("wanted", request.wanted);
    lack.with("devices", static_cast<std::int64_t>(request.devices.size()));
    causes_.push_back(std::move(lack));
    std::map<std::vector<Cause::Field>, std::pair<std::int64_t, const ExplainedDevice*>> groups;
    for (const ExplainedDevice& device : request.devices) {
      if (why_of(device.obstacle.kind).empty()) continue;
      auto& group = groups[facts_of(request, device)];
      ++group.first;
      if (!group.second) group.second = &device;
    }
    for (const auto& [facts, group] : groups) {
      Cause cause = cause_of("device", request);
      cause.with("devices", group.first).with("device", text_of(group.second->name));
      for (const auto& [name, value] : facts) cause.with(name, value);
      if (!group.second->obstacle.holders.empty()) {
        const HolderName& holder = group.second->obstacle.holders.front();
        cause.with("holder", holder.namespace_ + '/' + holder.name);
      }
      causes_.push_back(std::move(cause));
    }
  }

  /// What excludes a device, without what differs by device.
  std::vector<Cause::Field> facts_of(const ExplainedRequest& request, const ExplainedDevice& device) const {
    const DeviceObstacle& obstacle = device.obstacle;
    std::vector<Cause::Field> facts{{"why", std::string(why_of(obstacle.kind))}};
    const auto add = [&](std::string name, Cause::Value value) {
      facts.emplace_back(std::move(name), std::move(value));
    };
    switch (obstacle.kind) {
      case ObstacleKind::kOtherPick:
        add("with", obstacle.request);
        break;
      case ObstacleKind::kSelector:
        add_selector(request, device, facts);
        break;
      case ObstacleKind::kError:
        add("error", obstacle.error);
        break;
      case ObstacleKind::kCapacity:
        add("name", obstacle.shortage.name);
        if (obstacle.shortage.kind != CapacityShortage::Kind::kMissing)
          add("have", quantity_text(obstacle.shortage.have));
        add("wanted", quantity_text(obstacle.shortage.want));
        break;
      case ObstacleKind::kCounter:
        add("name", obstacle.counter_set + '/' + obstacle.counter);
        add("have", quantity_text(obstacle.have));
        add("wanted", quantity_text(obstacle.want));
        break;
      case ObstacleKind::kTaint:
        add("taint", taint_text(obstacle.taint.key, obstacle.taint.value, obstacle.taint.effect));
        break;
      case ObstacleKind::kConstraint:
        add_constraint(request, obstacle, facts);
        break;
      default:
        break;
    }
    return facts;
  }

  void add_selector(const ExplainedRequest& request, const ExplainedDevice& device,
                    std::vector<Cause::Field>& facts) const {
    const std::string expression =
        devices_.selector_of(*claims_[request.claim], request.request, request.alternative,
                             device.obstacle.of_class, device.obstacle.selector);
    if (device.obstacle.of_class) facts.emplace_back("class", request.class_name);
    facts.emplace_back("selector", expression);
    const Device* const published = device_named(device.name);
    if (!published) return;
    if (auto values = values_of(*published, expression); !values.empty())
      facts.emplace_back("values", std::move(values));
  }

  void add_constraint(const ExplainedRequest& request, const DeviceObstacle& obstacle,
                      std::vector<Cause::Field>& facts) const {
    const DeviceConstraint& constraint = claims_[request.claim]->spec.constraints[obstacle.constraint];
    facts.emplace_back("name", constraint.match_attribute ? *constraint.match_attribute
                                                          : constraint.distinct_attribute.value_or(""));
    if (obstacle.other) facts.emplace_back("with", text_of(*obstacle.other));
  }

  const Device* device_named(const DeviceName& name) const {
    const DevicePool* const pool = view_.devices().find_pool(name.driver, name.pool);
    if (!pool) return nullptr;
    for (const PublishedSlice* slice : pool->slices())
      for (const Device& device : slice->object->devices)
        if (device.name == name.device) return &device;
    return nullptr;
  }

  const PodDevices& devices_;
  const View& view_;
  const DeviceExplanation& explanation_;
  const std::vector<const ResourceClaim*>& claims_;
  std::vector<Cause>& causes_;
};

void PodDevices::explain(NodeId node, std::vector<Cause>& causes) const {
  for (std::size_t i = 0; i < allocated_.size(); ++i) {
    const Allocated& one = allocated_[i];
    if (!one.is_lost && (!one.nodes || one.nodes->matches(node))) continue;
    Cause cause{"claimElsewhere"};
    cause.with("claim", one.claim->metadata.namespace_ + '/' + one.claim->metadata.name);
    if (one.is_lost) cause.with("why", "binding");
    causes.push_back(std::move(cause));
  }
  if (to_allocate_.empty() || special_is_old_) return;
  const Variant& variant = variant_of(node);
  const auto matches_node = [&](const NodeSelector& selector) { return matches(selector, node); };
  const DeviceExplanation explanation =
      variant.allocator->explain({request_.view.node_name(node), matches_node});
  if (explanation.fits) return;
  if (explanation.error) causes.push_back(Cause{"error"}.with("error", explanation.error->text));
  DeviceCauses(*this, request_.view, explanation, variant.claims, causes).add();
}

std::string PodDevices::selector_of(const ResourceClaim& claim, const std::string& request,
                                    const std::string& alternative, bool of_class, std::size_t index) const {
  const auto found = std::ranges::find(claim.spec.requests, request, &ClaimRequest::name);
  if (found == claim.spec.requests.end()) return {};
  const DeviceRequestBody* body = found->exactly ? &*found->exactly : nullptr;
  for (const DeviceSubRequest& one : found->first_available)
    if (one.name == alternative) body = &one.body;
  if (!body) return {};
  const std::vector<DeviceSelector>* selectors = &body->selectors;
  if (of_class) {
    const auto& classes = request_.view.objects().of<DeviceClass>();
    const auto named = classes.find(body->device_class_name);
    if (named == classes.end()) return {};
    selectors = &named->second.selectors;
  }
  return index < selectors->size() ? (*selectors)[index].value_or("") : std::string();
}

}  // namespace winnow
