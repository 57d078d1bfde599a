#include "cli/jobflow/show.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/print/times.h"
#include "cli/print/yaml_text.h"
#include "cli/text/object.h"
#include "cli/text/ordered_json.h"
#include "cli/text/padded_table.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr size_t kAfterLongest = 4;  // Blanks behind the longest text of a column.

// In the order in which Go's structs have them.
constexpr std::string_view kObjectKeys[] = {"kind", "apiVersion", "metadata", "spec", "status"};
constexpr std::string_view kMetadataKeys[] = {"name",
                                              "generateName",
                                              "namespace",
                                              "selfLink",
                                              "uid",
                                              "resourceVersion",
                                              "generation",
                                              "creationTimestamp",
                                              "deletionTimestamp",
                                              "deletionGracePeriodSeconds",
                                              "labels",
                                              "annotations",
                                              "ownerReferences",
                                              "finalizers"};

// The members of these names, in this order; others are left out.
Json Ordered(const Json& object, absl::Span<const std::string_view> keys) {
  Json out = Json::MakeObject();
  for (const std::string_view key : keys) {
    if (const Json* value = object.Find(key)) out.Set(key, *value);
  }
  return out;
}

absl::Status NameIsMandatory(const FlowKind& kind) {
  return absl::InvalidArgumentError(
      StrCat("name is mandatory to get the particular ", kind.words, " details"));
}

}  // namespace

std::string FlowTable(const FlowKind& kind, const std::vector<Json>& flows, const TimeStyle& times,
                      const Terminal& terminal) {
  PaddedTable table;
  std::vector<std::vector<std::string>>& rows = table.lines;
  rows = {{"Name", "Namespace"}};
  if (kind.has_phase) table.phase = rows[0].size();
  if (kind.has_phase) rows[0].insert(rows[0].end(), {"Phase", "Age"});
  for (const Json& flow : flows) {
    std::vector<std::string>& row = rows.emplace_back();
    row.emplace_back(NameIn(flow));
    row.emplace_back(NamespaceIn(flow));
    if (!kind.has_phase) continue;
    row.emplace_back(flow.At({"status", "state", "phase"}).AsString());
    row.push_back(TimeText(CreatedIn(flow), times));
  }
  table.widths.assign(rows[0].size(), 0);
  for (const std::vector<std::string>& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      table.widths[i] = std::max(table.widths[i], row[i].size() + kAfterLongest);
    }
  }
  return PaddedTableText(table, terminal);
}

std::string FlowText(const FlowKind& kind, Json flow, std::string_view format) {
  const auto ensure = [&flow](std::initializer_list<std::string_view> path) {
    Json& part = flow.MutableAt(path);
    if (part.is_null()) part = Json::MakeObject();
  };
  ensure({"spec"});
  ensure({"status"});
  if (kind.has_phase) ensure({"status", "state"});
  flow.Set("metadata", Ordered(flow["metadata"], kMetadataKeys));
  if (format == "yaml") return YamlText(flow);
  if (format == "json") return StrCat(OrderedJson(Ordered(flow, kObjectKeys)), "\n");
  return StrCat("Unsupported format: ", format);
}

absl::Status ListFlows(Session& session, const FlowKind& kind, const FlowFlags& flags) {
  session.Apply(flags.listing.show);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  const std::string ns = flags.all_namespaces ? "" : flags.ns;
  const Selectors selectors = SelectorsOf(flags.listing);
  if (WantsOtherFormat(flags.listing)) {
    const auto passes = [](const Json&) { return true; };
    return ShowListing(session, *cluster, {{kind.type, ns, ""}, selectors, passes, kind.view()},
                       flags.listing);
  }
  BTH_ASSIGN_OR_RETURN(const ObjectList list, cluster->List({kind.type, ns, ""}, selectors));
  session.out() << (list.items.empty()
                        ? "No resources found\n"
                        : FlowTable(kind, list.items, session.times(), session.terminal()));
  return absl::OkStatus();
}

absl::Status GetFlow(Session& session, const FlowKind& kind, const FlowFlags& flags) {
  session.Apply(flags.listing.show);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (flags.name.empty()) return NameIsMandatory(kind);
  BTH_ASSIGN_OR_RETURN(Json flow, cluster->Get({kind.type, flags.ns, flags.name}));
  if (WantsOtherFormat(flags.listing)) {
    return ShowOne(session, kind.type, std::move(flow), kind.view(), flags.listing);
  }
  session.out() << FlowTable(kind, {flow}, session.times(), session.terminal());
  return absl::OkStatus();
}

absl::Status DescribeFlows(Session& session, const FlowKind& kind, const FlowFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (!flags.name.empty()) {
    BTH_ASSIGN_OR_RETURN(Json flow, cluster->Get({kind.type, flags.ns, flags.name}));
    flow.Set("apiVersion", kind.type.ApiVersion());
    flow.Set("kind", kind.type.kind);
    session.out() << FlowText(kind, std::move(flow), flags.format);
    return absl::OkStatus();
  }
  BTH_ASSIGN_OR_RETURN(ObjectList list, cluster->List({kind.type, flags.ns, ""}));
  bool first = true;
  for (Json& flow : list.items) {
    // Volcano's client does not know what the objects of a list are.
    flow.Erase("apiVersion");
    flow.Erase("kind");
    session.out() << (first ? "" : "\n\n") << FlowText(kind, std::move(flow), flags.format);
    first = false;
  }
  return absl::OkStatus();
}

}  // namespace bth::cli
