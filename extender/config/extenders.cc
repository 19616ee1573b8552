#include "extender/config/extenders.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/api/names.h"
#include "cluster/api/resource_name.h"
#include "cluster/text/field_result.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

/// A URL without its user and password.
std::string shown_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t path = std::min(url.find('/', host), url.size());
  const std::size_t at = url.substr(0, path).rfind('@');
  if (at == std::string_view::npos || at < host) return std::string(url);
  return std::string(url.substr(0, host)).append(url.substr(at + 1));
}

struct Tls {
  bool insecure = false;
  std::string ca_file, ca_data;
};

/// Upstream: TLSConfigFor of client-go/transport, v0.37.0. Only the checks that need no file.
FieldResult check_tls(const Tls& tls, std::string_view path) {
  const bool has_ca = !tls.ca_file.empty() || !tls.ca_data.empty();
  if (has_ca && tls.insecure)
    return std::unexpected(std::format(
        "{}.insecure: specifying a root certificates file with the insecure flag is not allowed", path));
  return {};
}

class ExtenderReader {
 public:
  FieldResult read(const Reader& extender, std::size_t index) {
    path_ = element("extenders", index);
    std::string url, filter, preempt, prioritize, bind;
    std::int64_t weight = 0;
    extender.read("urlPrefix", url);
    extender.read("filterVerb", filter);
    extender.read("preemptVerb", preempt);
    extender.read("prioritizeVerb", prioritize);
    extender.read("weight", weight);
    extender.read("bindVerb", bind);
    result_.urls.push_back(std::move(url));
    result_.filtering += filter.empty() && preempt.empty() ? 0 : 1;
    if (!prioritize.empty() && weight <= 0)
      return invalid(child(path_, "weight"), weight, "must have a positive weight applied to it");
    if (!bind.empty() && ++binders_ > 1)
      return invalid("extenders", std::format("found {} extenders implementing bind", binders_),
                     "only one extender can implement bind");
    if (auto good = read_resources(extender); !good) return good;
    return read_tls(extender);
  }

  ConfiguredExtenders take() { return std::move(result_); }

 private:
  FieldResult read_resources(const Reader& extender) {
    FieldResult good;
    std::size_t index = 0;
    extender.for_each_in("managedResources", [&](const Reader& resource) {
      good = read_resource(resource, child(path_, element("managedResources", index++)) + ".name");
      return good.has_value();
    });
    return good;
  }

  FieldResult read_resource(const Reader& resource, const std::string& path) {
    std::string name;
    bool ignored = false;
    if (!resource.is_null()) {
      resource.read("name", name);
      resource.read("ignoredByScheduler", ignored);
    }
    if (const std::string errors = label_key_errors(name, Generation::kToday); !errors.empty())
      return invalid(path, name, errors);
    if (!is_extended_resource(name)) return invalid(path, name, "is an invalid extended resource name");
    if (std::ranges::find(managed_, name) != managed_.end())
      return invalid(path, name, "duplicate extender managed resource name");
    managed_.push_back(name);
    if (ignored) result_.ignored_resources.push_back(name);
    return {};
  }

  FieldResult read_tls(const Reader& extender) const {
    Tls tls;
    extender.within("tlsConfig", [&](const Reader& r) {
      return r.read("insecure", tls.insecure) && r.read("caFile", tls.ca_file) &&
             r.read("caData", tls.ca_data);
    });
    return check_tls(tls, child(path_, "tlsConfig"));
  }

  std::string path_;
  std::size_t binders_ = 0;
  std::vector<std::string> managed_;
  ConfiguredExtenders result_;
};

}  // namespace

std::string ignored_note(std::string_view resource, std::string_view rule) {
  return std::format("extenders: {} is ignoredByScheduler, so {} ignores it here as it does there", resource,
                     rule);
}

std::string extenders_note(const std::vector<std::string>& urls) {
  if (urls.empty()) return {};
  std::string list;
  for (const std::string& url : urls) {
    if (!list.empty()) list += ", ";
    list += url.empty() ? "(no urlPrefix)" : go_quote(shown_url(url));
  }
  return std::format("extenders: not used here, {} in the file: {}", urls.size(), list);
}

std::expected<ConfiguredExtenders, std::string> read_extenders(const Reader& config) {
  ExtenderReader reader;
  FieldResult good;
  std::size_t index = 0;
  config.for_each_in("extenders", [&](const Reader& extender) {
    if (!extender.is_null()) good = reader.read(extender, index);
    ++index;
    return good.has_value();
  });
  if (!good) return std::unexpected(std::move(good).error());
  return reader.take();
}

}  // namespace winnow
