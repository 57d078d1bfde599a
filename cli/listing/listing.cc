#include "cli/listing/listing.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/print/watch.h"
#include "cli/session/follow.h"
#include "cli/session/user_file.h"

namespace bth::cli {
namespace {

using types::Json;

PrintOptions OptionsOf(const Session& session, const Target& target, const ListingFlags& flags) {
  PrintOptions options;
  options.with_namespace = target.type.namespaced && target.ns.empty();
  options.show_labels = flags.show_labels;
  for (const absl::string_view label : SplitText(flags.label_columns, ',', absl::SkipEmpty())) {
    options.label_columns.emplace_back(label);
  }
  options.no_headers = flags.no_headers;
  options.sort_by = flags.sort_by;
  options.colour = session.terminal().colour;
  options.utf8 = session.terminal().utf8;
  options.width = session.terminal().width;
  options.now = session.now();
  options.time_form = session.times().form;
  options.zone = session.zone();
  options.read_file = [](std::string_view path) { return ReadUserFile(std::string(path)); };
  return options;
}

// Servers leave kind and version out of the items of some lists.
void Complete(const types::ResourceType& type, Json* object) {
  object->Set("apiVersion", type.ApiVersion());
  object->Set("kind", type.kind);
}

WatchEventType TypeOfChange(const Change& change) {
  if (change.type == "ADDED") return WatchEventType::kAdded;
  return change.type == "DELETED" ? WatchEventType::kDeleted : WatchEventType::kModified;
}

absl::Status FollowListing(Session& session, Cluster& cluster, const Listing& listing,
                           const ListingFlags& flags) {
  const PrintOptions options = OptionsOf(session, listing.target, flags);
  BTH_ASSIGN_OR_RETURN(WatchPrinter printer, WatchPrinter::Create(flags.output, options, false));
  absl::Status printed;
  const auto show = [&](Change change) {
    if (!listing.passes(change.object)) return true;
    Complete(listing.target.type, &change.object);
    std::string out;
    printed = printer.Print(TypeOfChange(change), change.object, &listing.view, out);
    session.out() << out << std::flush;
    return printed.ok();
  };
  const Follower follower = {[&show](std::vector<Json> items) {
                               for (Json& item : items) {
                                 if (!show({"ADDED", std::move(item)})) return false;
                               }
                               return true;
                             },
                             show};
  BTH_RETURN_IF_ERROR(
      Follow(cluster, listing.target, listing.selectors, absl::InfiniteDuration(), follower));
  return printed;
}

absl::Status PrintAll(Session& session, const Target& target, const Objects& objects,
                      const ListingFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Printer> printer,
                       MakePrinter(flags.output, OptionsOf(session, target, flags)));
  std::string out;
  absl::Status printed = printer->Print(objects, out);
  session.out() << out;
  return printed;
}

}  // namespace

void AddFormatFlags(ListingFlags* target, FlagSet* flags) {
  flags->Text(&target->output, {"output", 'o'},
              "the format of output: wide, json, yaml, name, jsonpath=..., custom-columns=...");
  flags->OfferFor("output",
                  OfferWords({{"wide", "a table with more columns"},
                              {"json", "objects as they are"},
                              {"yaml", "objects as they are"},
                              {"name", "kind and name"},
                              {"jsonpath=", "a template, as {.items[*].metadata.name}"},
                              {"jsonpath-as-json=", "what a template finds, as JSON"},
                              {"jsonpath-file=", "a template in a file"},
                              {"custom-columns=", "titles and paths, as N:.metadata.name"},
                              {"custom-columns-file=", "titles and paths in a file"}}));
  flags->Text(&target->sort_by, {"sort-by"},
              "a path such as .metadata.name, in whose order to list");
  flags->OfferFor("sort-by", OfferWords({{".metadata.name", ""},
                                         {".metadata.creationTimestamp", ""},
                                         {".status.state.phase", ""}}));
  flags->Bool(&target->no_headers, {"no-headers"}, "do not print the titles of columns");
  flags->Bool(&target->show_labels, {"show-labels"}, "show all labels as the last column");
  flags->Text(&target->label_columns, {"label-columns", 'L'},
              "show these labels as columns: app,team");
  AddColourFlag(&target->show, flags);
  AddTimeFlag(&target->show, flags);
}

void AddListingFlags(ListingFlags* target, FlagSet* flags) {
  AddFormatFlags(target, flags);
  flags->Text(&target->labels, {"label-selector", 'l'}, "list what has these labels: a=b,c!=d");
  flags->Text(&target->fields, {"field-selector"}, "list what has these fields: metadata.name=a");
  flags->Bool(&target->watch, {"watch", 'w'}, "show changes after the list, until interrupted");
}

bool WantsOtherFormat(const ListingFlags& flags) {
  return !flags.output.empty() || !flags.sort_by.empty() || !flags.label_columns.empty() ||
         flags.no_headers || flags.show_labels || flags.watch;
}

absl::Status ShowListing(Session& session, Cluster& cluster, const Listing& listing,
                         const ListingFlags& flags) {
  if (flags.watch) return FollowListing(session, cluster, listing, flags);
  BTH_ASSIGN_OR_RETURN(ObjectList list, cluster.List(listing.target, listing.selectors));
  for (const Json& item : list.items) {
    if (listing.check) BTH_RETURN_IF_ERROR(listing.check(item));
  }
  std::erase_if(list.items, [&listing](const Json& object) { return !listing.passes(object); });
  for (Json& item : list.items) Complete(listing.target.type, &item);
  const bool is_table = flags.output.empty() || flags.output == "wide";
  if (list.items.empty() && is_table) {
    session.err() << "No resources found\n";
    return absl::OkStatus();
  }
  return PrintAll(session, listing.target, {list.items, false, &listing.view}, flags);
}

absl::Status ShowOne(Session& session, const types::ResourceType& type, Json object,
                     const TableView& view, const ListingFlags& flags) {
  Complete(type, &object);
  const std::string name(object.At({"metadata", "name"}).AsString());
  const Target target{type, std::string(object.At({"metadata", "namespace"}).AsString()), name};
  return PrintAll(session, target, {absl::MakeConstSpan(&object, 1), true, &view}, flags);
}

}  // namespace bth::cli
