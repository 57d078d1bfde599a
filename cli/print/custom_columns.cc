#include "cli/print/custom_columns.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/print/go_text.h"
#include "cli/print/jsonpath/evaluate.h"
#include "cli/print/plain_text.h"

namespace bth::cli {
namespace {

absl::Status RefuseColumns(std::string_view why) {
  return absl::InvalidArgumentError(ToAbsl(why));
}

absl::StatusOr<CustomColumn> MakeColumn(std::string_view header, std::string_view spec) {
  BTH_ASSIGN_OR_RETURN(const std::string path, jsonpath::RelaxedPath(spec));
  BTH_ASSIGN_OR_RETURN(jsonpath::Template parsed, jsonpath::Template::Parse(path));
  return CustomColumn{std::string(header), std::move(parsed)};
}

absl::Status CheckCount(size_t count) {
  if (count <= kCustomColumnsMax) return absl::OkStatus();
  return RefuseColumns(StrCat(count, " columns; at most ", kCustomColumnsMax, " are printed"));
}

std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  static constexpr std::string_view kBlanks = " \t\v\f\r";
  for (size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

// Cuts the first line off; false when there is none.
bool TakeLine(std::string_view* text, std::string_view* line) {
  if (text->empty()) return false;
  const size_t end = text->find('\n');
  *line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return true;
}

}  // namespace

absl::StatusOr<std::vector<CustomColumn>> ParseCustomColumns(std::string_view spec) {
  if (spec.empty()) {
    return RefuseColumns("custom-columns format specified but no custom columns given");
  }
  const std::vector<absl::string_view> parts = SplitText(spec, ',');
  BTH_RETURN_IF_ERROR(CheckCount(parts.size()));
  std::vector<CustomColumn> columns;
  for (const absl::string_view part : parts) {
    const size_t colon = part.find(':');
    if (colon == absl::string_view::npos) {
      return RefuseColumns(StrCat("unexpected custom-columns spec: ", ToStd(part),
                                  ", expected <header>:<json-path-expr>"));
    }
    BTH_ASSIGN_OR_RETURN(CustomColumn column,
                         MakeColumn(ToStd(part.substr(0, colon)), ToStd(part.substr(colon + 1))));
    columns.push_back(std::move(column));
  }
  return columns;
}

absl::StatusOr<std::vector<CustomColumn>> ParseCustomColumnsFile(std::string_view text) {
  static constexpr std::string_view kExpected =
      " line. Expected format is one line of space separated headers, one line of space separated "
      "column specs.";
  std::string_view header_line, spec_line;
  if (!TakeLine(&text, &header_line)) {
    return RefuseColumns(StrCat("invalid template, missing header", kExpected));
  }
  if (!TakeLine(&text, &spec_line)) {
    return RefuseColumns(StrCat("invalid template, missing spec", kExpected));
  }
  const std::vector<std::string_view> headers = WordsOf(header_line), specs = WordsOf(spec_line);
  if (headers.size() != specs.size()) {
    return RefuseColumns(StrCat("number of headers (", headers.size(),
                                ") and field specifications (", specs.size(), ") don't match"));
  }
  BTH_RETURN_IF_ERROR(CheckCount(headers.size()));
  std::vector<CustomColumn> columns;
  for (size_t i = 0; i < headers.size(); ++i) {
    BTH_ASSIGN_OR_RETURN(CustomColumn column, MakeColumn(headers[i], specs[i]));
    columns.push_back(std::move(column));
  }
  return columns;
}

absl::Status AppendCustomRow(const std::vector<CustomColumn>& columns, const types::Json& object,
                             std::string* out) {
  for (size_t i = 0; i < columns.size(); ++i) {
    jsonpath::EvaluateOptions options;
    options.allow_missing_keys = true;
    BTH_ASSIGN_OR_RETURN(const std::vector<jsonpath::Results> found,
                         jsonpath::Evaluate(columns[i].path, object, options));
    if (i > 0) out->push_back('\t');
    bool first = true;
    if (found.empty() || found[0].empty()) {
      out->append("<none>");
      first = false;
    }
    for (const jsonpath::Results& piece : found) {
      for (const jsonpath::Result& result : piece) {
        if (!first) out->push_back(',');
        first = false;
        out->append(EscapeTerminal(GoPrint(result.value())));
      }
    }
  }
  out->push_back('\n');
  return absl::OkStatus();
}

}  // namespace bth::cli
