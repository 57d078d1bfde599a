// What kubectl printed, recorded by kubectl/record.py, is what we print.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "api/types/json.h"
#include "cli/print/printer.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace {

using bth::types::Json;
namespace cli = bth::cli;

// The folder with what was recorded.
std::string KubectlFile(const std::string& name) {
  return (std::filesystem::path(__FILE__).parent_path() / "kubectl" / name).string();
}

Json ReadJson(const std::string& text) {
  const auto json = Json::Parse(text);
  REQUIRE(json.ok());
  return *json;
}

struct Run {
  std::string out, error;
};

bool EndsInLineBreak(const std::string& text) {
  return !text.empty() && text.back() == '\n';
}

// The flags of one case.
std::string ReadFlags(const Json& args, cli::PrintOptions* options) {
  std::string output;
  for (const Json& arg : args.items()) {
    const std::string text(arg.AsString());
    if (text.rfind("--sort-by=", 0) == 0) {
      options->sort_by = text.substr(10);
    } else if (text == "--allow-missing-template-keys=false") {
      options->allow_missing_keys = false;
    } else if (text == "--show-managed-fields") {
      options->show_managed_fields = true;
    } else if (text == "--no-headers") {
      options->no_headers = true;
    } else if (text != "-o") {
      output = text;
    }
  }
  return output;
}

Run RunCase(const Json& answer, const Json& recorded) {
  cli::PrintOptions options;
  const std::string output = ReadFlags(answer["args"], &options);
  options.read_file = [&recorded](std::string_view path) -> absl::StatusOr<std::string> {
    if (path.rfind("columns-", 0) != 0) return absl::NotFoundError("no such file or directory");
    const size_t number = static_cast<size_t>(std::stoi(std::string(path.substr(8))));
    return std::string(recorded["column_files"][number].AsString());
  };
  Run run;
  const Json& all = recorded["sets"][answer["set"].AsString()];
  Json::Array items;
  for (const Json& item : all.items()) {
    const std::string_view wanted = answer["name"].AsString();
    if (wanted.empty() || item.At({"metadata", "name"}).AsString() == wanted) items.push_back(item);
  }
  auto printer = cli::MakePrinter(output, options);
  absl::Status status = printer.status();
  if (status.ok()) {
    cli::Objects objects;
    objects.items = items;
    objects.is_single = !answer["name"].AsString().empty();
    status = (*printer)->Print(objects, run.out);
  }
  if (!status.ok()) run.error = "error: " + std::string(status.message());
  return run;
}

// kubectl ends errors with one or more line breaks, and leaves out what was cut when recorded.
bool SameError(std::string theirs, const std::string& ours) {
  while (EndsInLineBreak(theirs)) theirs.pop_back();
  std::string mine = ours;
  while (EndsInLineBreak(mine)) mine.pop_back();
  const std::string mark = "object given to jsonpath engine was:\n\t\t";
  const bool was_cut = theirs.size() > mark.size() &&
                       theirs.compare(theirs.size() - mark.size(), std::string::npos, mark) == 0;
  return was_cut ? mine.rfind(theirs, 0) == 0 : mine == theirs;
}

// kubectl's formats that are not ours.
std::string WithoutForeignFormats(std::string error) {
  for (const std::string format :
       {"go-template,", "go-template-file,", "kyaml,", "template,", "templatefile,"}) {
    const size_t at = error.find("," + format);
    if (at != std::string::npos) error.erase(at + 1, format.size());
  }
  return error;
}

TEST_CASE("printers: texts and errors are those of kubectl", "[cli][golden]") {
  const Json recorded = ReadJson(bth::test::ReadFile(KubectlFile("objects.json")));
  int count = 0;
  for (const auto line :
       absl::StrSplit(bth::test::ReadFile(KubectlFile("answers.jsonl")), '\n', absl::SkipEmpty())) {
    const Json answer = ReadJson(std::string(line));
    ++count;
    const Run run = RunCase(answer, recorded);
    CAPTURE(answer["set"].AsString(), answer["args"].Dump());
    const std::string error = WithoutForeignFormats(std::string(answer["err"].AsString()));
    CHECK(run.out == std::string(answer["out"].AsString()));
    if (!SameError(error, run.error)) CHECK(run.error == error);
  }
  CHECK(count > 300);
}

}  // namespace
