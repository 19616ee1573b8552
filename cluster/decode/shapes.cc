#include "cluster/decode/reader.h"

namespace winnow {

static bool read_fields(const Reader& r, OwnerReference& owner) {
  return r.read("apiVersion", owner.api_version) && r.read("kind", owner.kind) &&
         r.read("name", owner.name) && r.read("uid", owner.uid) && r.read("controller", owner.controller);
}

bool read_fields(const Reader& r, ObjectMeta& meta) {
  std::optional<Time> created;
  std::optional<Time> deleted;
  const bool good = r.read("name", meta.name) && r.read("namespace", meta.namespace_) &&
                    r.read("uid", meta.uid) && r.read("resourceVersion", meta.resource_version) &&
                    r.read("labels", meta.labels) && r.read("annotations", meta.annotations) &&
                    r.read("ownerReferences", meta.owner_references) &&
                    r.read("creationTimestamp", created) && r.read("deletionTimestamp", deleted);
  if (created) meta.creation_timestamp = created->seconds;
  meta.deleting = deleted.has_value();
  return good;
}

bool read_fields(const Reader& r, SelectorRequirement& requirement) {
  return r.read("key", requirement.key) && r.read("operator", requirement.op) &&
         r.read("values", requirement.values);
}

bool read_fields(const Reader& r, LabelSelector& selector) {
  return r.read("matchLabels", selector.match_labels) &&
         r.read("matchExpressions", selector.match_expressions);
}

bool read_fields(const Reader& r, NodeSelectorTerm& term) {
  return r.read("matchExpressions", term.match_expressions) && r.read("matchFields", term.match_fields);
}

bool read_fields(const Reader& r, NodeSelector& selector) {
  return r.read("nodeSelectorTerms", selector.terms);
}

}  // namespace winnow
