// What the `list` and `get` leaves can do beyond Volcano's: other formats, selectors, following.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/command/flag_set.h"
#include "cli/print/printer.h"
#include "cli/session/cluster.h"
#include "cli/session/session.h"

namespace bth::cli {

struct ListingFlags {
  std::string output;
  std::string sort_by;
  std::string labels;
  std::string fields;
  std::string label_columns;  // Names of labels, with commas between them.
  bool no_headers = false;
  bool show_labels = false;
  bool watch = false;
  ShowFlags show;
};

// -o, --sort-by, --no-headers, --show-labels, --label-columns, --color, --time.
void AddFormatFlags(ListingFlags* target, FlagSet* flags);
// These, and -l, --field-selector, --watch.
void AddListingFlags(ListingFlags* target, FlagSet* flags);

// False: Volcano's own table is wanted.
bool WantsOtherFormat(const ListingFlags& flags);

inline Selectors SelectorsOf(const ListingFlags& flags) {
  return {flags.labels, flags.fields};
}

// What is listed: objects of `target` that pass.
struct Listing {
  Target target;
  Selectors selectors;
  std::function<bool(const types::Json&)> passes;
  TableView view;
  // An error about any object of the list ends it before something is printed. Not asked when
  // changes are followed.
  std::function<absl::Status(const types::Json&)> check{};
};

// Reads, and with --watch follows until the user ends the program. Nothing found is told on stderr,
// since stdout may be read by a program.
absl::Status ShowListing(Session& session, Cluster& cluster, const Listing& listing,
                         const ListingFlags& flags);

// One object, for `get`.
absl::Status ShowOne(Session& session, const types::ResourceType& type, types::Json object,
                     const TableView& view, const ListingFlags& flags);

}  // namespace bth::cli
