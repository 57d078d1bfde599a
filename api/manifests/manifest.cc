#include "api/manifests/manifest.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "api/manifests/yaml_json.h"
#include "base/status.h"
#include "base/strings.h"
#include "conf/value.h"

namespace bth::manifests {
namespace {

using types::Json;

// One document's text and where it begins.
struct Piece {
  std::string_view text;
  int line = 1;
};

bool IsSeparator(std::string_view line) {
  return line.substr(0, 3) == "---" &&
         (line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r');
}

// Splits at `---` lines. What stands behind `---` on its line belongs to the new document, and so
// does a preamble of directives and comments before it.
std::vector<Piece> SplitYaml(std::string_view text) {
  std::vector<Piece> pieces;
  size_t begin = 0;
  int begin_line = 1;
  int line = 1;
  bool directives = false;
  for (size_t at = 0; at < text.size(); ++line) {
    size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view row = text.substr(at, end - at);
    if (!row.empty() && row[0] == '%' && at == begin) directives = true;
    if (IsSeparator(row) && at != begin) {
      if (!directives) {
        pieces.push_back({text.substr(begin, at - begin), begin_line});
        begin = at;
        begin_line = line;
      }
      directives = false;
    }
    at = end + 1;
  }
  if (begin < text.size()) pieces.push_back({text.substr(begin), begin_line});
  return pieces;
}

// Splits a stream of JSON values by their brackets; what is wrong inside is the parser's to say.
std::vector<Piece> SplitJson(std::string_view text) {
  std::vector<Piece> pieces;
  size_t begin = 0;
  int begin_line = 1;
  int line = 1;
  int depth = 0;
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    if (c == '{' || c == '[') {
      if (depth++ == 0 && text.find_first_not_of(" \t\r\n", begin) == at) {
        begin = at;
        begin_line = line;
      }
    }
    if ((c == '}' || c == ']') && --depth == 0) {
      pieces.push_back({text.substr(begin, at + 1 - begin), begin_line});
      begin = at + 1;
      begin_line = line;
    }
  }
  if (text.find_first_not_of(" \t\r\n", begin) != std::string_view::npos) {
    pieces.push_back({text.substr(begin), begin_line});
  }
  return pieces;
}

// `line 3: text` of a document that begins at line 10 of its file becomes `line 12: text`.
std::string InFile(std::string_view message, int first_line) {
  absl::string_view rest = ToAbsl(message);
  int line = 0;
  if (absl::ConsumePrefix(&rest, "line ")) {
    const size_t colon = rest.find(':');
    if (colon != absl::string_view::npos && absl::SimpleAtoi(rest.substr(0, colon), &line)) {
      return StrCat("line ", line + first_line - 1, rest.substr(colon));
    }
  }
  return StrCat("line ", first_line, ": ", message);
}

absl::StatusOr<Json> ParseYamlPiece(const Piece& piece, const ManifestLimits& limits) {
  conf::YamlLimits yaml;
  yaml.bytes_max = limits.document_bytes_max;
  yaml.text_bytes_max = limits.document_bytes_max;
  yaml.values_max = limits.values_max;
  yaml.depth_max = limits.depth_max;
  const absl::StatusOr<conf::YamlDocument> document = conf::ParseYaml(piece.text, yaml);
  if (!document.ok()) {
    return absl::InvalidArgumentError(InFile(ToStd(document.status().message()), piece.line));
  }
  if (!document->duplicates.empty()) {
    const conf::DuplicateKey& twice = document->duplicates.front();
    return absl::InvalidArgumentError(StrCat("line ", twice.line + piece.line - 1, ": ", twice.path,
                                             ": given twice, first in line ",
                                             twice.first_line + piece.line - 1));
  }
  return JsonOf(document->root);
}

absl::StatusOr<Json> ParseJsonPiece(const Piece& piece, const ManifestLimits& limits) {
  auto json = Json::Parse(piece.text,
                          {.bytes_max = limits.document_bytes_max, .depth_max = limits.depth_max});
  if (json.ok()) return json;
  return Annotate(json.status(), StrCat("line ", piece.line));
}

// JSON begins `{"`; YAML in flow style seldom does. JSON has no line breaks inside of strings, so
// a separator line means YAML.
bool IsJson(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t open = text.find_first_not_of(kSpace);
  if (open == std::string_view::npos || text[open] != '{') return false;
  const size_t next = text.find_first_not_of(kSpace, open + 1);
  if (next == std::string_view::npos || (text[next] != '"' && text[next] != '}')) return false;
  return text.find("\n---") == std::string_view::npos;
}

using PieceParser = absl::StatusOr<Json> (*)(const Piece&, const ManifestLimits&);

absl::StatusOr<std::vector<Document>> ParsePieces(const std::vector<Piece>& pieces,
                                                  PieceParser parse, const ManifestLimits& limits) {
  if (pieces.size() > limits.documents_max) {
    return absl::InvalidArgumentError(StrCat("the text has ", pieces.size(), " documents; at most ",
                                             limits.documents_max, " are read"));
  }
  std::vector<Document> out;
  for (size_t i = 0; i < pieces.size(); ++i) {
    auto json = parse(pieces[i], limits);
    if (!json.ok()) return Annotate(json.status(), StrCat("document ", i + 1));
    if (json->is_null()) continue;
    out.push_back({*std::move(json), static_cast<int>(i + 1), pieces[i].line});
  }
  return out;
}

}  // namespace

absl::StatusOr<std::vector<Document>> ParseManifest(std::string_view text,
                                                    const ManifestLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return absl::InvalidArgumentError(
        StrCat("the text has ", text.size(), " bytes; at most ", limits.bytes_max, " are read"));
  }
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  return IsJson(text) ? ParsePieces(SplitJson(text), ParseJsonPiece, limits)
                      : ParsePieces(SplitYaml(text), ParseYamlPiece, limits);
}

absl::StatusOr<std::vector<Json>> ObjectsFromYaml(std::string_view text, std::string_view origin) {
  auto documents = ParseManifest(text);
  if (!documents.ok()) return Annotate(documents.status(), origin);
  std::vector<Json> out;
  for (Document& document : *documents) {
    if (!document.json.is_object()) {
      return absl::InvalidArgumentError(StrCat(origin, ": document ", document.number, ": line ",
                                               document.line, ": must be a map"));
    }
    out.push_back(std::move(document.json));
  }
  return out;
}

}  // namespace bth::manifests
