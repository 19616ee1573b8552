// Texts that people give for JSON or YAML by mistake: templates, and what kubectl prints for people.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Whether the text is a Helm template that is still to be rendered. JSON is none.
bool is_unrendered(std::string_view text);

/// What is said of a template: "a Helm template that is not rendered: …".
inline constexpr std::string_view kUnrendered =
    "a Helm template that is not rendered: render it first, as by `helm template`";

/// What a text is that holds no objects, and what to give instead. "": it is none of these. Such a text may
/// be YAML by chance, so a reader asks when it has found no objects.
std::string other_text(std::string_view text);

}  // namespace winnow
