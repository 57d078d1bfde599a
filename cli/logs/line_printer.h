// Pieces of a text as whole lines, each behind the name of where it comes from.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace bth::cli {

// Without a prefix pieces are passed on as they come. With one, lines of several printers do not
// run into each other: what has no end yet is held back, 1 MiB at most. Writes and flushes at each
// piece, so that a slow reader slows down the server. `out` outlives it. Thread: one.
class LinePrinter final {
 public:
  LinePrinter(std::ostream& out, std::string prefix) : out_(out), prefix_(std::move(prefix)) {}

  void Take(std::string_view piece);
  // The text is over: a line without an end gets one.
  void Finish();

 private:
  void EndLine();

  std::ostream& out_;
  const std::string prefix_;
  std::string partial_;
};

}  // namespace bth::cli
