// Winnow's side of the comparison of defaults: `winnow_defaults OBJECTS UPSTREAM`.
//
// OBJECTS has an object a line, as somebody may write it. UPSTREAM has a line for each: the object as an API
// server would store it, by `build/oracle/today -defaults`. Prints a line for each: whether Winnow's defaults
// give the same object, whether they leave upstream's as it is, and the fields that Winnow says are refused.
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster/admission/defaults.h"
#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/api/decode.h"
#include "cluster/api/decoders.h"
#include "cluster/api/device.h"
#include "cluster/api/node_metrics.h"
#include "cluster/api/storage.h"
#include "cluster/text/json.h"

namespace winnow {
namespace {

std::vector<FieldError> complete(Pod& pod) { return admit(pod); }
template <class Object>
std::vector<FieldError> complete(Object& object) {
  set_defaults(object);
  return {};
}

std::string kind_in(const std::string& line) {
  std::string kind;
  decode_detail::decode(line, [&](const Reader& object) { return object.read("kind", kind); });
  return kind;
}

/// @return one line; or throws what is wrong with the input.
template <class Object>
std::string compared(const std::string& written, const std::string& upstream, KindScope scope) {
  auto ours = decode<Object>(written);
  if (!ours) throw std::runtime_error(ours.error().message);
  Object theirs;
  const auto wrong = decode_detail::decode(upstream, [&](const Reader& line) {
    return line.within("object", [&](const Reader& object) { return read_fields(object, theirs); });
  });
  if (wrong) throw std::runtime_error(wrong->message);
  for (Object* object : {&*ours, &theirs})
    if (scope == kNamespaced && object->metadata.namespace_.empty()) object->metadata.namespace_ = "default";
  const std::vector<FieldError> refused = complete(*ours);
  Object again = theirs;
  set_defaults(again);
  std::string line = std::string(R"({"same":)") + (*ours == theirs ? "true" : "false") + R"(,"settled":)" +
                     (again == theirs ? "true" : "false") + R"(,"refused":[)";
  for (const FieldError& error : refused) {
    if (line.back() != '[') line += ',';
    line += R"({"path":)";
    append_quoted(line, error.path);
    line += R"(,"text":)";
    append_quoted(line, error.text);
    line += '}';
  }
  return line + "]}";
}

std::string compared(const std::string& written, const std::string& upstream) {
  const std::string kind = kind_in(written);
  std::string line;
  for_each_kind([&]<class Object>(const Kind<Object>& row) {
    if (row.kind == kind) line = compared<Object>(written, upstream, row.scope);
  });
  if (line.empty()) throw std::runtime_error("kind: \"" + kind + "\" is not known");
  return line;
}

int run(const char* objects, const char* upstream) {
  std::ifstream ours(objects), theirs(upstream);
  std::string written, said;
  for (int number = 1; std::getline(ours, written) && std::getline(theirs, said); ++number) try {
      std::cout << compared(written, said) << '\n';
    } catch (const std::exception& error) {
      std::cerr << objects << ": line " << number << ": " << error.what() << '\n';
      return 1;
    }
  return 0;
}

}  // namespace
}  // namespace winnow

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: winnow_defaults OBJECTS UPSTREAM\n";
    return 2;
  }
  return winnow::run(arguments[1], arguments[2]);
}
