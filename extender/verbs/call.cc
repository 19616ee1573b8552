#include "extender/verbs/call.h"

#include "cluster/text/printable.h"

namespace winnow {

void Reply::refuse(int status, Result how, std::string_view line) {
  result = how;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = one_line(line, kMostLineBytes) + '\n';
}

}  // namespace winnow
