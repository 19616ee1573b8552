#include "extender/operate/configure.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <format>
#include <utility>

#include "cluster/client/access/server_url.h"
#include "cluster/text/characters.h"
#include "extender/config/config_document.h"
#include "extender/config/extenders.h"
#include "extender/config/plugin_table.h"
#include "extender/config/rules.h"
#include "extender/operate/cluster_uses.h"
#include "extender/operate/config_merger.h"
#include "extender/operate/reasons.h"
#include "extender/operate/setup_check.h"
#include "extender/operate/yaml_diff.h"

namespace winnow {
namespace {

using rapidjson::Value;
using Lines = std::vector<std::string>;

constexpr std::string_view kRulesHead =
    "# Winnow's rules, for its flag --config: what kube-scheduler's own file says of profiles. This file is "
    "not for\n"
    "# kube-scheduler.\n";
constexpr std::string_view kExtendersHead =
    "# Of its extenders: the resources with ignoredByScheduler. An extender counts them, so NodeResourcesFit "
    "ignores them\n"
    "# here as it does there.\n";
constexpr std::string_view kRulesFile = "rules.yaml";
constexpr std::string_view kFiltersFlag = "--scheduler-filters=";
constexpr std::string_view kSchedulerFile = "kube-scheduler.yaml";

const Value* member_of(const Value* object, const char* key) {
  if (object == nullptr || !object->IsObject()) return nullptr;
  const auto found = object->FindMember(key);
  return found == object->MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

std::string string_of(const Value* value) {
  return value != nullptr && value->IsString() ? std::string(value->GetString(), value->GetStringLength())
                                               : "";
}

template <class Visit>
void for_each_entry(const Value* list, const Visit& visit) {
  if (list == nullptr || !list->IsArray()) return;
  for (rapidjson::SizeType i = 0; i < list->Size(); ++i) visit((*list)[i], i);
}

/// The plugins that the way disables as filters, if the rules check what they check.
std::vector<std::string_view> left_to_rules(const Value& shipped) {
  std::vector<std::string_view> names;
  const Value* const plugins = member_of(&(*member_of(&shipped, "profiles"))[0], "plugins");
  for (const char* const point : {"multiPoint", "filter"})
    for_each_entry(member_of(member_of(plugins, point), "disabled"), [&](const Value& entry, std::size_t) {
      const Value& name = entry["name"];
      names.emplace_back(name.GetString(), name.GetStringLength());
    });
  return names;
}

class Configurer {
 public:
  Configurer(std::string_view text, const ConfigureWish& wish)
      : wish_(wish), made_for_(made_for(wish)), document_(text), shipped_(shipped_for(made_for_)) {}

  std::expected<Configured, Lines> run() {
    if (!read() || !take_rules()) return std::unexpected(std::move(wrong_));
    made_.flags = flags_of(made_for_);
    tell_form();
    if (wish_.way == DeploymentMode::kNominate)
      leave_as_it_is();
    else if (!change())
      return std::unexpected(std::move(wrong_));
    return std::move(made_);
  }

 private:
  bool fail(std::string line) {
    wrong_.push_back(std::move(line));
    return false;
  }
  void remark(std::string_view file, std::string_view what) {
    made_.remarks.push_back(std::format("{}: {}", file, what));
  }

  bool read() {
    auto setup = read_scheduler_setup(document_);
    if (!setup) return fail(std::move(setup).error());
    setup_ = std::move(*setup);
    if (const auto& second = document_.second(); second.is_there && !second.is_null && !second.error)
      remark(wish_.file_name,
             "kube-scheduler reads its first document alone, and the new file has no other one");
    return true;
  }

  /// Where kube-scheduler calls Winnow.
  std::string winnows_prefix() const {
    if (wish_.url_prefix) return *wish_.url_prefix;
    return string_of(member_of(&(*member_of(&shipped_.root(), "extenders"))[0], "urlPrefix"));
  }
  static MadeFor made_for(const ConfigureWish& wish) {
    return {wish.way, wish.release,
            wish.uses != nullptr && why_filters_stay(*wish.uses, wish.release).empty()};
  }
  /// The shipped files have one address, and nominate has no file.
  static std::string_view shipped_for(MadeFor file) {
    if (file.way == DeploymentMode::kNominate) file.way = DeploymentMode::kScores;
    return shipped_file(file);
  }
  void tell_form() {
    if (wish_.way != DeploymentMode::kBest) return;
    if (made_for_.no_filters) {
      made_.form = "kube-scheduler runs no filter plugin: nothing in the cluster needs one of its own";
      return;
    }
    made_.form = std::format("kube-scheduler keeps {} on: ",
                             wish_.release < kAsksAboutAll
                                 ? "NodeResourcesFit, NodePorts, VolumeBinding and DynamicResources"
                                 : "VolumeBinding and DynamicResources");
    made_.form += wish_.uses != nullptr ? why_filters_stay(*wish_.uses, wish_.release)
                                        : "with --cluster or --kubeconfig it is seen whether they are needed";
  }

  /// Of the other extenders the resources that kube-scheduler does not check. The loader needs no other field
  /// of theirs, and a tlsConfig may have keys in it.
  Value ignored_resources(rapidjson::Document::AllocatorType& memory) const {
    const auto winnow = live::parse_server_url(winnows_prefix());
    Value extenders(rapidjson::kArrayType);
    for_each_entry(member_of(&file_, "extenders"), [&](const Value& entry, std::size_t) {
      const Value* const prefix = member_of(&entry, "urlPrefix");
      const auto url = live::parse_server_url(string_of(prefix));
      if (winnow && url && is_winnows(*url, *winnow)) return;
      Value resources(rapidjson::kArrayType);
      for_each_entry(member_of(&entry, "managedResources"), [&](const Value& resource, std::size_t) {
        const Value* const ignored = member_of(&resource, "ignoredByScheduler");
        if (ignored != nullptr && ignored->IsTrue()) resources.PushBack(Value(resource, memory), memory);
      });
      if (resources.Empty()) return;
      Value kept(rapidjson::kObjectType);
      if (prefix != nullptr) kept.AddMember("urlPrefix", Value(*prefix, memory), memory);
      kept.AddMember("managedResources", resources, memory);
      extenders.PushBack(kept, memory);
    });
    return extenders;
  }

  /// Winnow's rules are the profiles. Its entry in a file that it was already put into has disabled plugins
  /// beside it, and rules made of these would lack what Winnow is to check.
  bool take_rules() {
    if (wish_.rules != nullptr) {
      rules_ = *wish_.rules;
      return true;
    }
    rapidjson::Document rules(rapidjson::kObjectType);
    for (const char* const key : {"apiVersion", "kind", "profiles"})
      if (const Value* const value = member_of(&file_, key))
        rules.AddMember(rapidjson::StringRef(key), Value(*value, rules.GetAllocator()), rules.GetAllocator());
    Value extenders = ignored_resources(rules.GetAllocator());
    made_.rules = std::string(kRulesHead) + std::string(extenders.Empty() ? "" : kExtendersHead);
    if (!extenders.Empty()) rules.AddMember("extenders", extenders, rules.GetAllocator());
    made_.rules += to_yaml(rules);
    auto loaded = load_rules(kRulesFile, made_.rules, wish_.gates);
    if (!loaded) return fail(std::move(loaded).error());
    rules_ = std::move(*loaded);
    // kube-scheduler's new file does leave on what stays in kube-scheduler.
    for (const std::string& warning : rules_.warnings)
      if (!warning.ends_with("leave it enabled there")) remark(kRulesFile, warning);
    return true;
  }

  void leave_as_it_is() {
    made_.diff = yaml_diff(file_, file_, [](auto...) { return std::string(); });
    made_.scheduler = new_yaml(made_.diff);
    for (const ExtenderStanza& other : setup_.extenders)
      if (!other.filter_verb.empty())
        remark(wish_.file_name, other.path +
                                    ".filterVerb: Winnow does not ask this extender, so what it refuses is "
                                    "nominated in vain");
  }

  bool change() {
    const Value& shipped = shipped_.root();
    ConfigMerger how{.setup = setup_, .keeps = {}, .url_prefix = wish_.url_prefix, .winnow = {}};
    if (!find_entry(how)) return false;
    for (std::size_t i = 0; i < setup_.extenders.size(); ++i)
      made_for_.others_score |= how.winnow != i && !setup_.extenders[i].prioritize_verb.empty();
    how.least_weight = weight_to_win();
    how.keeps = plugins_to_keep(left_to_rules(shipped));
    rapidjson::Document changed;
    changed.CopyFrom(file_, changed.GetAllocator());
    put_in(changed, shipped, how);
    made_.diff = yaml_diff(file_, changed, [&](std::string_view path, LineIn in, std::string_view value) {
      return reason_for(made_for_, path, in, value);
    });
    made_.scheduler = new_yaml(made_.diff);
    tell_of_scorers(shipped);
    if (member_of(member_of(&file_, "clientConnection"), "kubeconfig") == nullptr)
      remark(wish_.file_name,
             "clientConnection.kubeconfig: is missing, and beside --config kube-scheduler ignores its flag "
             "--kubeconfig; only in a pod does it need none");
    if (wish_.way == DeploymentMode::kBest && !missing_for_best(rules_).empty())
      made_.flags.emplace_back("--allow-missing-rules");
    tell_where_to_listen();
    return check_result();
  }

  /// kube-scheduler calls Winnow at the address of --url-prefix, so it has to listen there.
  void tell_where_to_listen() {
    if (flags_.port.value_or(kDefaultPort) != kDefaultPort)
      made_.flags.push_back(std::format("--port={}", *flags_.port));
    if (!flags_.path_prefix.empty()) made_.flags.push_back("--path-prefix=" + flags_.path_prefix);
    if (!flags_.tls_cert_file.empty())
      made_.flags.insert(made_.flags.end(), {"--tls-cert-file=FILE", "--tls-private-key-file=FILE"});
  }

  /// Whether an entry at Winnow's port is Winnow's. Ports that everybody takes say nothing without the host.
  static bool is_winnows(const live::ServerUrl& entry, const live::ServerUrl& winnow) {
    constexpr std::uint16_t kHttp = 80, kHttps = 443;
    const bool is_common = winnow.port == kHttp || winnow.port == kHttps;
    return entry.port == winnow.port && (!is_common || entry.host == winnow.host);
  }

  /// Finds Winnow's entry among the extenders: the one at Winnow's port.
  bool find_entry(ConfigMerger& how) {
    const auto url = live::parse_server_url(winnows_prefix());
    if (!url) return fail("--url-prefix: " + url.error());
    flags_ = start_flags_of(made_for_);
    flags_.port = url->port;
    flags_.path_prefix = url->path;
    if (url->tls) flags_.tls_cert_file = "given";
    for_each_entry(member_of(&file_, "extenders"), [&](const Value& entry, std::size_t place) {
      const auto other = live::parse_server_url(string_of(member_of(&entry, "urlPrefix")));
      if (!other || other->port != url->port) return;
      if (!is_winnows(*other, *url))
        fail(
            std::format("extenders[{}].urlPrefix: has Winnow's port, on another host: expected another port "
                        "in --url-prefix",
                        place));
      else if (!how.winnow)
        how.winnow = place;
    });
    if (!wrong_.empty()) return false;
    if (!how.winnow) return true;
    const Value& entry = file_["extenders"][static_cast<rapidjson::SizeType>(*how.winnow)];
    if (string_of(member_of(&entry, "filterVerb")).empty()) return true;
    return fail(std::format(
        "extenders[{}].filterVerb: this kube-scheduler asks Winnow already: expected the file that "
        "it had before, for Winnow's rules are made of it",
        *how.winnow));
  }

  /// With scores alone Winnow's node has to win against all of kube-scheduler's own scorers together.
  std::int64_t weight_to_win() const {
    if (wish_.way != DeploymentMode::kScores) return 0;
    std::int64_t most = 0;
    for (const SchedulerProfile& profile : setup_.profiles) most = std::max(most, profile.score_weights);
    return most + 1;
  }

  /// For each profile the plugins of `names` that Winnow's rules do not cover.
  std::vector<std::vector<std::string_view>> plugins_to_keep(const std::vector<std::string_view>& names) {
    std::vector<std::vector<std::string_view>> keeps;
    for (const SchedulerProfile& profile : setup_.profiles) {
      std::vector<std::string_view>& kept = keeps.emplace_back();
      for (const RuleSet& rules : rules_.sets)
        if (rules.scheduler_name.empty() || rules.scheduler_name == profile.scheduler_name)
          for (const MissingRule& one : missing_rules(rules, names)) keep(one, profile, kept);
    }
    return keeps;
  }

  void keep(const MissingRule& missing, const SchedulerProfile& profile,
            std::vector<std::string_view>& kept) {
    if (std::ranges::contains(kept, missing.plugin) || !profile.runs(missing.plugin, Point::kFilter)) return;
    kept.push_back(missing.plugin);
    remark(wish_.file_name, std::format("{}.plugins.filter: {} stays on, for Winnow has no rule for {}: {}",
                                        profile.path, missing.plugin, missing.what, missing.why));
  }

  /// Plugins that the operator's kube-scheduler was built with do not score any more where no plugin does.
  void tell_of_scorers(const Value& shipped) {
    if (member_of(member_of(&(*member_of(&shipped, "profiles"))[0], "plugins"), "score") == nullptr) return;
    for_each_entry(member_of(&file_, "profiles"), [&](const Value& profile, std::size_t index) {
      Lines told;
      for (const char* const point : {"multiPoint", "score"})
        for_each_entry(
            member_of(member_of(member_of(&profile, "plugins"), point), "enabled"),
            [&](const Value& entry, std::size_t) {
              std::string name = string_of(member_of(&entry, "name"));
              if (find_plugin_row(name) != nullptr || std::ranges::contains(told, name)) return;
              remark(wish_.file_name,
                     std::format("profiles[{}].plugins: if {} scores, its scores count no more, for only "
                                 "Winnow's do",
                                 index, name));
              told.push_back(std::move(name));
            });
    });
  }

  /// What `winnow check` would say of the new file. Filters that were off before are the operator's own wish.
  bool check_result() {
    const auto result = read_scheduler_setup(made_.scheduler);
    if (!result) return fail(std::string(kSchedulerFile) + ": " + result.error());
    flags_.allow_missing_rules = std::ranges::any_of(
        setup_.profiles, [](const SchedulerProfile& profile) { return !profile.disabled_filters().empty(); });
    rely_on_filters_of(*result);
    const Lines expected = warnings_of_shipped();
    for (const Finding& finding : check_setup(*result, rules_.sets, flags_, wish_.uses)) {
      const std::string line = finding.where + ": " + finding.what;
      if (finding.is_error)
        fail(line);
      else if (!std::ranges::contains(expected, finding.what))
        remark(wish_.file_name, line);
    }
    return wrong_.empty();
  }

  /// --scheduler-filters names what every profile of the new file runs: others may be off by the operator's
  /// wish.
  void rely_on_filters_of(const SchedulerSetup& setup) {
    std::erase_if(flags_.scheduler_filters, [&](const std::string& plugin) {
      return !std::ranges::all_of(setup.profiles, [&](const SchedulerProfile& profile) {
        return profile.runs(plugin, Point::kFilter);
      });
    });
    const auto flag = std::ranges::find_if(
        made_.flags, [](const std::string& text) { return text.starts_with(kFiltersFlag); });
    if (flag == made_.flags.end()) return;
    std::string names;
    for (const std::string& plugin : flags_.scheduler_filters) names += (names.empty() ? "" : ",") + plugin;
    if (names.empty())
      made_.flags.erase(flag);
    else
      *flag = std::string(kFiltersFlag) + names;
  }

  /// The warnings about the shipped file, which its way takes into account.
  Lines warnings_of_shipped() {
    Lines lines;
    const auto setup = read_scheduler_setup(shipped_);
    for (const Finding& finding : check_setup(*setup, rules_.sets, start_flags_of(made_for_), wish_.uses))
      if (!finding.is_error) lines.push_back(finding.what);
    return lines;
  }

  const ConfigureWish& wish_;
  MadeFor made_for_;
  ConfigDocument document_;
  const rapidjson::Document& file_ = document_.root();  ///< The operator's file.
  ConfigDocument shipped_;                              ///< The file of the way.
  SchedulerSetup setup_;
  LoadedRules rules_;
  StartFlags flags_;
  Configured made_;
  Lines wrong_;
};

}  // namespace

bool Configured::changes_scheduler() const {
  return std::ranges::any_of(diff, [](const DiffLine& line) { return line.in != LineIn::kBoth; });
}

std::expected<Configured, Lines> configure(std::string_view text, const ConfigureWish& wish) {
  const auto tidied = [](Lines& lines) {
    for (std::string& line : lines) line = one_line(line, kMostLineBytes);
  };
  auto made = Configurer(text, wish).run();
  tidied(made ? made->remarks : made.error());
  return made;
}

}  // namespace winnow
