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
#include "cluster/rule/device_totals.h"
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
  const auto is_of_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (std::size_t at = expression.find(word); at != std::string_view::npos;
       at = expression.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_word(expression[at - 1])) &&
        (end == expression.size() || !is_of_word(expression[end])))
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
    const auto lacks = [](const ExplainedRequest& request) {
      return request.picked < std::max<std::int64_t>(request.wanted, 1);
    };
    // The attempt that came furthest may have left out no single request.
    const bool tells_all = std::ranges::none_of(explanation_.requests, lacks) && !explanation_.error;
    for (const ExplainedPool& pool : explanation_.pools) {
      const bool is_of_class =
          std::ranges::any_of(explanation_.requests, [&](const ExplainedRequest& request) {
            const auto& drivers = devices_.drivers_of(request.class_name);
            return (tells_all || lacks(request)) && (drivers.empty() || drivers.contains(pool.driver));
          });
      if (is_of_class || explanation_.requests.empty()) add(pool);
    }
    for (const ExplainedRequest& request : explanation_.requests)
      if (tells_all || lacks(request)) add(request);
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
    cause.with("claim", key_of(claim.metadata));
    cause.with("request",
               request.alternative.empty() ? request.request : request.request + '/' + request.alternative);
    return cause;
  }

  void add(const ExplainedRequest& request) {
    Cause lack = cause_of("devices", request);
    lack.with("class", request.class_name);
    if (!request.takes_all) lack.with("wanted", request.wanted);
    lack.with("found", request.picked);
    const std::vector<const ExplainedDevice*> devices = devices_to_tell(request);
    lack.with("devices", static_cast<std::int64_t>(devices.size()));
    causes_.push_back(std::move(lack));
    std::map<std::vector<Cause::Field>, std::pair<std::int64_t, const ExplainedDevice*>> groups;
    for (const ExplainedDevice* const device : devices) {
      if (why_of(device->obstacle.kind).empty()) continue;
      auto& group = groups[facts_of(request, *device)];
      ++group.first;
      if (!group.second) group.second = device;
    }
    for (const auto& [facts, group] : groups) {
      Cause cause = cause_of("device", request);
      cause.with("devices", group.first).with("device", text_of(group.second->name));
      for (const auto& [name, value] : facts) cause.with(name, value);
      if (!group.second->obstacle.holders.empty()) add_holder(group.second->obstacle.holders.front(), cause);
      causes_.push_back(std::move(cause));
    }
  }

  /// Those of the class. Without any, those that its drivers have: they are near to it. Without these all.
  std::vector<const ExplainedDevice*> devices_to_tell(const ExplainedRequest& request) const {
    std::vector<const ExplainedDevice*> of_class, others;
    for (const ExplainedDevice& device : request.devices) {
      const bool is_other = device.obstacle.kind == ObstacleKind::kSelector && device.obstacle.of_class;
      (is_other ? others : of_class).push_back(&device);
    }
    if (!of_class.empty() || others.empty()) return of_class;
    const auto& drivers = devices_.drivers_of(request.class_name);
    if (!drivers.empty())
      std::erase_if(others, [&](const ExplainedDevice* one) { return !drivers.contains(one->name.driver); });
    return others;
  }

  /// The claim that holds the device, and the first pod that the claim is reserved for.
  void add_holder(const HolderName& holder, Cause& cause) const {
    cause.with("heldBy", holder.namespace_ + '/' + holder.name);
    const ResourceClaim* const claim = view_.devices().find_claim(holder.namespace_, holder.name);
    if (!claim) return;
    const auto pod = std::ranges::find(claim->reserved_for, "pods", &ClaimConsumer::resource);
    if (pod != claim->reserved_for.end()) cause.with("pod", holder.namespace_ + '/' + pod->name);
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
        add("other", obstacle.request);
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
    if (auto values = values_of(*device.device, expression); !values.empty())
      facts.emplace_back("values", std::move(values));
  }

  void add_constraint(const ExplainedRequest& request, const DeviceObstacle& obstacle,
                      std::vector<Cause::Field>& facts) const {
    const DeviceConstraint& constraint = claims_[request.claim]->spec.constraints[obstacle.constraint];
    facts.emplace_back("name", constraint.match_attribute ? *constraint.match_attribute
                                                          : constraint.distinct_attribute.value_or(""));
    if (obstacle.other) facts.emplace_back("other", text_of(*obstacle.other));
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
    if (is_available(one, node)) continue;
    Cause cause{"claimElsewhere"};
    cause.with("claim", key_of(one.claim->metadata));
    if (one.is_lost)
      cause.with("why", "binding");
    else if (!one.nodes || one.nodes->matches(node))
      cause.with("why", "feature");
    causes.push_back(std::move(cause));
  }
  if (special_is_old_)
    causes.push_back(
        Cause{"claim"}
            .with("claim", key_of(special_claim_->metadata))
            .with("why", "is of an earlier attempt: kube-scheduler deletes it, and tries again"));
  if (special_claim_)
    for (const ExtendedResource& one : extended_)
      if (one.device_class.empty() && !offers(node, one.name))
        causes.push_back(Cause{"resource"}
                             .with("resource", one.name)
                             .with("wanted", amount_text(one.name, one.amount))
                             .with("allocatable", "0"));
  if (to_allocate_.empty() || special_is_old_) return;
  const Variant& variant = variant_of(node);
  const auto matches_node = [&](const NodeSelector& selector) { return matches(selector, node); };
  const DeviceExplanation explanation =
      variant.allocator->explain({request_.view.node_name(node), matches_node});
  if (explanation.fits) return;
  if (explanation.error) causes.push_back(Cause{"error"}.with("error", explanation.error->text));
  DeviceCauses(*this, request_.view, explanation, variant.claims, causes).add();
}

const std::set<std::string, std::less<>>& PodDevices::drivers_of(const std::string& class_name) const {
  const MutexLock lock(mutex_);
  if (const auto known = drivers_.find(class_name); known != drivers_.end()) return known->second;
  const auto& classes = request_.view.objects().of<DeviceClass>();
  const auto named = classes.find(class_name);
  std::set<std::string, std::less<>> drivers;
  if (named != classes.end()) drivers = drivers_of_class(request_.view.state(), named->second);
  return drivers_.emplace(class_name, std::move(drivers)).first->second;
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
