#include "tests/bench/rapid_floor.h"

#include <string_view>

namespace winnow::bench {
namespace {

void put(rapidjson::Writer<rapidjson::StringBuffer>& out, const std::string& text) {
  out.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

}  // namespace

RapidAnswer::RapidAnswer(const std::string& answer) {
  rapidjson::Document document;
  document.Parse(answer.c_str(), answer.size());
  is_filter_ = document.IsObject();
  if (!is_filter_) {
    for (const auto& host : document.GetArray())
      scores_.emplace_back(host["Host"].GetString(), host["Score"].GetInt64());
    return;
  }
  for (const auto& name : document["NodeNames"].GetArray()) names_.emplace_back(name.GetString());
  failed_ = reasons(document["FailedNodes"]);
  unresolvable_ = reasons(document["FailedAndUnresolvableNodes"]);
}

RapidAnswer::Reasons RapidAnswer::reasons(const rapidjson::Value& map) {
  Reasons list;
  for (const auto& member : map.GetObject())
    list.emplace_back(member.name.GetString(), member.value.GetString());
  return list;
}

std::string_view RapidAnswer::write() {
  buffer_.Clear();
  Writer out(buffer_);
  is_filter_ ? write_filter(out) : write_scores(out);
  return {buffer_.GetString(), buffer_.GetSize()};
}

void RapidAnswer::write(Writer& out, const char* key, const Reasons& map) {
  out.Key(key);
  out.StartObject();
  for (const auto& [name, reason] : map) {
    put(out, name);
    put(out, reason);
  }
  out.EndObject();
}

void RapidAnswer::write_filter(Writer& out) const {
  out.StartObject();
  out.Key("Nodes");
  out.Null();
  out.Key("NodeNames");
  out.StartArray();
  for (const std::string& name : names_) put(out, name);
  out.EndArray();
  write(out, "FailedNodes", failed_);
  write(out, "FailedAndUnresolvableNodes", unresolvable_);
  out.Key("Error");
  out.String("");
  out.EndObject();
}

void RapidAnswer::write_scores(Writer& out) const {
  out.StartArray();
  for (const auto& [host, score] : scores_) {
    out.StartObject();
    out.Key("Host");
    put(out, host);
    out.Key("Score");
    out.Int64(score);
    out.EndObject();
  }
  out.EndArray();
}

}  // namespace winnow::bench
