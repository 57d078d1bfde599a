#include "cli/jobflow/commands.h"

#include "base/strings.h"
#include "cli/jobflow/files.h"
#include "cli/jobflow/kind.h"
#include "cli/jobflow/show.h"

namespace bth::cli {
namespace {

Command FlowGroup(const FlowKind& kind) {
  Command group;
  group.name = kind.group;
  group.short_text = StrCat("vcctl command line operation ", kind.group);
  const FlowLeafFlags of_list = {.ns = true, .listing = true, .all_namespaces = kind.has_phase};
  const FlowLeaf leaves[] = {
      {{"create"}, {.file = true}, CreateFlows},
      {{"list", true}, of_list, ListFlows},
      {{"get"}, {.name = true, .ns = true, .other_formats = true}, GetFlow},
      {{"delete"}, {.name = true, .ns = true, .file = true, .yes = true}, DeleteFlows},
      {{"describe"}, {.name = true, .ns = true, .format = true}, DescribeFlows},
  };
  for (const FlowLeaf& leaf : leaves) group.children.push_back(MakeFlowLeaf(kind, leaf));
  return group;
}

}  // namespace

Command JobFlowCommand() {
  return FlowGroup(JobFlowKind());
}

Command JobTemplateCommand() {
  return FlowGroup(JobTemplateKind());
}

}  // namespace bth::cli
