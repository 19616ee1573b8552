#include "extender/page/pod_text.h"

#include <string_view>
#include <utility>

#include "cluster/text/json/document.h"
#include "cluster/text/json/json_write.h"

namespace winnow {
std::expected<std::string, std::string> pod_as_json(std::string text, std::function<void()> look) {
  const auto document = load_document(std::move(text), std::move(look));
  if (!document) return std::unexpected(document.error().text());
  const rapidjson::Value& root = document->root();
  if (!root.IsObject()) return std::unexpected("expected a Pod, as kubectl get pod -o yaml writes it");
  if (const auto kind = root.FindMember("kind"); kind != root.MemberEnd())
    if (!kind->value.IsString() || std::string_view(kind->value.GetString()) != "Pod")
      return std::unexpected("kind: expected Pod");
  std::string json;
  append_value(json, root);
  return json;
}

}  // namespace winnow
