// Sorting by name, which is much of what a list of 100,000 nodes costs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace winnow {

/// The first eight bytes of a text as a number. Of two texts with other numbers the less has the lower one.
inline std::uint64_t order_of_beginning(std::string_view text) {
  char bytes[sizeof(std::uint64_t)] = {};
  std::memcpy(bytes, text.data(), std::min(text.size(), sizeof(bytes)));
  const auto number = std::bit_cast<std::uint64_t>(bytes);
  return std::endian::native == std::endian::little ? std::byteswap(number) : number;
}

/// The number of bytes with which all items' names begin alike.
template <class Item, class NameOf>
std::size_t common_beginning(const std::vector<Item>& items, const NameOf& name_of) {
  if (items.empty()) return 0;
  const std::string_view first = name_of(items.front());
  std::size_t common = first.size();
  for (const Item& item : items) {
    const std::string_view name = name_of(item);
    if (name.substr(0, common) == first.substr(0, common)) continue;
    common = static_cast<std::size_t>(std::ranges::mismatch(first, name).in1 - first.begin());
  }
  return common;
}

/// Sorts items by group, and in a group by name. Nodes' names begin alike, so that whole texts would be
/// compared over the same bytes again and again. Behind these, eight bytes nearly always decide.
/// @param group_of  std::uint32_t(const Item&). @param name_of  std::string_view(const Item&), unlike for any
/// two of a group.
template <class Item, class GroupOf, class NameOf>
void sort_by_name(std::vector<Item>& items, const GroupOf& group_of, const NameOf& name_of) {
  struct Keyed {
    std::uint64_t beginning;
    std::uint32_t group;
    Item item;
  };
  const std::size_t common = common_beginning(items, name_of);
  std::vector<Keyed> keyed;
  keyed.reserve(items.size());
  for (Item& item : items) {
    const std::uint64_t beginning = order_of_beginning(name_of(item).substr(common));
    const std::uint32_t group = group_of(item);
    keyed.push_back({beginning, group, std::move(item)});
  }
  std::ranges::sort(keyed, [&](const Keyed& a, const Keyed& b) {
    if (std::tie(a.group, a.beginning) != std::tie(b.group, b.beginning))
      return std::tie(a.group, a.beginning) < std::tie(b.group, b.beginning);
    return name_of(a.item) < name_of(b.item);
  });
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = std::move(keyed[i].item);
}

/// The same with one group.
template <class Item, class NameOf>
void sort_by_name(std::vector<Item>& items, const NameOf& name_of) {
  sort_by_name(items, [](const Item&) { return std::uint32_t{0}; }, name_of);
}

}  // namespace winnow
