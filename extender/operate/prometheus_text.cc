#include "extender/operate/prometheus_text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "cluster/function_ref.h"

namespace winnow {
namespace {

/// Reads one line from its beginning.
class SampleReader {
 public:
  explicit SampleReader(std::string_view line) : rest_(line) {}

  std::optional<Sample> read() {
    Sample sample;
    const std::size_t end = rest_.find_first_of("{ \t");
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    sample.name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (rest_.starts_with('{') && !read_labels(sample)) return std::nullopt;
    skip_spaces();
    return read_number(sample.value) ? std::optional(std::move(sample)) : std::nullopt;
  }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  bool read_labels(Sample& sample) {
    rest_.remove_prefix(1);
    while (true) {
      skip_spaces();
      if (rest_.starts_with('}')) return rest_.remove_prefix(1), true;
      const std::size_t equals = rest_.find("=\"");
      if (equals == std::string_view::npos) return false;
      const std::string key(rest_.substr(0, equals));
      rest_.remove_prefix(equals + 2);
      if (!read_quoted(sample.labels[key])) return false;
      skip_spaces();
      if (rest_.starts_with(',')) rest_.remove_prefix(1);
    }
  }

  bool read_quoted(std::string& value) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\') {
        value += c;
        continue;
      }
      if (rest_.empty()) return false;
      value += rest_.front() == 'n' ? '\n' : rest_.front();
      rest_.remove_prefix(1);
    }
    return false;
  }

  bool read_number(double& value) {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
    if (word == "+Inf" || word == "-Inf" || word == "NaN") {
      value = word == "NaN" ? 0 : std::numeric_limits<double>::infinity() * (word[0] == '-' ? -1 : 1);
      return true;
    }
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size();
  }

  std::string_view rest_;
};

}  // namespace

std::string_view Sample::label(std::string_view key) const {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

Samples read_prometheus_text(std::string_view text) {
  Samples samples;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) continue;
    if (auto sample = SampleReader(line).read()) samples.push_back(std::move(*sample));
  }
  return samples;
}

double sum_of(const Samples& samples, std::string_view name, FunctionRef<bool(const Sample&)> counts) {
  double sum = 0;
  for (const Sample& sample : samples)
    if (sample.name == name && (!counts || counts(sample))) sum += sample.value;
  return sum;
}

double most_of(const Samples& samples, std::string_view name) {
  double most = 0;
  for (const Sample& sample : samples)
    if (sample.name == name) most = std::max(most, sample.value);
  return most;
}

}  // namespace winnow
