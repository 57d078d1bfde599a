#include "page/page.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/strings.h"
#include "net/pem.h"
#include "net/text_response.h"
#include "page/assets.h"

namespace bth::page {
namespace {

constexpr std::string_view kFirstFile = "index.html";
constexpr size_t kTagLetters = 32;

// Nothing from elsewhere, nothing inline, and no text ever becomes markup or code.
constexpr char kContentPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

// A file as it is sent.
struct File {
  std::string_view type;
  std::string_view text;
  std::string tag;  // As in ETag, with its quotes.
};
using Files = std::map<std::string, File, std::less<>>;

std::string_view TypeOf(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".svg", "image/svg+xml"}};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

std::shared_ptr<const Files> ReadFiles() {
  Files files;
  for (const Asset& asset : Assets()) {
    const std::string tag = net::Sha256Hex(asset.text).substr(0, kTagLetters);
    files.emplace(asset.name, File{TypeOf(asset.name), asset.text, StrCat("\"", tag, "\"")});
  }
  return std::make_shared<const Files>(std::move(files));
}

// Whether the browser has the file already: If-None-Match names its tag, or is "*".
bool IsKnown(std::string_view if_none_match, std::string_view tag) {
  for (const absl::string_view piece : SplitText(if_none_match, absl::ByAnyChar(", "))) {
    std::string_view known = ToStd(piece);
    if (known.starts_with("W/")) known.remove_prefix(2);
    if (known == tag || known == "*") return true;
  }
  return false;
}

void Guard(net::Headers* headers) {
  headers->Set("Content-Security-Policy", kContentPolicy);
  headers->Set("X-Content-Type-Options", "nosniff");
  headers->Set("X-Frame-Options", "DENY");
  headers->Set("Referrer-Policy", "no-referrer");
  headers->Set("Cross-Origin-Opener-Policy", "same-origin");
}

// A server that stands between may be reached at any path, so that nothing here names its own.
net::Response ToFolder() {
  net::Response response = net::TextResponse(307, "the page is at ui/\n");
  response.headers.Set("Location", "ui/");
  return response;
}

net::Response Send(const File& file, std::string_view if_none_match) {
  net::Response response;
  response.headers.Set("ETag", file.tag);
  response.headers.Set("Cache-Control", "no-cache");  // Kept, and asked about each time.
  if (IsKnown(if_none_match, file.tag)) {
    response.status = 304;
    return response;
  }
  response.headers.Set("Content-Type", std::string(file.type));
  response.body = std::string(file.text);
  return response;
}

net::Response Answer(const Files& files, std::string_view path, const net::Request& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    net::Response response = net::TextResponse(405, "the page can only be read\n");
    response.headers.Set("Allow", "GET, HEAD");
    return response;
  }
  if (path == kPath) return ToFolder();
  path.remove_prefix(kPath.size() + 1);
  const auto found = files.find(path.empty() ? kFirstFile : path);
  if (found == files.end()) return net::TextResponse(404, "no such file; the page is at ui/\n");
  return Send(found->second, request.headers.Get("If-None-Match"));
}

net::Awaitable<net::Response> Answered(net::Response response) {
  co_return response;
}

bool IsOfPage(std::string_view path) {
  return path.starts_with(kPath) && (path.size() == kPath.size() || path[kPath.size()] == '/');
}

}  // namespace

net::Handler WithPage(net::Handler others) {
  return [others = std::move(others), files = ReadFiles()](net::Request request) {
    const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
    if (!target.ok() || !IsOfPage(target->path)) return others(std::move(request));
    net::Response response = Answer(*files, target->path, request);
    Guard(&response.headers);
    return Answered(std::move(response));
  };
}

}  // namespace bth::page
