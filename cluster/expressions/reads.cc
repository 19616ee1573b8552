#include "cluster/expressions/reads.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cluster/api/wanted_fields.h"
#include "cluster/cel/operators.h"
#include "cluster/expressions/objects.h"
#include "cluster/fields/v1_types.h"

namespace winnow::expressions {
namespace {

using cel::Expr;
using cel::ExprKind;

/// A variable, and the constant keys that are selected from it.
struct Path {
  std::string_view variable;
  FieldPath keys;
};

bool selects_by_key(const Expr& expr) {
  namespace operators = cel::operators;
  if (expr.kind != ExprKind::kCall || expr.arguments.size() != 2) return false;
  if (expr.name != operators::kIndex && expr.name != operators::kOptIndex &&
      expr.name != operators::kOptSelect)
    return false;
  const Expr& key = *expr.arguments[1];
  return key.kind == ExprKind::kLiteral && key.value.is(cel::Kind::kString);
}

std::optional<Path> path_of_variable(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent && expr.is_global) return Path{expr.reference, {}};
  const Expr* from = nullptr;
  std::string key;
  if (expr.kind == ExprKind::kSelect) {
    from = expr.operand;
    key = expr.name;
  } else if (selects_by_key(expr)) {
    from = expr.arguments[0];
    key = expr.arguments[1]->value.text();
  } else {
    return std::nullopt;
  }
  auto path = path_of_variable(*from);
  if (path) path->keys.push_back(std::move(key));
  return path;
}

/// The path as an expression.
std::string text_of(const Path& path) {
  std::string text(path.variable);
  for (const std::string& key : path.keys) {
    const bool is_name = !key.empty() && std::ranges::all_of(key, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }) && !(key[0] >= '0' && key[0] <= '9');
    text += is_name ? "." + key : '[' + cel::describe(cel::Value::borrowed(key)) + ']';
  }
  return text;
}

/// Whether it is the key of a resource that every node has.
bool is_common(std::span<const std::string> keys) {
  return !keys.empty() &&
         std::ranges::contains(kCommonAmounts, std::string_view(keys[0]), &CommonAmount::name);
}

/// The keys up to a list, or to what the object does not have.
FieldPath as_kept(std::string_view object, std::span<const std::string> keys) {
  FieldPath kept;
  V1Type type{V1Type::Kind::kObject, V1Type::Shape::kOne, object};
  for (const std::string& key : keys) {
    if (type.shape == V1Type::Shape::kList) break;
    if (type.shape == V1Type::Shape::kMap) {
      type = type.element();
    } else {
      const auto field = type.kind == V1Type::Kind::kObject ? find_v1_field(type.object, key) : std::nullopt;
      if (!field) break;
      type = *field;
    }
    kept.push_back(key);
  }
  return kept;
}

class Reader {
 public:
  Reads take() {
    reads_.pod_fields = least_fields(std::move(reads_.pod_fields));
    reads_.node_fields = least_fields(std::move(reads_.node_fields));
    return std::move(reads_);
  }

  void visit(const Expr& expr) {
    if (const auto path = path_of_variable(expr)) return note(*path, expr.test_only);
    const bool is_noted = note_function(expr);
    cel::for_each_part(expr, [&](const Expr& part) {
      if (!is_noted || &part != expr.operand) visit(part);
    });
  }

 private:
  /// Whether it is a function of a node, or of the cluster, and no more of that is read.
  bool note_function(const Expr& expr) {
    if (expr.kind != ExprKind::kCall || expr.operand == nullptr) return false;
    const bool counts = expr.name == "podsMatching";
    if (!counts && expr.name != "domain" && expr.name != "domains") return false;
    const auto of = path_of_variable(*expr.operand);
    if (!of || !of->keys.empty()) return false;
    const bool of_node = counts && of->variable == "node";
    (of_node ? reads_.node : reads_.cluster) = true;
    reads_.pods |= of_node;
    reads_.of_node |= of->variable == "node";
    return true;
  }

  /// @param test_only  it is has() of the path.
  void note(const Path& path, bool test_only) {
    if (std::string text = text_of(path); !std::ranges::contains(reads_.paths, text))
      reads_.paths.push_back(std::move(text));
    if (path.variable == "pod")
      note_pod(path.keys);
    else if (path.variable == "node")
      note_node(path.keys, test_only);
    else if (path.variable == "cluster")
      reads_.cluster = true;
    else if (path.variable == "now")
      reads_.now = true;
  }

  void note_pod(const FieldPath& keys) {
    if (keys.empty()) {
      reads_.requests = true;
      reads_.pod_fields.insert(reads_.pod_fields.end(), {"/metadata", "/spec"});
      return;
    }
    if (keys[0] == "requests") reads_.requests = true;
    if (keys[0] == "metadata") add(reads_.pod_fields, {keys[0]}, "ObjectMeta", std::span(keys).subspan(1));
    if (keys[0] == "spec") add(reads_.pod_fields, {keys[0]}, "PodSpec", std::span(keys).subspan(1));
  }

  void note_node(const FieldPath& keys, bool test_only) {
    reads_.of_node = true;
    std::vector<std::string>& fields = reads_.node_fields;
    if (keys.empty()) {
      reads_.node = reads_.pods = reads_.usage = reads_.age = reads_.metrics = reads_.images = true;
      reads_.offers = true;
      fields.insert(fields.end(), {"/metadata", "/spec", "/status/capacity", "/status/conditions"});
      return;
    }
    const auto rest = std::span(keys).subspan(1);
    if (keys[0] == "metadata") {
      add(fields, {keys[0]}, "ObjectMeta", rest);
    } else if (keys[0] == "spec") {
      add(fields, {keys[0]}, "NodeSpec", rest);
    } else if (keys[0] == "status") {
      fields.emplace_back("/status/conditions");
    } else if (keys[0] == "capacity") {
      FieldPath path = {"status", "capacity"};
      if (!rest.empty()) path.push_back(rest[0]);
      fields.push_back(pointer_of(path));
    } else if (keys[0] == "usage") {
      reads_.usage = true;
      reads_.age |= keys.size() == 1 ? !test_only : keys[1] == "age";
    } else if (keys[0] == "metrics") {
      reads_.metrics = true;
    } else {
      reads_.node = true;
      reads_.pods |= keys[0] == "requested" || keys[0] == "pods";
      reads_.images |= keys[0] == "images";
      reads_.offers |= keys[0] == "requested" && !is_common(rest);
    }
  }

  static void add(std::vector<std::string>& fields, FieldPath path, std::string_view object,
                  std::span<const std::string> keys) {
    const FieldPath kept = as_kept(object, keys);
    path.insert(path.end(), kept.begin(), kept.end());
    fields.push_back(pointer_of(path));
  }

  Reads reads_;
};

}  // namespace

Reads& Reads::operator+=(const Reads& other) {
  pod_fields.insert(pod_fields.end(), other.pod_fields.begin(), other.pod_fields.end());
  pod_fields = least_fields(std::move(pod_fields));
  node_fields.insert(node_fields.end(), other.node_fields.begin(), other.node_fields.end());
  node_fields = least_fields(std::move(node_fields));
  of_node |= other.of_node;
  node |= other.node;
  pods |= other.pods;
  cluster |= other.cluster;
  usage |= other.usage;
  age |= other.age;
  images |= other.images;
  offers |= other.offers;
  metrics |= other.metrics;
  now |= other.now;
  for (const std::string& path : other.paths)
    if (!std::ranges::contains(paths, path)) paths.push_back(path);
  requests |= other.requests;
  return *this;
}

bool Reads::of_row_alone() const {
  return of_node && !pod() && !images && !offers && !cluster && !now && !age;
}

Reads reads_of(const cel::Expr& expr) {
  Reader reader;
  reader.visit(expr);
  return reader.take();
}

}  // namespace winnow::expressions
