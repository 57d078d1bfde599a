#include "cli/logs/line_printer.h"

namespace bth::cli {
namespace {

constexpr size_t kHeldBytesMax = size_t{1} << 20;

}  // namespace

void LinePrinter::Take(std::string_view piece) {
  if (prefix_.empty()) {
    out_ << piece << std::flush;
    return;
  }
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    partial_.append(piece.substr(0, end));
    piece.remove_prefix(end == std::string_view::npos ? piece.size() : end + 1);
    if (end != std::string_view::npos || partial_.size() >= kHeldBytesMax) EndLine();
  }
  out_ << std::flush;
}

void LinePrinter::Finish() {
  if (!partial_.empty()) EndLine();
  out_ << std::flush;
}

void LinePrinter::EndLine() {
  out_ << prefix_ << partial_ << "\n";
  partial_.clear();
}

}  // namespace bth::cli
