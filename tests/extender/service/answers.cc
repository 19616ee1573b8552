#include "tests/extender/service/answers.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>

namespace winnow::test {
namespace {

using Value = rapidjson::Value;

bool parse(std::string_view text, rapidjson::Document& document) {
  // The parser's check of UTF-8 may read behind a text that ends in the middle of a character.
  std::string padded(text);
  padded.append(8, '\0');
  rapidjson::MemoryStream stream(padded.data(), text.size());
  document
      .ParseStream<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag, rapidjson::UTF8<>>(
          stream);
  return !document.HasParseError();
}

std::string text_of(const Value& value) { return {value.GetString(), value.GetStringLength()}; }

bool read_map(const Value& value, std::map<std::string, std::string>& map, std::size_t& entries) {
  if (value.IsNull()) return true;
  if (!value.IsObject()) return false;
  for (const auto& member : value.GetObject()) {
    if (!member.value.IsString()) return false;
    map[text_of(member.name)] = text_of(member.value);
    ++entries;
  }
  return true;
}

bool read_names(const Value& names, std::vector<std::string>& fit) {
  if (!names.IsArray()) return false;
  for (const Value& name : names.GetArray()) {
    if (!name.IsString()) return false;
    fit.push_back(text_of(name));
  }
  return true;
}

bool read_nodes(const Value& nodes, std::vector<std::string>& fit) {
  if (!nodes.IsObject() || !nodes.HasMember("items") || !nodes["items"].IsArray()) return false;
  for (const Value& item : nodes["items"].GetArray()) {
    if (!item.IsObject() || !item.HasMember("metadata")) return false;
    fit.push_back(text_of(item["metadata"]["name"]));
  }
  return true;
}

const Value* find(const rapidjson::Document& document, std::string_view path) {
  const Value* value = &document;
  while (!path.empty()) {
    const std::string step(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    if (value->IsArray()) {
      const auto index = static_cast<rapidjson::SizeType>(std::stoul(step));
      if (index >= value->Size()) return nullptr;
      value = &(*value)[index];
    } else if (value->IsObject() && value->HasMember(step.c_str())) {
      value = &(*value)[step.c_str()];
    } else {
      return nullptr;
    }
  }
  return value;
}

}  // namespace

FilterResult read_filter(std::string_view body) {
  FilterResult result;
  rapidjson::Document document;
  if (!parse(body, document) || !document.IsObject() || document.MemberCount() != 5) return result;
  for (const char* key : {"Nodes", "NodeNames", "FailedNodes", "FailedAndUnresolvableNodes", "Error"})
    if (!document.HasMember(key)) return result;
  result.names_are_null = document["NodeNames"].IsNull();
  result.nodes_are_null = document["Nodes"].IsNull();
  if (!result.names_are_null && !read_names(document["NodeNames"], result.fit)) return result;
  if (!result.nodes_are_null && !read_nodes(document["Nodes"], result.fit)) return result;
  if (!read_map(document["FailedNodes"], result.failed, result.entries)) return result;
  if (!read_map(document["FailedAndUnresolvableNodes"], result.unresolvable, result.entries)) return result;
  if (!document["Error"].IsString()) return result;
  result.error = text_of(document["Error"]);
  // Both absent is "nothing fits, and no reason" to kube-scheduler: only beside an error.
  result.valid = !(result.names_are_null && result.nodes_are_null) || !result.error.empty();
  return result;
}

std::optional<HostScores> read_scores(std::string_view body) {
  rapidjson::Document document;
  if (!parse(body, document) || !document.IsArray()) return std::nullopt;
  HostScores scores;
  for (const Value& entry : document.GetArray()) {
    if (!entry.IsObject() || entry.MemberCount() != 2 || !entry.HasMember("Host") ||
        !entry.HasMember("Score"))
      return std::nullopt;
    if (!entry["Host"].IsString() || !entry["Score"].IsInt64()) return std::nullopt;
    scores.emplace_back(text_of(entry["Host"]), entry["Score"].GetInt64());
  }
  return scores;
}

bool is_json(std::string_view text) {
  rapidjson::Document document;
  return parse(text, document);
}

std::string json_at(std::string_view text, std::string_view path) {
  rapidjson::Document document;
  if (!parse(text, document)) return {};
  const Value* value = find(document, path);
  if (!value) return {};
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value->Accept(writer);
  return buffer.GetString();
}

std::size_t json_size(std::string_view text, std::string_view path) {
  rapidjson::Document document;
  if (!parse(text, document)) return 0;
  const Value* value = find(document, path);
  return value && value->IsArray() ? value->Size() : 0;
}

}  // namespace winnow::test
