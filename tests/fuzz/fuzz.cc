#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/json.h"

namespace winnow::fuzz {
namespace {

void append_json(std::string& out, const rapidjson::Value& value) {
  if (value.IsNull()) {
    out += "null";
  } else if (value.IsBool()) {
    out += value.GetBool() ? "true" : "false";
  } else if (value.IsString()) {
    append_quoted(out, {value.GetString(), value.GetStringLength()});
  } else if (value.IsInt64()) {
    out += std::to_string(value.GetInt64());
  } else if (value.IsUint64()) {
    out += std::to_string(value.GetUint64());
  } else if (value.IsDouble()) {
    // An exponent, so that it stays a double.
    char text[40];
    const auto end =
        std::to_chars(text, text + sizeof text, value.GetDouble(), std::chars_format::scientific);
    out += std::string_view(text, end.ptr);
  } else if (value.IsArray()) {
    out += '[';
    for (const auto& element : value.GetArray()) {
      append_json(out, element);
      out += ',';
    }
    if (out.back() == ',') out.pop_back();
    out += ']';
  } else {
    out += '{';
    for (const auto& member : value.GetObject()) {
      append_json(out, member.name);
      out += ':';
      append_json(out, member.value);
      out += ',';
    }
    if (out.back() == ',') out.pop_back();
    out += '}';
  }
}

}  // namespace

void must(bool condition, std::string_view what, std::string_view more, std::source_location where) {
  if (condition) return;
  std::fprintf(stderr, "%s:%u: it does not hold that %.*s\n%.*s\n", where.file_name(),
               static_cast<unsigned>(where.line()), static_cast<int>(what.size()), what.data(),
               static_cast<int>(more.size()), more.data());
  std::abort();
}

Input split(const std::uint8_t* data, std::size_t size, unsigned parts) {
  if (size == 0) return {};
  const unsigned letter = data[0] >= 'a' ? data[0] - unsigned{'a'} : data[0];
  return {letter % parts, std::string(reinterpret_cast<const char*>(data) + 1, size - 1)};
}

int run_part(const std::uint8_t* data, std::size_t size, std::span<const Part> parts) {
  const Input input = split(data, size, static_cast<unsigned>(parts.size()));
  parts[input.part](input.text);
  return 0;
}

std::mt19937 random_of(std::string_view text) {
  // FNV-1a: the same on every machine.
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return std::mt19937(hash);
}

std::vector<std::string_view> pieces_of(std::string_view text, std::size_t longest) {
  std::mt19937 random = random_of(text);
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), 1 + random() % longest);
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

bool is_one_line(std::string_view text) {
  return find_not_utf8(text) == std::string_view::npos && std::ranges::none_of(text, is_control);
}

void check_error(std::string_view error, std::size_t longest, std::source_location where) {
  must(!error.empty(), "an error has a text", "", where);
  must(is_one_line(error), "an error is one printable line", error, where);
  must(printable(error) == error, "it does not steer a display", error, where);
  must(error.size() <= longest, "an error is short", error, where);
}

std::string json_of(const rapidjson::Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string parse(std::string_view text, std::string& buffer, rapidjson::Document& document) {
  buffer.assign(text);
  buffer.append(kJsonPadding, '\0');
  const auto error = JsonText(buffer.data(), text.size()).only(document);
  return error ? error->message : std::string();
}

bool has_equal_keys(const rapidjson::Value& value) {
  if (value.IsArray()) return std::ranges::any_of(value.GetArray(), has_equal_keys);
  if (!value.IsObject()) return false;
  std::set<std::string_view> keys;
  for (const auto& member : value.GetObject())
    if (!keys.insert({member.name.GetString(), member.name.GetStringLength()}).second ||
        has_equal_keys(member.value))
      return true;
  return false;
}

MemoryFile::MemoryFile(std::string_view bytes)
    : fd_(::memfd_create("input", MFD_CLOEXEC)), name_("/proc/self/fd/" + std::to_string(fd_)) {
  must(fd_ >= 0, "there is a file in memory");
  must(::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "it takes the bytes");
}

MemoryFile::~MemoryFile() { ::close(fd_); }

}  // namespace winnow::fuzz
