#include "extender/service/protocol/answer.h"

#include <charconv>
#include <cstring>

#include "cluster/text/json.h"

namespace winnow {
namespace {

/// Copies the text to `at`, which must have room. @return the position after it.
char* put(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

/// The same for a name. They are short, and calls of memcpy would take longer than the copies. The last block
/// overlaps the one before.
[[gnu::always_inline]] inline char* put_name(char* at, std::string_view name) {
  constexpr std::size_t kBlock = 16;
  if (name.size() < kBlock) return put(at, name);
  const std::size_t last = name.size() - kBlock;
  for (std::size_t i = 0; i < last; i += kBlock) std::memcpy(at + i, name.data() + i, kBlock);
  std::memcpy(at + last, name.data() + last, kBlock);
  return at + name.size();
}

}  // namespace

FilterAnswer::FilterAnswer(std::string& out, Form form) : out_(out), form_(form) {
  out_ +=
      form == Form::kNames ? "{\"Nodes\":null,\"NodeNames\":[" : "{\"Nodes\":{\"metadata\":{},\"items\":[";
}

void FilterAnswer::feasible(std::span<const std::string_view> asked, std::span<const std::uint8_t> fits) {
  bool first = true;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!fits[i]) continue;
    // Neighbours in the request, with only a comma between, are copied at once.
    std::size_t last = i;
    while (last + 1 < asked.size() && fits[last + 1] &&
           asked[last].data() + asked[last].size() + 1 == asked[last + 1].data())
      ++last;
    if (!first) out_ += ',';
    first = false;
    out_.append(asked[i].data(), asked[last].data() + asked[last].size());
    i = last;
  }
  out_ += form_ == Form::kNames ? "]," : "]},\"NodeNames\":null,";
}

void FilterAnswer::begin_map(std::string_view start) {
  if (in_map_) out_ += "},";
  out_ += start;
  in_map_ = first_ = true;
}

void FilterAnswer::failed(std::string_view name, std::string_view quoted_reason) {
  if (!first_) out_ += ',';
  first_ = false;
  // One size check for the parts: thousands of nodes may fail.
  const std::size_t had = out_.size();
  out_.resize_and_overwrite(had + name.size() + 1 + quoted_reason.size(), [&](char* data, std::size_t size) {
    put_name(put(put_name(data + had, name), ":"), quoted_reason);
    return size;
  });
}

void FilterAnswer::finish() {
  if (in_map_) out_ += "},";
  out_ += "\"Error\":\"\"}";
}

void append_filter_error(std::string& out, std::string_view error) {
  std::string text(error);
  std::erase(text, '%');
  out +=
      "{\"Nodes\":null,\"NodeNames\":null,\"FailedNodes\":null,\"FailedAndUnresolvableNodes\":null,"
      "\"Error\":";
  append_quoted_line(out, text);
  out += '}';
}

void append_priorities(std::string& out, std::span<const std::string_view> quoted_names,
                       std::span<const std::int64_t> scores) {
  std::size_t most = out.size() + 2;
  for (const std::string_view name : quoted_names)
    most += name.size() + 40;  // Everything but the name, for
                               // any int64.
  const std::size_t had = out.size();
  // One size check for all: appending each of 20,000 parts costs more than making them.
  out.resize_and_overwrite(most, [&](char* data, std::size_t) {
    char* at = put(data + had, "[");
    for (std::size_t i = 0; i < quoted_names.size(); ++i) {
      if (i > 0) *at++ = ',';
      at = put(put_name(put(at, "{\"Host\":"), quoted_names[i]), ",\"Score\":");
      if (scores[i] >= 0 && scores[i] < 10) [[likely]]
        *at++ = static_cast<char>('0' + scores[i]);
      else
        at = std::to_chars(at, at + 20, scores[i]).ptr;
      *at++ = '}';
    }
    return static_cast<std::size_t>(put(at, "]") - data);
  });
}

}  // namespace winnow
