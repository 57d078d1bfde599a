// Objects as rows: the default format and `-o wide`. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "cli/print/printer.h"

namespace bth::cli {

// Thread: one.
class TablePrinter final : public Printer {
 public:
  TablePrinter(const PrintOptions& options, bool wide);
  absl::Status Print(const Objects& objects, std::string& out) override;

 private:
  Table TableOf(const Objects& objects, const TableView& view) const;

  const PrintOptions options_;
  TableStyle style_;
  std::vector<std::string> printed_headers_;
  ColumnWidths widths_;
};

}  // namespace bth::cli
