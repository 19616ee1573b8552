// The error of a file of objects.
#pragma once

#include <string>

namespace winnow {

/// An error: `cluster.json: items[3].spec.nodeName: 5 is not a string`, `x.yaml: line 2, column 3: …`. From a
/// file's second document on, the document's number precedes the path.
struct FileError {
  std::string message;
};

}  // namespace winnow
