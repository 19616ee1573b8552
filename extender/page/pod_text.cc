#include "extender/page/pod_text.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string_view>
#include <utility>

#include "cluster/text/json/document.h"

namespace winnow {

std::expected<std::string, std::string> pod_as_json(std::string text) {
  const auto document = load_document(std::move(text));
  if (!document) return std::unexpected(document.error().text());
  const rapidjson::Value& root = document->root();
  if (!root.IsObject()) return std::unexpected("expected a Pod, as kubectl get pod -o yaml writes it");
  if (const auto kind = root.FindMember("kind"); kind != root.MemberEnd())
    if (!kind->value.IsString() || std::string_view(kind->value.GetString()) != "Pod")
      return std::unexpected("kind: expected Pod");
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  root.Accept(writer);
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace winnow
