// Objects as they change, and a screen that is drawn anew.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/print/printer.h"
#include "cli/print/terminal.h"

namespace bth::cli {

enum class WatchEventType { kAdded, kModified, kDeleted };

// Prints one object after the other, as `kubectl get --watch` does: a row for each change, columns
// as wide as they ever were. With `with_events` (--output-watch-events) tables begin with EVENT,
// and what the other formats see is `{"type": …, "object": …}`, but for names. Thread: one.
class WatchPrinter {
 public:
  static absl::StatusOr<WatchPrinter> Create(std::string_view output, const PrintOptions& options,
                                             bool with_events);
  // Appends to `out`. `view` as in Objects; the same at each call.
  absl::Status Print(WatchEventType type, const types::Json& object, const TableView* view,
                     std::string& out);

 private:
  enum class Style { kObjects, kTableEvents, kJsonEvents, kYamlEvents, kValueEvents };
  WatchPrinter(Style style, std::unique_ptr<Printer> printer, const PrintOptions& options)
      : style_(style), printer_(std::move(printer)), options_(options) {}
  absl::Status PrintEvent(WatchEventType type, types::Json object, std::string& out);

  Style style_;
  std::unique_ptr<Printer> printer_;
  PrintOptions options_;
  bool has_printed_ = false;
};

// A block of lines that replaces itself on a terminal, for `top`. Elsewhere each block is printed
// below the one before, with an empty line between. Thread: one.
class LiveScreen {
 public:
  explicit LiveScreen(const Terminal& terminal) : terminal_(terminal) {}

  // Appends what makes `text` (whole lines) the block that is seen. What does not fit the height is
  // left out, and its last line says how much; lines must fit the width.
  void Draw(std::string_view text, std::string& out);
  // After the terminal was resized; what was drawn before stays where it is.
  void Resize(const Terminal& terminal);

 private:
  Terminal terminal_;
  int drawn_lines_ = 0;
  bool has_drawn_ = false;
};

}  // namespace bth::cli
