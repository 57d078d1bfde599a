// Objects as text for people and for scripts: what follows `-o`.
//
// The formats, their texts and their errors are those of kubectl 1.36. Nothing here reads a clock,
// a file or a terminal: what is needed of them comes with PrintOptions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "api/types/json.h"
#include "cli/print/table.h"
#include "cli/print/times.h"

namespace bth::cli {

struct PrintOptions {
  bool with_namespace = false;             // Tables: a first column NAMESPACE.
  bool show_labels = false;                // Tables: a last column LABELS.
  std::vector<std::string> label_columns;  // Tables: the values of these labels, a column each.
  bool no_headers = false;                 // Tables and custom columns.
  bool show_managed_fields = false;        // json and yaml; jsonpath sees them in any case.
  // Like kubectl's --allow-missing-template-keys: a path without a value prints nothing.
  bool allow_missing_keys = true;
  std::string sort_by;  // A path, as in `.metadata.name`; empty: the order given.
  bool colour = false;
  bool utf8 = true;  // Whether an ellipsis and lines may be used.
  int width = 0;     // Columns of the terminal; 0: not one, so that nothing is cut.
  absl::Time now;    // For ages.
  TimeForm time_form = TimeForm::kUsual;
  absl::TimeZone zone;  // Of times that are not ages.
  // Reads the file of jsonpath-file and custom-columns-file. Errors are the system's text, such as
  // "no such file or directory". Unset: those formats are refused.
  std::function<absl::StatusOr<std::string>(std::string_view path)> read_file;
};

// How objects of one kind become rows of a table.
struct TableView {
  std::vector<Column> columns;  // Without those of PrintOptions: namespace, labels.
  // One cell per column.
  std::function<std::vector<Cell>(const types::Json& object, const TimeStyle& times)> row;
};
// NAME and AGE: for kinds that nobody described.
TableView PlainView();

// What one command prints. Views live for the call.
struct Objects {
  absl::Span<const types::Json> items;
  // The one object that was asked for by name is printed as it is, others as `kind: List`.
  bool is_single = false;
  const TableView* view = nullptr;  // For tables; null: PlainView().
  std::string_view event = {};      // For tables: what stands in a first column EVENT, if anything.
};

// Thread: one. A printer remembers what it has printed: headers and document separators come once.
class Printer {
 public:
  virtual ~Printer() = default;
  // Appends to `out`. After an error `out` may hold what could be printed before it, as with
  // kubectl.
  virtual absl::Status Print(const Objects& objects, std::string& out) = 0;
};

// `output` is what follows `-o`: empty, wide, json, yaml, name, jsonpath=…, jsonpath-file=…,
// jsonpath-as-json=…, custom-columns=… or custom-columns-file=…. kInvalidArgument with kubectl's
// text.
absl::StatusOr<std::unique_ptr<Printer>> MakePrinter(std::string_view output,
                                                     const PrintOptions& options);

// `pod/a`, `job.batch.volcano.sh/a`: resource names as kubectl guesses them of a kind, with the
// group.
std::string NameOf(const types::Json& object);

}  // namespace bth::cli
