#include "extender/what_if/simulate/unjudged.h"

#include <algorithm>
#include <format>

#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/engines.h"
#include "extender/engine/not_judged.h"
#include "extender/explain/explanation_text.h"

namespace winnow {

void Unjudged::add(const std::vector<std::string>& texts, std::size_t count) {
  if (texts.empty() || count == 0) return;
  pods += count;
  for (const std::string& text : texts) {
    auto known = std::ranges::find(lines, text, &Line::text);
    if (known == lines.end()) known = lines.insert(known, {.text = text, .pods = 0});
    known->pods += count;
  }
}

std::vector<std::string> not_judged_of(const Engines& engines, const State& state, const Pod& pod) {
  const Engine* const engine = engines.find(pod);
  return engine == nullptr ? std::vector<std::string>() : not_judged(engine->rules(), View(state), pod);
}

std::string count_unjudged(const Unjudged& unjudged) {
  std::string text;
  if (unjudged.pods > 0) text += std::format(", {} not judged in full", with_thousands(unjudged.pods));
  if (const std::size_t objects = unjudged.objects.size(); objects > 0)
    text += std::format(", {} {} left out", with_thousands(objects), objects == 1 ? "object" : "objects");
  return text;
}

std::vector<std::string> tell_unjudged(const Unjudged& unjudged) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> lines;
  for (const Unjudged::Line& line : unjudged.lines) {
    if (lines.size() == kMost) break;
    lines.push_back(std::format("Not judged of {}: {}.", count_pods(line.pods), line.text));
  }
  std::size_t objects = 0;
  for (const LeftOut& one : unjudged.objects) {
    if (objects++ == kMost) {
      lines.push_back(
          std::format("Left out: {} more objects.", with_thousands(unjudged.objects.size() - kMost)));
      break;
    }
    lines.push_back(
        std::format("Left out: {}, for no pods can be made of its {}.", one.object, one.template_path));
  }
  return lines;
}

}  // namespace winnow
