// A common label of the state has numbered its domains. What else there is gets numbers behind these, in
// order of the rows' places in maps and arrays. So a request costs time and memory by the nodes that have a
// rare label.
#include "cluster/state/label_column.h"

namespace winnow {
namespace {

/// The numbers of the domains, by their values.
class Numbers {
 public:
  explicit Numbers(const CommonLabel* common)
      : common_(common), capacity_(common ? common->domain_capacity() : 0) {}

  std::uint32_t find(Symbol value) const {
    const std::uint32_t known = common_ ? common_->domain_of(value) : kNone;
    return known != kNone ? known : more_.find(value, kNone);
  }
  std::uint32_t find_or_add(Symbol value) {
    if (const std::uint32_t known = find(value); known != kNone) return known;
    more_.put(value, capacity_);
    return capacity_++;
  }
  std::uint32_t capacity() const { return capacity_; }

 private:
  const CommonLabel* common_;
  IdMap<std::uint32_t> more_;
  std::uint32_t capacity_;
};

}  // namespace

DomainIds::DomainIds(const LabelColumn* base, const LabelColumn* extra, NodeId split, Symbol empty)
    : base_(base && base->common() ? base->common()->domains().data() : nullptr),
      in_base_(base_ ? split : 0),
      split_(split) {
  Numbers numbers(base ? base->common() : nullptr);
  if (base)
    base->rare().for_each([&](NodeId row, Symbol value) { rare_.put(row, numbers.find_or_add(value)); });
  if (extra && extra->common())
    for (const Symbol value : extra->common()->values())
      extra_.push_back(value == kNone ? kNone : numbers.find_or_add(value));
  else if (extra)
    extra->rare().for_each(
        [&](NodeId row, Symbol value) { rare_.put(split_ + row, numbers.find_or_add(value)); });
  capacity_ = numbers.capacity();
  of_empty_ = empty == kNone ? kNone : numbers.find(empty);
}

}  // namespace winnow
