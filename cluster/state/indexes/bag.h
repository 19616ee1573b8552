// A bag: things without order, any one of which can be taken out.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace winnow {

/// A vector of things, each in it once. A few are searched for the one to remove. Above kFew, an index has
/// the place of each. So to remove a thing costs the same however many there are, and a small bag has no
/// index. One writer at a time; things() may be read concurrently.
template <class Thing, class Hash = std::hash<Thing>>
class Bag {
 public:
  static constexpr std::size_t kFew = 32;

  /// Adds a thing that is not in the bag.
  void add(const Thing& thing) {
    things_.push_back(thing);
    if (places_)
      places_->emplace(thing, things_.size() - 1);
    else if (things_.size() > kFew)
      index();
  }

  /// Removes the thing, if it is in the bag. Others change their places.
  void remove(const Thing& thing) {
    const std::size_t at = places_ ? look_up(thing) : search(thing);
    if (at == things_.size()) return;
    if (places_) {
      places_->find(things_.back())->second = at;
      places_->erase(thing);
    }
    things_[at] = things_.back();
    things_.pop_back();
    if (things_.empty()) places_ = nullptr;
  }

  std::span<const Thing> things() const { return things_; }
  std::size_t size() const { return things_.size(); }
  bool empty() const { return things_.empty(); }

 private:
  using Places = std::unordered_map<Thing, std::size_t, Hash>;

  void index() {
    places_ = std::make_unique<Places>();
    for (std::size_t i = 0; i < things_.size(); ++i) places_->emplace(things_[i], i);
  }
  std::size_t search(const Thing& thing) const {
    std::size_t at = 0;
    while (at < things_.size() && !(things_[at] == thing)) ++at;
    return at;
  }
  std::size_t look_up(const Thing& thing) const {
    const auto found = places_->find(thing);
    return found == places_->end() ? things_.size() : found->second;
  }

  std::vector<Thing> things_;
  std::unique_ptr<Places> places_;  ///< Null until there are more than kFew things.
};

}  // namespace winnow
