#include "extender/explain/explanation_text.h"

#include <algorithm>
#include <utility>

#include "cluster/text/characters.h"

namespace winnow {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string shorten_middle(std::string_view text, std::size_t limit) {
  const std::size_t wide = columns(text);
  if (wide <= limit) return std::string(text);
  const std::size_t tail = limit / 2;
  const std::size_t head = limit - 1 - tail;
  std::string out(text.substr(0, prefix_bytes(text, head)));
  out += "…";
  out += text.substr(prefix_bytes(text, wide - tail));
  return out;
}

std::size_t prefix_bytes(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += std::max<std::size_t>(1, utf8_length(text, at));
  return at;
}

std::size_t line_width(const TableOptions& options) {
  return options.width <= 0 ? 0 : std::max<std::size_t>(40, static_cast<std::size_t>(options.width));
}

namespace {

// The width that an unlimited line counts as, where a list is limited to some lines.
constexpr std::size_t kUnlimited = 160;

bool starts_part(std::string_view name, std::size_t at) {
  if (at == 0) return false;
  if (std::string_view("-_./").contains(name[at - 1])) return true;
  if (!is_upper(name[at])) return false;
  return !is_upper(name[at - 1]) || (at + 1 < name.size() && is_lower(name[at + 1]));
}

// The writer of a paragraph, word by word.
class Lines {
 public:
  Lines(std::string& out, const Setting& setting)
      : out_(out), setting_(setting), used_(columns(setting.prefix)) {
    out_ += setting.prefix;
  }

  void add(std::string_view word) {
    const std::size_t wide = columns(word);
    const std::size_t blank = line_.empty() ? 0 : 1;
    if (setting_.width != 0 && used_ + blank + wide > setting_.width) {
      if (!line_.empty()) next();
      add_cutting(word, wide);
      return;
    }
    if (blank != 0) line_ += ' ';
    line_ += word;
    used_ += blank + wide;
  }

  void finish() {
    append_styled(out_, line_, setting_.style);
    out_ += '\n';
  }

 private:
  void next() {
    finish();
    out_.append(setting_.indent, ' ');
    line_.clear();
    used_ = setting_.indent;
  }

  void add_cutting(std::string_view word, std::size_t wide) {
    while (used_ + wide > setting_.width) {
      const std::size_t room = setting_.width > used_ ? setting_.width - used_ : 1;
      const std::size_t bytes = prefix_bytes(word, room);
      line_ += word.substr(0, bytes);
      word.remove_prefix(bytes);
      wide = columns(word);
      if (wide == 0) return;
      next();
    }
    line_ += word;
    used_ += wide;
  }

  std::string& out_;
  const Setting& setting_;
  std::string line_;
  std::size_t used_;
};

// A counter of the lines that words take, without writing them.
class Measure {
 public:
  explicit Measure(const Setting& setting)
      : width_(setting.width == 0 ? kUnlimited : setting.width),
        indent_(setting.indent),
        used_(columns(setting.prefix)) {}

  void add(std::size_t wide) {
    const std::size_t blank = empty_ ? 0 : 1;
    if (used_ + blank + wide <= width_) {
      used_ += blank + wide;
    } else {
      if (!empty_) ++lines_;
      const std::size_t room = width_ - indent_;
      lines_ += (wide - 1) / room;
      used_ = indent_ + (wide - 1) % room + 1;
    }
    empty_ = false;
  }
  [[nodiscard]] std::size_t lines() const { return lines_; }

 private:
  std::size_t width_;
  std::size_t indent_;
  std::size_t used_;
  std::size_t lines_ = 1;
  bool empty_ = true;
};

std::string more(std::size_t count) { return "… and " + with_thousands(count) + " more"; }

// The number of names that can be shown with a note on the others after them.
std::size_t names_that_fit(const std::vector<std::string_view>& names, std::size_t max_lines,
                           const Setting& setting) {
  Measure measure(setting);
  std::size_t fit = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    measure.add(columns(names[i]) + (last ? 0 : 1));
    if (measure.lines() > max_lines) return std::max<std::size_t>(fit, 1);
    if (last) return names.size();
    Measure with_note = measure;
    with_note.add(columns(more(names.size() - i - 1)));
    if (with_note.lines() <= max_lines) fit = i + 1;
  }
  return fit;
}

}  // namespace

std::string with_thousands(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string count_nodes(std::size_t number) {
  return with_thousands(number) + (number == 1 ? " node" : " nodes");
}

std::string count_pods(std::size_t number) {
  return with_thousands(number) + (number == 1 ? " pod" : " pods");
}

std::vector<std::string> name_parts(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (at == 0 || starts_part(name, at)) parts.emplace_back();
    parts.back() += name[at];
  }
  return parts;
}

void append_styled(std::string& out, std::string_view text, std::string_view style) {
  if (style.empty() || text.empty()) {
    out += text;
    return;
  }
  out.append("\x1b[").append(style).append("m").append(text).append("\x1b[0m");
}

void append_words(std::string& out, const std::vector<std::string>& words, const Setting& setting) {
  Lines lines(out, setting);
  for (const std::string& word : words) lines.add(word);
  lines.finish();
}

void append_paragraph(std::string& out, std::string_view text, const Setting& setting) {
  Lines lines(out, setting);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) lines.add(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  lines.finish();
}

void append_list(std::string& out, const std::vector<std::string_view>& names, std::size_t max_lines,
                 const Setting& setting) {
  const std::size_t shown = max_lines != 0 ? names_that_fit(names, max_lines, setting) : names.size();
  std::vector<std::string> words;
  words.reserve(shown + 1);
  for (std::size_t i = 0; i < shown; ++i) {
    words.emplace_back(names[i]);
    if (i + 1 < names.size()) words.back() += ',';
  }
  if (shown < names.size()) words.push_back(more(names.size() - shown));
  append_words(out, words, setting);
}

}  // namespace winnow
