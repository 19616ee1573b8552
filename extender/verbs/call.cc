#include "extender/verbs/call.h"

#include <utility>

namespace winnow {

void Reply::refuse(int status, Result how, std::string line) {
  result = how;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(line) + '\n';
}

}  // namespace winnow
