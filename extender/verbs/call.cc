#include "extender/verbs/call.h"

#include <cstddef>
#include <format>
#include <optional>
#include <string>

#include "cluster/text/printable.h"

namespace winnow {

void Reply::refuse(int status, Result how, std::string_view line) {
  result = how;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = one_line(line, kMostLineBytes) + '\n';
}

std::optional<std::string> Reply::drop_too_large(std::size_t most) {
  const std::size_t bytes = response.body.size();
  if (bytes <= most) return std::nullopt;
  std::string().swap(response.body);  // Assigning nothing would keep its memory.
  return std::format("the answer has {} bytes; with this memory limit at most {} are sent", bytes, most);
}

}  // namespace winnow
