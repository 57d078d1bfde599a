#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/meta.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "cache/intake/compile.h"
#include "sim/trace/lines.h"
#include "sim/trace/read_trace.h"

namespace bth::trace {
namespace {

enum class Column : uint8_t {
  kSubmit,
  kDuration,
  kTasks,
  kMinAvailable,
  kQueue,
  kUser,
  kPriority,
  kName,
  kResource,
};
struct ColumnName {
  std::string_view text;
  Column column;
  std::string_view resource;
};
constexpr ColumnName kColumnNames[] = {
    {"submit", Column::kSubmit, ""},
    {"duration", Column::kDuration, ""},
    {"tasks", Column::kTasks, ""},
    {"min_available", Column::kMinAvailable, ""},
    {"minAvailable", Column::kMinAvailable, ""},
    {"cpu", Column::kResource, "cpu"},
    {"memory", Column::kResource, "memory"},
    {"gpu", Column::kResource, "nvidia.com/gpu"},
    {"queue", Column::kQueue, ""},
    {"user", Column::kUser, ""},
    {"priority", Column::kPriority, ""},
    {"name", Column::kName, ""},
};

struct ColumnOfFile {
  Column column = Column::kName;
  std::string name;
  std::string resource;
};

// Fields of a line, quoted or not. False: a quote that does not end, or text behind one.
bool SplitFields(std::string_view line, std::vector<std::string>* fields) {
  fields->clear();
  for (size_t at = 0;;) {
    std::string& field = fields->emplace_back();
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) return false;
        if (line[at] != '"') {
          field.push_back(line[at]);
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          field.push_back(line[++at]);
        } else {
          break;
        }
      }
      ++at;
      if (at < line.size() && line[at] != ',') return false;
    } else {
      const size_t end = std::min(line.find(',', at), line.size());
      field = line.substr(at, end - at);
      const size_t first = field.find_first_not_of(" \t");
      field = first == std::string::npos
                  ? ""
                  : field.substr(first, field.find_last_not_of(" \t") - first + 1);
      at = end;
    }
    if (at >= line.size()) return true;
    ++at;
  }
}

absl::StatusOr<ColumnOfFile> ColumnNamed(const std::string& name) {
  std::vector<std::string_view> known;
  for (const ColumnName& each : kColumnNames) {
    if (each.text == name) return ColumnOfFile{each.column, name, std::string(each.resource)};
    known.push_back(each.text);
  }
  if (name != "pods" && name.size() < 256 && model::IsCountedResource(name)) {
    return ColumnOfFile{Column::kResource, name, name};
  }
  return absl::InvalidArgumentError(StrCat("unknown column \"", name.substr(0, 80), "\"",
                                           DidYouMean(name.substr(0, 80), known), "; there are ",
                                           ListOf(known), ", and resources by their names"));
}

absl::StatusOr<std::vector<ColumnOfFile>> ParseHeader(const std::vector<std::string>& names) {
  std::vector<ColumnOfFile> columns;
  bool has_submit = false;
  bool has_duration = false;
  for (const std::string& name : names) {
    BTH_ASSIGN_OR_RETURN(ColumnOfFile column, ColumnNamed(name));
    for (const ColumnOfFile& other : columns) {
      const bool same = column.column == Column::kResource ? other.resource == column.resource
                                                           : other.column == column.column;
      if (same) return absl::InvalidArgumentError(StrCat("column \"", name, "\" comes twice"));
    }
    has_submit |= column.column == Column::kSubmit;
    has_duration |= column.column == Column::kDuration;
    columns.push_back(std::move(column));
  }
  if (has_submit && has_duration) return columns;
  return absl::InvalidArgumentError(
      "the first line must name the columns, submit and duration among them");
}

absl::Status TakeAmount(const ColumnOfFile& column, const std::string& text, JobLine* line) {
  if (text.empty()) return absl::OkStatus();
  auto quantity = types::Quantity::Parse(text);
  if (!quantity.ok()) {
    return absl::InvalidArgumentError(StrCat(column.name, ": \"", text.substr(0, 40),
                                             "\" is no quantity; such as 2, 500m or 16Gi"));
  }
  types::ResourceList list;
  list.Set(column.resource, *quantity);
  auto amounts = cache::CountedAmounts(list);
  if (!amounts.ok()) return Annotate(amounts.status(), column.name);
  for (auto& each : *amounts) {
    if (each.second > 0) line->request.push_back(std::move(each));
  }
  return absl::OkStatus();
}

absl::Status Take(const ColumnOfFile& column, const std::string& text, JobLine* line,
                  std::optional<int64_t>* min_available) {
  switch (column.column) {
    case Column::kSubmit: {
      BTH_ASSIGN_OR_RETURN(line->submit_s, ParseSeconds(column.name, text));
      break;
    }
    case Column::kDuration: {
      BTH_ASSIGN_OR_RETURN(line->run_s, ParseSeconds(column.name, text));
      break;
    }
    case Column::kTasks:
      if (!text.empty()) {
        BTH_ASSIGN_OR_RETURN(line->tasks, ParseCount(column.name, text));
      }
      break;
    case Column::kMinAvailable:
      if (!text.empty()) {
        BTH_ASSIGN_OR_RETURN(*min_available, ParseCount(column.name, text));
      }
      break;
    case Column::kQueue:
      if (!text.empty()) line->queue = text;
      break;
    case Column::kUser:
      line->user = text;
      break;
    case Column::kPriority:
      line->priority = text;
      break;
    case Column::kName:
      line->name = text;
      break;
    case Column::kResource:
      return TakeAmount(column, text, line);
  }
  return absl::OkStatus();
}

absl::Status AddCsvJob(const std::vector<ColumnOfFile>& columns,
                       const std::vector<std::string>& fields, TraceBuilder* builder) {
  if (fields.size() != columns.size()) {
    return absl::InvalidArgumentError(StrCat(fields.size(), " fields, where the first line names ",
                                             columns.size(),
                                             " columns; leave fields empty, not out"));
  }
  JobLine line;
  std::optional<int64_t> min_available;
  for (size_t i = 0; i < columns.size(); ++i) {
    BTH_RETURN_IF_ERROR(Take(columns[i], fields[i], &line, &min_available));
  }
  line.min_available = min_available.value_or(line.tasks);
  return builder->Add(line);
}

}  // namespace

absl::StatusOr<Trace> ReadCsv(std::istream& in, const ReadOptions& options) {
  TraceBuilder builder(options.file);
  LineReader lines(in, options.file);
  std::vector<ColumnOfFile> columns;
  std::vector<std::string> fields;
  std::string_view line;
  for (;;) {
    BTH_ASSIGN_OR_RETURN(const bool more, lines.Next(&line));
    if (!more) break;
    if (line.find_first_not_of(" \t") == std::string_view::npos || line[0] == '#') continue;
    if (!SplitFields(line, &fields)) {
      return lines.Refuse("a quoted field does not end; write \"\" for a quote inside one");
    }
    if (columns.empty()) {
      auto header = ParseHeader(fields);
      if (!header.ok()) return lines.Here(header.status());
      columns = *std::move(header);
    } else if (const absl::Status added = AddCsvJob(columns, fields, &builder); !added.ok()) {
      return lines.Here(added);
    }
  }
  return builder.Build();
}

}  // namespace bth::trace
