#include "extender/explain/node_names.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace winnow::test {

TEST_CASE("node names: what is left out, and what is said of it") {
  struct Row {
    std::string sentence;
    std::vector<std::string> names, shortened;
    std::string note;
  };
  const Row rows[] = {
      {"no node has nothing to share", {}, {}, ""},
      {"one node shares with nobody", {"a.example.internal"}, {"a.example.internal"}, ""},
      {"all share a domain",
       {"ip-10-0-0-1.ec2.internal", "ip-10-0-0-2.ec2.internal"},
       {"ip-10-0-0-1", "ip-10-0-0-2"},
       "Names of nodes end in .ec2.internal."},
      {"a domain begins at a dot",
       {"a1.rack-1.dc.example", "b1.rack-2.dc.example"},
       {"a1.rack-1", "b1.rack-2"},
       "Names of nodes end in .dc.example."},
      {"a short domain stays", {"a.loc", "b.loc"}, {"a.loc", "b.loc"}, ""},
      {"of each name something stays",
       {"web.example.org", "a.web.example.org"},
       {"web", "a.web"},
       "Names of nodes end in .example.org."},
      {"all share a beginning, up to a dash",
       {"gke-prod-pool-1-x7k2", "gke-prod-pool-1-x9zz"},
       {"x7k2", "x9zz"},
       "Names of nodes begin with gke-prod-pool-1-."},
      {"a beginning that is a whole name is shorter by a word",
       {"gke-prod-pool-10", "gke-prod-pool-10-a"},
       {"10", "10-a"},
       "Names of nodes begin with gke-prod-pool-."},
      {"a short beginning stays", {"ip-10-0-1", "ip-10-0-2"}, {"ip-10-0-1", "ip-10-0-2"}, ""},
      {"both",
       {"aks-system-12345-vm1.internal.cloud", "aks-system-12345-vm2.internal.cloud"},
       {"vm1", "vm2"},
       "Names of nodes begin with aks-system-12345- and end in .internal.cloud."},
      {"more than half share a domain",
       {"a.ec2.internal", "b.ec2.internal", "new-1"},
       {"a", "b", "new-1"},
       "Names of 2 of 3 nodes end in .ec2.internal, which is left out."},
      {"half is too few", {"a.ec2.internal", "new-1"}, {"a.ec2.internal", "new-1"}, ""},
      {"a shortened name is not another node's",
       {"a.ec2.internal", "b.ec2.internal", "a"},
       {"a.ec2.internal", "b.ec2.internal", "a"},
       ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const NodeNames names(row.names);
    std::vector<std::string> shortened;
    for (const std::string& name : row.names) shortened.push_back(names.of(name));
    CHECK(shortened == row.shortened);
    CHECK(names.note() == row.note);
  }
}

TEST_CASE("node names: in a sentence, nodes' names alone are shortened") {
  const NodeNames names({"n1.ec2.internal", "n2.ec2.internal"});
  struct Row {
    std::string sentence, text, shortened;
  };
  const Row rows[] = {
      {"alone", "n1.ec2.internal", "n1"},
      {"with marks around it", "on n1.ec2.internal, (n2.ec2.internal); n1.ec2.internal.", "on n1, (n2); n1."},
      {"a label's value stays", "host=n1.ec2.internal is there", "host=n1.ec2.internal is there"},
      {"another name stays", "n3.ec2.internal and ec2.internal", "n3.ec2.internal and ec2.internal"},
      {"blanks stay", "  a  n1.ec2.internal ", "  a  n1 "},
      {"nothing", "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(names.in(row.text) == row.shortened);
    CHECK(NodeNames().in(row.text) == row.text);
  }
}

}  // namespace winnow::test
