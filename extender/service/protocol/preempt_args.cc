#include "extender/service/protocol/preempt_args.h"

#include <algorithm>

#include "cluster/text/json.h"
#include "cluster/text/json_scan.h"
#include "cluster/text/keyed_hash.h"
#include "extender/service/protocol/args.h"

namespace winnow {
namespace {

/// Reads the body, with one function for each level. A function returns false after an error, which the
/// scanner keeps.
class PreemptReader {
 public:
  explicit PreemptReader(std::string_view body) : scan_(body) {}

  std::expected<PreemptArgs, std::string> read() {
    const bool read = members([&](std::string_view key) { return member(key); }) && scan_.expect_end();
    if (!read) return std::unexpected(scan_.error());
    args_.has_victims = metas_.is_there || victims_.is_there;
    args_.by_name = metas_.is_there;
    args_.nodes = std::move(metas_.is_there ? metas_.nodes : victims_.nodes);
    return std::move(args_);
  }

 private:
  struct Form {
    bool is_there = false;
    std::vector<GivenVictims> nodes;
  };

  bool member(std::string_view key) {
    if (key_is(key, "Pod")) {
      if (!is_object_or_null("Pod to be an object")) return false;
      args_.pod = is_null() ? skip_null() : scan_.value();
      return !scan_.failed();
    }
    if (key_is(key, "NodeNameToMetaVictims")) return read_form(metas_, &PreemptReader::read_uid);
    if (key_is(key, "NodeNameToVictims") || key_is(key, "nodeToVictims"))
      return read_form(victims_, &PreemptReader::read_pod);
    return skip();
  }

  using ReadVictim = bool (PreemptReader::*)(GivenVictims&);

  bool read_form(Form& form, ReadVictim read_victim) {
    if (!is_object_or_null("victims by node to be an object")) return false;
    // A later null does not remove the victims of an earlier key: a request may have nodeToVictims and its
    // new name.
    if (is_null()) return skip();
    form = Form{true, {}};
    TextMap<std::size_t> places;
    return members([&](std::string_view key) {
      GivenVictims node;
      if (!unescape(key, node.node_name)) return scan_.fail("a valid string");
      if (!read_victims(node, read_victim)) return false;
      const auto [place, is_new] = places.emplace(node.node_name, form.nodes.size());
      if (is_new)
        form.nodes.push_back(std::move(node));
      else
        form.nodes[place->second] = std::move(node);
      return form.nodes.size() <= kMaxNodes || scan_.fail(kMaxNodesText);
    });
  }

  bool read_victims(GivenVictims& node, ReadVictim read_victim) {
    if (!is_object_or_null("a node's victims to be an object")) return false;
    if (is_null()) return skip();
    return members([&](std::string_view key) {
      if (!key_is(key, "Pods") || is_null()) return skip();
      if (scan_.peek() != '[') return scan_.fail("Pods to be an array");
      node.uids.clear();
      node.pods.clear();
      scan_.expect('[');
      if (scan_.eat(']')) return true;
      do {
        if (!is_object_or_null("a pod to be an object")) return false;
        if (is_null() ? !skip() : !(this->*read_victim)(node)) return false;
      } while (scan_.eat(','));
      return scan_.expect(']');
    });
  }

  bool read_uid(GivenVictims& node) {
    std::string uid;
    const bool read = members([&](std::string_view key) {
      if (!key_is(key, "UID") || is_null()) return skip();
      const std::string_view raw = scan_.string();
      return !scan_.failed() && (unescape(raw, uid) || scan_.fail("a valid string"));
    });
    node.uids.push_back(std::move(uid));
    return read;
  }

  bool read_pod(GivenVictims& node) {
    node.pods.push_back(scan_.value());
    return !scan_.failed();
  }

  /// Calls visit(raw key) before the value of each member.
  template <class Visit>
  bool members(const Visit& visit) {
    if (!scan_.expect('{')) return false;
    if (scan_.eat('}')) return true;
    do {
      const std::string_view key = scan_.string();
      if (!scan_.expect(':') || !visit(key)) return false;
    } while (scan_.eat(','));
    return scan_.expect('}');
  }

  bool is_null() { return scan_.peek() == 'n'; }
  bool is_object_or_null(std::string_view expected) {
    return scan_.peek() == '{' || is_null() || scan_.fail(expected);
  }
  bool skip() { return !scan_.value().empty(); }
  std::string_view skip_null() {
    scan_.value();
    return {};
  }

  JsonScan scan_;
  PreemptArgs args_;
  Form metas_, victims_;
};

}  // namespace

std::expected<PreemptArgs, std::string> read_preempt_args(std::string_view body) {
  return PreemptReader(body).read();
}

void append_preempt_answer(std::string& out, const std::vector<MetaVictims>& nodes) {
  out += "{\"NodeNameToMetaVictims\":{";
  for (const MetaVictims& node : nodes) {
    if (&node != nodes.data()) out += ',';
    append_quoted(out, node.node_name);
    out += ":{\"Pods\":[";
    for (const std::string& uid : node.uids) {
      out += &uid == node.uids.data() ? "{\"UID\":" : ",{\"UID\":";
      append_quoted(out, uid);
      out += '}';
    }
    out.append("],\"NumPDBViolations\":").append(std::to_string(node.violations)).append(1, '}');
  }
  out += "}}";
}

}  // namespace winnow
