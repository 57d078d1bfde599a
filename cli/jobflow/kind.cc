#include "cli/jobflow/kind.h"

#include "api/types/codec.h"
#include "api/types/job_flow.h"
#include "base/strings.h"
#include "cli/listing/views.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"
#include "cli/text/typed_yaml.h"

namespace bth::cli {
namespace {

template <typename T>
absl::Status CheckAs(const types::Json& object) {
  return types::Decode<T>(object).status();
}

}  // namespace

const FlowKind& JobFlowKind() {
  static const FlowKind kind{types::ResourceTraits<types::JobFlow>::type(),
                             "jobflow",
                             "jobflow",
                             true,
                             JobFlowView,
                             YamlSchema<types::JobFlow>,
                             CheckAs<types::JobFlow>};
  return kind;
}

const FlowKind& JobTemplateKind() {
  static const FlowKind kind{types::ResourceTraits<types::JobTemplate>::type(),
                             "jobtemplate",
                             "job template",
                             false,
                             JobTemplateView,
                             YamlSchema<types::JobTemplate>,
                             CheckAs<types::JobTemplate>};
  return kind;
}

Command MakeFlowLeaf(const FlowKind& kind, const FlowLeaf& leaf) {
  auto flags = std::make_shared<FlowFlags>();
  Command command;
  command.name = leaf.text.name;
  command.short_text = StrCat(leaf.text.name, leaf.text.plural ? " " : " a ", kind.group,
                              leaf.text.plural ? "s" : "");
  AddClusterFlags(&flags->cluster, &command.flags);
  FlagSet& set = command.flags;
  if (leaf.flags.name) {
    set.Text(&flags->name, {"name", 'N'}, StrCat("the name of ", kind.words));
    set.OfferFor("name", OfferNames(&flags->cluster, kind.type, &flags->ns));
  }
  if (leaf.flags.ns) {
    set.Text(&flags->ns, {"namespace", 'n'}, StrCat("the namespace of ", kind.words));
    set.OfferFor("namespace", OfferNamespaces(&flags->cluster));
  }
  if (leaf.flags.file) {
    set.Text(&flags->file, {"file", 'f'},
             StrCat("the path to the YAML file containing the ", kind.words));
    set.OfferFor("file", OfferFiles());
  }
  if (leaf.flags.format) {
    set.Text(&flags->format, {"format", 'o'}, "the format of output");
    set.OfferFor("format", OfferWords({{"yaml", ""}, {"json", ""}}));
  }
  if (leaf.flags.yes) {
    set.Bool(&flags->yes, {"yes", 'y'}, "do not ask before more than one is deleted");
  }
  if (leaf.flags.all_namespaces) {
    set.Bool(&flags->all_namespaces, {"all-namespaces", 'A'},
             StrCat("list ", kind.group, "s in all namespaces"));
  }
  if (leaf.flags.other_formats) AddFormatFlags(&flags->listing, &set);
  if (leaf.flags.listing) AddListingFlags(&flags->listing, &set);
  command.run = [flags, &kind, act = leaf.act](Session& session) {
    return act(session, kind, *flags);
  };
  return command;
}

}  // namespace bth::cli
