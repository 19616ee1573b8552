#include "extender/config/config_document.h"

#include <utility>

#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

/// The generation of a file. A Policy may have today's API group too (v1.18 to v1.22), and may lack its kind.
Generation generation_of(const rapidjson::Value& root) {
  if (!root.IsObject()) return Generation::kClassic;
  const std::string_view kind = string_at(root, "kind");
  if (!kind.empty()) return kind == kSchedulerConfigKind ? Generation::kToday : Generation::kClassic;
  const bool has_profiles = root.HasMember("profiles") || root.HasMember("leaderElection");
  const bool of_group = string_at(root, "apiVersion").starts_with(kSchedulerConfigGroup);
  const bool has_rules = root.HasMember("predicates") || root.HasMember("priorities");
  return has_profiles || (of_group && !has_rules) ? Generation::kToday : Generation::kClassic;
}

const ConfigRelease* release_of(const rapidjson::Value& root) {
  if (!root.IsObject()) return nullptr;
  const std::string_view version = string_at(root, "apiVersion");
  if (!version.starts_with(kSchedulerConfigGroup)) return nullptr;
  return find_release(version.substr(kSchedulerConfigGroup.size()));
}

std::optional<std::string> text_of(const std::optional<TextError>& error) {
  return error.transform([](const TextError& one) { return one.text(); });
}

FieldResult result_of(const std::optional<std::string>& error) {
  return error ? FieldResult(std::unexpect, *error) : FieldResult();
}

}  // namespace

ConfigDocument::ConfigDocument(std::string_view text)
    : is_json_(text.find_first_not_of(" \t\r\n") == text.find('{')),
      reader_(std::string(text), Merges::kTwice) {
  const auto first = reader_.next(root_);
  for_kubectl_ = text_of(reader_.refused_by(Merges::kKubectl));
  for_strict_ = text_of(reader_.refused_by(Merges::kStrict));
  if (!first) error_ = first.error().text();
  if (!first.value_or(false)) root_.SetNull();
  generation_ = generation_of(root_);
  release_ = release_of(root_);
}

FieldResult ConfigDocument::first(Merges merges) const {
  // A stricter reader has ended there, before what may have come after it.
  const auto& refused = merges == Merges::kStrict ? for_strict_ : for_kubectl_;
  return result_of(merges != Merges::kTwice && refused ? refused : error_);
}

FieldResult ConfigDocument::first_for_release() const {
  const bool is_lenient = !error_ && release_ != nullptr && release_->of_118.one_profile;
  return first(is_lenient ? Merges::kTwice : Merges::kStrict);
}

const ConfigDocument::Second& ConfigDocument::second() {
  if (second_) return *second_;
  rapidjson::Document more;
  const auto read = reader_.next(more);
  second_.emplace(read.value_or(false), more.IsNull(), text_of(reader_.refused_by(Merges::kStrict)));
  if (!read && !second_->error) second_->error = read.error().text();
  return *second_;
}

FieldResult ConfigDocument::nothing_follows() {
  rapidjson::Document more;
  while (true) {
    const auto read = reader_.next(more);
    if (const auto refused = reader_.refused_by(Merges::kKubectl)) return std::unexpected(refused->text());
    if (!read) return std::unexpected(read.error().text());
    if (!*read) return {};
    if (!more.IsNull()) return std::unexpected(TextError{1, 1, "more than one document"}.text());
  }
}

}  // namespace winnow
