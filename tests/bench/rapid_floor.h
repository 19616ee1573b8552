// What RapidJSON alone needs for a request: to parse its bytes and to write the bytes of its answer.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow::bench {

/// In situ, with default flags; buffers are kept from one request to the next.
class RapidParse {
 public:
  explicit RapidParse(std::size_t largest)
      : text_(largest + 1), pool_(largest * 8 + 65536), allocator_(pool_.data(), pool_.size()) {}

  void copy(const std::string& body) { std::memcpy(text_.data(), body.c_str(), body.size() + 1); }
  /// What copy() put there. @return whether it is JSON.
  bool parse() {
    allocator_.Clear();
    rapidjson::Document document(&allocator_);
    document.ParseInsitu(text_.data());
    return !document.HasParseError();
  }

 private:
  std::vector<char> text_, pool_;
  rapidjson::MemoryPoolAllocator<> allocator_;
};

/// Writes an answer from what it says.
class RapidAnswer {
 public:
  /// @param answer  of filter or of prioritize; what it says is kept, not how.
  explicit RapidAnswer(const std::string& answer);

  std::string_view write();

 private:
  using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
  using Reasons = std::vector<std::pair<std::string, std::string>>;

  static Reasons reasons(const rapidjson::Value& map);
  static void write(Writer& out, const char* key, const Reasons& map);
  void write_filter(Writer& out) const;
  void write_scores(Writer& out) const;

  bool is_filter_ = false;
  std::vector<std::string> names_;
  Reasons failed_, unresolvable_;
  std::vector<std::pair<std::string, std::int64_t>> scores_;
  rapidjson::StringBuffer buffer_;
};

}  // namespace winnow::bench
