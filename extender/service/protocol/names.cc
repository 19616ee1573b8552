// The reading of the node names of a request: ArgsReader::read_names and find_quoted.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "cluster/state/view.h"
#include "cluster/text/json.h"
#include "cluster/text/json_scan.h"
#include "cluster/text/keyed_hash.h"
#include "extender/service/protocol/args.h"
#include "extender/service/protocol/node_order.h"

namespace winnow {
namespace {

/// Whether the text between the quotes is the name itself: nothing is escaped, or would have to be.
bool stands_for_itself(std::string_view inside) {
  return std::ranges::none_of(inside,
                              [](char c) { return c == '\\' || static_cast<unsigned char>(c) < ' '; });
}

/// The number of bytes that two texts have in common at their beginning; `most` if they are equal so far.
std::size_t common_prefix(const char* a, const char* b, std::size_t most) {
  constexpr std::size_t kBlock = 512, kWord = sizeof(std::uint64_t);
  std::size_t same = 0;
  while (most - same >= kBlock && std::memcmp(a + same, b + same, kBlock) == 0) same += kBlock;
  const auto word = [&](const char* text) {
    std::uint64_t value = 0;
    std::memcpy(&value, text + same, kWord);
    return value;
  };
  while (most - same >= kWord && word(a) == word(b)) same += kWord;
  while (same < most && a[same] == b[same]) ++same;
  return same;
}

/// The most bytes that are compared at once: they are still near when the names in them are noted.
constexpr std::size_t kMostAtOnce = 16384;
/// The most names that are taken at once.
constexpr std::size_t kMostPlacesTried = 1024;
/// The places of the list at which a name is expected before it is looked up. Several, because prioritize
/// lacks the nodes that filter has refused.
constexpr std::size_t kGuesses = 4;
/// After so many wrong guesses in a row a list is taken to be out of order, until one is right.
constexpr std::size_t kWrong = 2;
/// A name so far behind the last one is in order: the nodes between are left out.
constexpr std::size_t kLeftOut = 64;

/// The reading of one list.
class NamesReader {
 public:
  NamesReader(JsonScan& scan, const View& view, NodeOrder& order, std::vector<std::string_view>& names,
              std::vector<NodeId>& ids)
      : scan_(scan),
        view_(view),
        order_(order),
        list_(order.list(view, static_cast<std::size_t>(scan.end() - scan.position()))),
        listed_(list_ ? list_->size() : 0),
        names_(names),
        ids_(ids),
        seen_(listed_ + view.capacity(), 0) {}

  /// Reads what follows the '['.
  bool read();

 private:
  /// Whether more than the very next name of the list is worth a comparison.
  bool in_order() const { return wrong_ < kWrong; }
  void take_runs();
  bool take_run(const char*& at);
  bool pass_over(const char* at);
  bool take_one();
  bool take_guess();
  bool take_looked_up();
  void add(std::string_view name, NodeId id, std::size_t slot);
  bool add_unknown(std::string_view name);

  JsonScan& scan_;
  const View& view_;
  NodeOrder& order_;
  const std::shared_ptr<const NameList> list_;
  const std::size_t listed_;
  std::size_t place_ = 0;  ///< Where the list has the next name, if the order holds. Below `listed_`.
  std::size_t wrong_ = 0;  ///< The number of names in a row that were elsewhere.
  NodeOrder::Found found_;
  std::vector<std::string_view>& names_;
  std::vector<NodeId>& ids_;
  std::vector<std::uint8_t> seen_;  ///< By place, and behind these by row.
  std::string text_;                ///< The name that was looked up last, where it had escapes or is unknown.
  TextSet seen_unknown_;
};

bool NamesReader::read() {
  names_.reserve(view_.node_count());
  ids_.reserve(view_.node_count());
  do {
    if (listed_ > 0 && in_order()) take_runs();
    if (!take_one()) return false;
  } while (scan_.eat(','));
  order_.note(view_, ids_, found_);
  return scan_.expect(']');
}

/// Takes names for as long as they follow each other as in the list, with a comma and no white space behind
/// each. A few that the request leaves out are passed over.
void NamesReader::take_runs() {
  const char* at = scan_.position();
  do {
    while (take_run(at)) {
    }
  } while (pass_over(at));
  scan_.move_to(at);
}

/// Takes the names that stand at `at` as they stand in the list, up to one that was seen. Moves `at` behind
/// them. @return whether there was one.
bool NamesReader::take_run(const char*& at) {
  // A run ends before a name that was seen, so nothing behind it is compared: a list may have all names
  // often.
  std::uint8_t* const seen = seen_.data() + place_;
  std::size_t places = std::min(listed_ - place_, kMostPlacesTried);
  if (const void* const again = std::memchr(seen, 1, places))
    places = static_cast<std::size_t>(static_cast<const std::uint8_t*>(again) - seen);
  const std::uint32_t* const starts = list_->starts().data() + place_;
  const std::uint32_t left = starts[places] - starts[0];
  const std::size_t most =
      std::min({static_cast<std::size_t>(scan_.end() - at), std::size_t{left}, kMostAtOnce});
  const std::size_t same = common_prefix(at, list_->text().data() + starts[0], most);
  std::size_t count = 0;
  for (; count < places && starts[count + 1] - starts[0] <= same; ++count) {
  }
  if (count == 0) return false;
  const std::size_t had = names_.size();
  names_.resize(had + count);
  std::string_view* const names = names_.data() + had;
  for (std::size_t i = 0; i < count; ++i)
    names[i] = {at + (starts[i] - starts[0]), starts[i + 1] - starts[i] - 1};
  const auto rows = list_->rows().begin() + static_cast<std::ptrdiff_t>(place_);
  ids_.insert(ids_.end(), rows, rows + static_cast<std::ptrdiff_t>(count));
  std::memset(seen, 1, count);
  at += starts[count] - starts[0];
  place_ = (place_ + count) % listed_;
  return true;
}

/// Expects the name at `at` some places further on, if it is there and was not seen.
bool NamesReader::pass_over(const char* at) {
  const std::string_view left(at, scan_.end());
  for (std::size_t i = 1; i < std::min(kGuesses, listed_); ++i) {
    const std::size_t place = (place_ + i) % listed_;
    if (!left.starts_with(list_->text(place)) || seen_[place]) continue;
    place_ = place;
    return true;
  }
  return false;
}

bool NamesReader::take_one() {
  if (scan_.peek() != '"') return scan_.fail("a node name");
  return take_guess() || take_looked_up();
}

/// Takes the name if it is one of the next in the list.
bool NamesReader::take_guess() {
  const std::string_view left(scan_.position(), scan_.end());
  std::size_t place = place_;
  for (std::size_t i = 0; i < std::min(in_order() ? kGuesses : 1, listed_); ++i) {
    const std::string_view name = list_->quoted(place);
    const std::size_t next = (place + 1) % listed_;
    if (left.starts_with(name)) {
      add(std::string_view(scan_.position(), name.size()), list_->rows()[place], place);
      scan_.move_to(scan_.position() + name.size());
      place_ = next;
      wrong_ = 0;
      return true;
    }
    place = next;
  }
  return false;
}

bool NamesReader::take_looked_up() {
  const std::string_view name = scan_.string();
  if (name.empty()) return false;
  const std::string_view inside = name.substr(1, name.size() - 2);
  NodeId id = kNone;
  if (stands_for_itself(inside)) id = view_.find_node(inside);
  if (id == kNone) {  // An unknown node, a name with escapes, or no JSON.
    if (!unescape(name, text_)) {
      scan_.move_to(name.data());
      return scan_.fail("a valid string");
    }
    id = view_.find_node(text_);
    if (id == kNone) return add_unknown(name);
  }
  const std::size_t place = list_ ? list_->place_of(id) : kNone;
  const bool is_listed = place != kNone;
  add(name, id, is_listed ? place : listed_ + id);
  if (!is_listed) {
    ++found_.unlisted;
    return true;
  }
  if ((place + listed_ - place_) % listed_ > kLeftOut) {
    ++found_.elsewhere;
    ++wrong_;
  }
  place_ = (place + 1) % listed_;
  return true;
}

/// Adds a node that the view has, unless it was seen. @param slot  its place in seen_.
void NamesReader::add(std::string_view name, NodeId id, std::size_t slot) {
  if (!seen_[slot]) {
    names_.push_back(name);
    ids_.push_back(id);
  }
  seen_[slot] = 1;
}

bool NamesReader::add_unknown(std::string_view name) {
  if (seen_unknown_.insert(text_).second) {
    names_.push_back(name);
    ids_.push_back(kNone);
  }
  if (names_.size() <= kMaxNodes) return true;
  scan_.move_to(name.data());
  return scan_.fail(kMaxNodesText);
}

}  // namespace

NodeId find_quoted(const View& view, std::string_view quoted_name) {
  const std::string_view inside = quoted_name.substr(1, quoted_name.size() - 2);
  if (stands_for_itself(inside)) return view.find_node(inside);
  std::string text;
  return unescape(quoted_name, text) ? view.find_node(text) : kNone;
}

bool ArgsReader::read_names(const View& view, NodeOrder& order, std::vector<std::string_view>& names,
                            std::vector<NodeId>& ids) {
  names.clear();
  ids.clear();
  scan_.expect('[');
  return scan_.eat(']') || NamesReader(scan_, view, order, names, ids).read();
}

}  // namespace winnow
