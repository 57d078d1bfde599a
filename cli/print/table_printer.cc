#include "cli/print/table_printer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/print/go_text.h"
#include "cli/print/sorting.h"
#include "cli/print/times.h"

namespace bth::cli {
namespace {

using types::Json;

// What `-L example.com/team` is headed by: TEAM.
std::string LabelHeader(const std::string& label) {
  const size_t slash = label.rfind('/');
  return absl::AsciiStrToUpper(slash == std::string::npos ? label : label.substr(slash + 1));
}

std::string LabelOf(const Json& object, const std::string& label) {
  const Json* const value = object.At({"metadata", "labels"}).Find(label);
  return value == nullptr ? "<none>" : std::string(value->AsString());
}

std::string AllLabelsOf(const Json& object) {
  std::string text;
  for (const Json::Member* label : SortedMembers(object.At({"metadata", "labels"}))) {
    StrAppend(&text, text.empty() ? "" : ",", label->first, "=", label->second.AsString());
  }
  return text.empty() ? "<none>" : text;
}

}  // namespace

TableView PlainView() {
  TableView view;
  view.columns = {{"NAME"}, {"AGE"}};
  view.row = [](const Json& object, const TimeStyle& times) {
    const Json& metadata = object["metadata"];
    return std::vector<Cell>{{std::string(metadata["name"].AsString())},
                             {TimeText(metadata["creationTimestamp"].AsString(), times)}};
  };
  return view;
}

TablePrinter::TablePrinter(const PrintOptions& options, bool wide) : options_(options) {
  style_.no_headers = options.no_headers;
  style_.wide = wide;
  style_.colour = options.colour;
  style_.utf8 = options.utf8;
  style_.width = options.width;
}

Table TablePrinter::TableOf(const Objects& objects, const TableView& view) const {
  Table table;
  if (!objects.event.empty()) table.columns.push_back({"EVENT"});
  if (options_.with_namespace) table.columns.push_back({"NAMESPACE"});
  table.columns.insert(table.columns.end(), view.columns.begin(), view.columns.end());
  for (const std::string& label : options_.label_columns) {
    table.columns.push_back({LabelHeader(label)});
  }
  if (options_.show_labels) table.columns.push_back({"LABELS", Align::kLeft, false, 9, 12});
  const TimeStyle times = {options_.now, options_.time_form, options_.zone};
  for (const Json& object : objects.items) {
    std::vector<Cell> row;
    if (!objects.event.empty()) row.push_back({std::string(objects.event)});
    if (options_.with_namespace) {
      row.push_back({std::string(object.At({"metadata", "namespace"}).AsString())});
    }
    std::vector<Cell> cells = view.row(object, times);
    cells.resize(view.columns.size());
    std::move(cells.begin(), cells.end(), std::back_inserter(row));
    for (const std::string& label : options_.label_columns) row.push_back({LabelOf(object, label)});
    if (options_.show_labels) row.push_back({AllLabelsOf(object)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

absl::Status TablePrinter::Print(const Objects& objects, std::string& out) {
  const TableView plain = objects.view == nullptr ? PlainView() : TableView();
  Table table = TableOf(objects, objects.view == nullptr ? plain : *objects.view);
  BTH_ASSIGN_OR_RETURN(const std::vector<size_t> order, OrderBy(options_.sort_by, objects.items));
  std::vector<std::vector<Cell>> rows;
  for (const size_t i : order) rows.push_back(std::move(table.rows[i]));
  table.rows = std::move(rows);
  std::vector<std::string> headers;
  for (const Column& column : table.columns) headers.push_back(column.name);
  // The same columns again are rows that came later: of a watch.
  TableStyle style = style_;
  if (headers == printed_headers_) {
    style.no_headers = true;
  } else {
    widths_.clear();
  }
  if (!table.rows.empty()) printed_headers_ = std::move(headers);
  PrintTable(table, style, out, &widths_);
  return absl::OkStatus();
}

}  // namespace bth::cli
