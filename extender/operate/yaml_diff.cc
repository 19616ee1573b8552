#include "extender/operate/yaml_diff.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "extender/operate/config_merger.h"

namespace winnow {
namespace {

/// The column of reasons, where the line leaves room for it.
constexpr std::size_t kReasonColumn = 48;

}  // namespace

std::string DiffLine::commented() const {
  if (reason.empty()) return text;
  const std::size_t width = std::max(kReasonColumn, text.size() + 1);
  return text + std::string(width - text.size(), ' ') + "# " + reason;
}

namespace {

using rapidjson::Value;

/// Collections that are no longer than this stand on one line.
constexpr std::size_t kFlowColumns = 60;

std::string_view key_of(const Value::Member& member) {
  return {member.name.GetString(), member.name.GetStringLength()};
}

const Value* find(const Value& object, std::string_view key) {
  const auto found = object.FindMember(
      Value(rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size()))));
  return found == object.MemberEnd() ? nullptr : &found->value;
}

/// The value on one line, if it is a scalar, empty or short.
std::optional<std::string> on_one_line(const Value& value) {
  const bool has_items = (value.IsObject() && !value.ObjectEmpty()) || (value.IsArray() && !value.Empty());
  std::string flow = yaml_flow(value);
  if (has_items && flow.size() > kFlowColumns) return std::nullopt;
  return flow;
}

/// What makes an entry of a list that entry: the value of one of these fields, or else the whole of it.
std::string identity_of(const Value& entry) {
  if (entry.IsObject())
    for (const std::string_view key : {"name", "schedulerName", "urlPrefix"})
      if (const Value* const name = find(entry, key)) return std::string(key) + " " + yaml_flow(*name);
  return yaml_flow(entry);
}

/// The place of a value in the text: what stands before it on its line, and how far its own lines are
/// indented.
struct Place {
  std::string lead;        ///< "  filter:" or "  -"; "" for the root.
  std::size_t indent = 0;  ///< Of the keys in it.
  std::string path;
  bool is_entry = false;  ///< Of a list: its first key stands behind the dash.

  Place key(std::string_view name, bool first) const {
    const std::string before = is_entry && first ? lead + " " : std::string(indent, ' ');
    return {.lead = before + yaml_string(name) + ":",
            .indent = indent + 2,
            .path = path.empty() ? std::string(name) : path + "." + std::string(name)};
  }
  /// Lists stand below their key without being indented, as Kubernetes' files have it.
  Place entry() const {
    const std::size_t dash = is_entry || lead.empty() ? indent : indent - 2;
    return {.lead = std::string(dash, ' ') + "-", .indent = dash + 2, .path = path, .is_entry = true};
  }
};

class Differ {
 public:
  explicit Differ(const ReasonOf& reason) : reason_(reason) {}

  void both(const Value& was, const Value& is, const Place& place) {
    if (was == is) return one(LineIn::kBoth, is, place);
    if (was.IsObject() && is.IsObject() && can_pair(was, is, place)) return both_objects(was, is, place);
    if (was.IsArray() && is.IsArray() && can_pair(was, is, place)) return both_lists(was, is, place);
    is_replaced_ = true;
    one(LineIn::kOld, was, place);
    is_replaced_ = false;
    one(LineIn::kNew, is, place);
  }

  std::vector<DiffLine> take() { return std::move(lines_); }

 private:
  /// One of both goes over several lines, so the other one does too; and their first lines are the same.
  static bool can_pair(const Value& was, const Value& is, const Place& place) {
    if (place.lead.empty() && was.IsObject()) return !was.ObjectEmpty() && !is.ObjectEmpty();
    const bool is_short = on_one_line(was) && on_one_line(is);
    const bool is_empty = was.IsObject() ? was.ObjectEmpty() || is.ObjectEmpty() : was.Empty() || is.Empty();
    if (is_short || is_empty) return false;
    if (!place.is_entry) return true;
    return was.IsObject() && key_of(*was.MemberBegin()) == key_of(*is.MemberBegin());
  }

  void both_objects(const Value& was, const Value& is, const Place& place) {
    if (!place.is_entry) head(LineIn::kBoth, place);
    bool first = true;
    for (const auto& member : was.GetObject()) {
      const Place at = place.key(key_of(member), first);
      if (const Value* const now = find(is, key_of(member)))
        both(member.value, *now, at);
      else
        one(LineIn::kOld, member.value, at);
      first = false;
    }
    for (const auto& member : is.GetObject())
      if (find(was, key_of(member)) == nullptr)
        one(LineIn::kNew, member.value, place.key(key_of(member), false));
  }

  /// An entry that is no more stands before those that follow it; entries are not moved.
  void both_lists(const Value& was, const Value& is, const Place& place) {
    head(LineIn::kBoth, place);
    const Place at = place.entry();
    rapidjson::SizeType next = 0;
    for (const Value& entry : was.GetArray()) {
      const std::string identity = identity_of(entry);
      auto same = next;
      while (same < is.Size() && identity_of(is[same]) != identity) ++same;
      if (same == is.Size()) {
        one(LineIn::kOld, entry, at);
        continue;
      }
      for (; next < same; ++next) one(LineIn::kNew, is[next], at);
      both(entry, is[next++], at);
    }
    for (; next < is.Size(); ++next) one(LineIn::kNew, is[next], at);
  }

  void one(LineIn in, const Value& value, const Place& place) {
    // A text that begins with a bracket is taken for JSON.
    const bool has_items = value.IsObject() ? !value.ObjectEmpty() : value.IsArray() && !value.Empty();
    if (!place.lead.empty() || !has_items)
      if (const auto flow = on_one_line(value)) return line(in, place, *flow);
    if (value.IsArray()) {
      // A list in a list has no key to stand below.
      if (place.is_entry) return line(in, place, yaml_flow(value));
      head(in, place);
      for (const Value& entry : value.GetArray()) one(in, entry, place.entry());
      return;
    }
    if (!place.is_entry) head(in, place);
    bool first = true;
    for (const auto& member : value.GetObject()) {
      one(in, member.value, place.key(key_of(member), first));
      first = false;
    }
  }

  void head(LineIn in, const Place& place) {
    if (!place.lead.empty()) add(in, place.lead, place.path, "");
  }

  void line(LineIn in, const Place& place, const std::string& flow) {
    add(in, place.lead.empty() ? flow : place.lead + " " + flow, place.path, flow);
  }

  void add(LineIn in, std::string text, const std::string& path, const std::string& value) {
    const bool has_reason = in != LineIn::kBoth && !is_replaced_;
    lines_.push_back({in, std::move(text), has_reason ? reason_(path, in, value) : ""});
  }

  const ReasonOf& reason_;
  bool is_replaced_ = false;  ///< Lines that are added have a new value in their place, which has the reason.
  std::vector<DiffLine> lines_;
};

}  // namespace

std::vector<DiffLine> yaml_diff(const Value& old_one, const Value& new_one, const ReasonOf& reason) {
  Differ differ(reason);
  differ.both(old_one, new_one, {});
  return differ.take();
}

std::string new_yaml(const std::vector<DiffLine>& lines) {
  std::string text;
  for (const DiffLine& line : lines)
    if (line.in != LineIn::kOld) text += line.commented() + "\n";
  return text;
}

std::string to_yaml(const Value& document) {
  return new_yaml(yaml_diff(document, document, [](auto...) { return std::string(); }));
}

}  // namespace winnow
