#include "cli/print/printer.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/print/custom_columns.h"
#include "cli/print/go_text.h"
#include "cli/print/json_text.h"
#include "cli/print/jsonpath/evaluate.h"
#include "cli/print/sorting.h"
#include "cli/print/tab_writer.h"
#include "cli/print/table_printer.h"
#include "cli/print/yaml_text.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr size_t kJsonPathBytesMax = size_t{256} << 20;
constexpr size_t kDumpBytesMax = size_t{16} << 10;
constexpr std::string_view kFormats =
    "custom-columns,custom-columns-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,wide,"
    "yaml";

absl::Status RefuseOutput(std::string_view why) {
  return absl::InvalidArgumentError(ToAbsl(why));
}

void DropManagedFields(Json* object) {
  Json* const metadata = object->Find("metadata");
  if (metadata != nullptr) metadata->Erase("managedFields");
}

// The one value that is printed: the object, or all of them as a list.
absl::StatusOr<Json> WholeOf(const Objects& objects, const PrintOptions& options,
                             bool keeps_managed_fields) {
  const bool keeps = keeps_managed_fields || options.show_managed_fields;
  if (objects.is_single && objects.items.size() == 1) {
    Json whole = objects.items[0];
    if (!keeps) DropManagedFields(&whole);
    return whole;
  }
  BTH_ASSIGN_OR_RETURN(const std::vector<size_t> order, OrderBy(options.sort_by, objects.items));
  Json::Array items;
  items.reserve(order.size());
  for (const size_t i : order) {
    items.push_back(objects.items[i]);
    if (!keeps) DropManagedFields(&items.back());
  }
  return Json::MakeObject({{"apiVersion", "v1"},
                           {"items", Json(std::move(items))},
                           {"kind", "List"},
                           {"metadata", Json::MakeObject({{"resourceVersion", ""}})}});
}

absl::Status CheckHasKind(const Json& object) {
  const bool has_some =
      !object["apiVersion"].AsString().empty() || !object["kind"].AsString().empty();
  if (has_some) return absl::OkStatus();
  return RefuseOutput(
      "missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type");
}

class JsonPrinter final : public Printer {
 public:
  explicit JsonPrinter(PrintOptions options) : options_(std::move(options)) {}
  absl::Status Print(const Objects& objects, std::string& out) override {
    BTH_ASSIGN_OR_RETURN(const Json whole, WholeOf(objects, options_, false));
    BTH_RETURN_IF_ERROR(CheckHasKind(whole));
    StrAppend(&out, IndentedJson(whole), "\n");
    return absl::OkStatus();
  }

 private:
  const PrintOptions options_;
};

class YamlPrinter final : public Printer {
 public:
  explicit YamlPrinter(PrintOptions options) : options_(std::move(options)) {}
  absl::Status Print(const Objects& objects, std::string& out) override {
    BTH_ASSIGN_OR_RETURN(const Json whole, WholeOf(objects, options_, false));
    BTH_RETURN_IF_ERROR(CheckHasKind(whole));
    StrAppend(&out, has_printed_ ? "---\n" : "", YamlText(whole));
    has_printed_ = true;
    return absl::OkStatus();
  }

 private:
  const PrintOptions options_;
  bool has_printed_ = false;
};

class NamePrinter final : public Printer {
 public:
  explicit NamePrinter(PrintOptions options) : options_(std::move(options)) {}
  absl::Status Print(const Objects& objects, std::string& out) override {
    BTH_ASSIGN_OR_RETURN(const std::vector<size_t> order, OrderBy(options_.sort_by, objects.items));
    for (const size_t i : order) {
      const Json& object = objects.items[i];
      BTH_RETURN_IF_ERROR(CheckHasKind(object));
      StrAppend(&out, NameOf(object), "\n");
    }
    return absl::OkStatus();
  }

 private:
  const PrintOptions options_;
};

class JsonPathPrinter final : public Printer {
 public:
  JsonPathPrinter(std::string text, jsonpath::Template program, bool as_json, PrintOptions options)
      : text_(std::move(text)),
        program_(std::move(program)),
        as_json_(as_json),
        options_(std::move(options)) {}
  absl::Status Print(const Objects& objects, std::string& out) override {
    BTH_ASSIGN_OR_RETURN(const Json whole, WholeOf(objects, options_, true));
    absl::Status status = Run(whole, out);
    if (status.ok()) return status;
    return absl::InvalidArgumentError(StrCat(
        "error executing jsonpath ", GoQuote(text_),
        ": Error executing template: ", ToStd(status.message()),
        ". Printing more information for debugging the template:\n", "\ttemplate was:\n\t\t", text_,
        "\n\tobject given to jsonpath engine was:\n\t\t", GoSyntax(whole, kDumpBytesMax), "\n"));
  }

 private:
  absl::Status Run(const Json& whole, std::string& out) const {
    jsonpath::EvaluateOptions options;
    options.allow_missing_keys = options_.allow_missing_keys;
    BTH_ASSIGN_OR_RETURN(const auto results, jsonpath::Evaluate(program_, whole, options));
    return as_json_ ? jsonpath::PrintResultsAsJson(results, kJsonPathBytesMax, out)
                    : jsonpath::PrintResults(results, kJsonPathBytesMax, out);
  }

  const std::string text_;
  const jsonpath::Template program_;
  const bool as_json_;
  const PrintOptions options_;
};

class CustomColumnsPrinter final : public Printer {
 public:
  CustomColumnsPrinter(std::vector<CustomColumn> columns, bool no_headers, PrintOptions options)
      : columns_(std::move(columns)), no_headers_(no_headers), options_(std::move(options)) {}
  absl::Status Print(const Objects& objects, std::string& out) override {
    BTH_ASSIGN_OR_RETURN(const std::vector<size_t> order, OrderBy(options_.sort_by, objects.items));
    if (!no_headers_ && !has_printed_headers_) {
      std::string line;
      for (const CustomColumn& column : columns_) {
        StrAppend(&line, line.empty() ? "" : "\t", column.header);
      }
      writer_.Write(line + "\n");
      has_printed_headers_ = true;
    }
    absl::Status status;
    for (const size_t i : order) {
      std::string line;
      status = AppendCustomRow(columns_, objects.items[i], &line);
      if (!status.ok()) break;
      writer_.Write(line);
    }
    writer_.Flush(out);
    return status;
  }

 private:
  const std::vector<CustomColumn> columns_;
  const bool no_headers_;
  const PrintOptions options_;
  bool has_printed_headers_ = false;
  TabWriter writer_;
};

// `name=argument` or `name` alone.
struct Format {
  std::string_view name, argument;
};

Format Split(std::string_view output) {
  const size_t sign = output.find('=');
  if (sign == std::string_view::npos) return {output, {}};
  return {output.substr(0, sign), output.substr(sign + 1)};
}

absl::StatusOr<std::string> ReadTemplate(const PrintOptions& options, std::string_view path,
                                         std::string_view doing) {
  const std::string opening = StrCat(doing, " ", path, ", open ", path);
  if (!options.read_file) return RefuseOutput(opening + ": files cannot be read here");
  absl::StatusOr<std::string> text = options.read_file(path);
  return text.ok() ? text : Annotate(text.status(), opening);
}

absl::StatusOr<std::unique_ptr<Printer>> MakeJsonPathPrinter(const Format& format,
                                                             const PrintOptions& options) {
  if (format.argument.empty()) {
    return RefuseOutput("template format specified but no template given");
  }
  std::string text(format.argument);
  if (format.name == "jsonpath-file") {
    BTH_ASSIGN_OR_RETURN(text, ReadTemplate(options, text, "error reading --template"));
  }
  auto program = jsonpath::Template::Parse(text);
  if (!program.ok()) {
    return RefuseOutput(
        StrCat("error parsing jsonpath ", text, ", ", ToStd(program.status().message())));
  }
  return std::make_unique<JsonPathPrinter>(std::move(text), *std::move(program),
                                           format.name == "jsonpath-as-json", options);
}

absl::StatusOr<std::unique_ptr<Printer>> MakeColumnsPrinter(const Format& format,
                                                            const PrintOptions& options) {
  if (format.name == "custom-columns" || format.argument.empty()) {
    BTH_ASSIGN_OR_RETURN(auto columns, ParseCustomColumns(format.argument));
    return std::make_unique<CustomColumnsPrinter>(std::move(columns), options.no_headers, options);
  }
  BTH_ASSIGN_OR_RETURN(const std::string text,
                       ReadTemplate(options, format.argument, "error reading template"));
  BTH_ASSIGN_OR_RETURN(auto columns, ParseCustomColumnsFile(text));
  // As with kubectl, headers from a file are always printed.
  return std::make_unique<CustomColumnsPrinter>(std::move(columns), false, options);
}

}  // namespace

std::string NameOf(const Json& object) {
  std::string kind = AsciiStrToLower(object["kind"].AsString());
  const std::string_view version = object["apiVersion"].AsString();
  const size_t slash = version.find('/');
  if (slash != std::string_view::npos) StrAppend(&kind, ".", version.substr(0, slash));
  const std::string_view name = object.At({"metadata", "name"}).AsString();
  return StrCat(kind, "/", name.empty() ? std::string_view("<unknown>") : name);
}

absl::StatusOr<std::unique_ptr<Printer>> MakePrinter(std::string_view output,
                                                     const PrintOptions& options) {
  const std::string small = AsciiStrToLower(output);
  if (small == "json") return std::make_unique<JsonPrinter>(options);
  if (small == "yaml") return std::make_unique<YamlPrinter>(options);
  if (output.empty() || output == "wide") {
    return std::make_unique<TablePrinter>(options, output == "wide");
  }
  if (small == "name") return std::make_unique<NamePrinter>(options);
  const Format format = Split(output);
  if (format.name == "jsonpath" || format.name == "jsonpath-file" ||
      format.name == "jsonpath-as-json") {
    return MakeJsonPathPrinter(format, options);
  }
  if (format.name == "custom-columns" || format.name == "custom-columns-file") {
    return MakeColumnsPrinter(format, options);
  }
  return RefuseOutput(StrCat("unable to match a printer suitable for the output format ",
                             GoQuote(output), ", allowed formats are: ", kFormats));
}

}  // namespace bth::cli
