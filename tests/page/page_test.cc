#include "page/page.h"

#include <set>
#include <string>

#include "base/strings.h"
#include "net/text_response.h"
#include "net/virtual_executor.h"
#include "page/assets.h"
#include "tests/support/catch.h"

namespace bth::page {
namespace {

net::Awaitable<net::Response> FromOthers(net::Request) {
  co_return net::TextResponse(200, "others");
}

net::Awaitable<void> FetchInto(net::Transport& transport, net::Request request,
                               absl::StatusOr<net::Response>& out) {
  out = co_await transport.Fetch(std::move(request));
}

// Asks the page in front of others, as a browser would ask the server.
struct PageBed {
  net::VirtualExecutor executor{absl::UnixEpoch()};
  std::unique_ptr<net::Transport> transport =
      net::MakeInProcessTransport(executor, WithPage(FromOthers));

  net::Response Ask(net::Request request) {
    absl::StatusOr<net::Response> answer = absl::UnknownError("no answer");
    net::Spawn(executor, FetchInto(*transport, std::move(request), answer));
    executor.RunUntilIdle();
    REQUIRE(answer.ok());
    return *std::move(answer);
  }
  net::Response Get(std::string target) {
    net::Request request;
    request.target = std::move(target);
    return Ask(std::move(request));
  }
};

TEST_CASE("page: each file is served with its type and a tag", "[page][unit]") {
  PageBed bed;
  REQUIRE(Assets().size() > 5);
  std::set<std::string> tags;
  for (const Asset& asset : Assets()) {
    INFO(asset.name);
    const net::Response answer = bed.Get(StrCat("/ui/", asset.name));
    CHECK(answer.status == 200);
    CHECK(answer.body == asset.text);
    CHECK(answer.headers.Get("Content-Type") != "application/octet-stream");
    CHECK(answer.headers.Get("Cache-Control") == "no-cache");
    tags.emplace(answer.headers.Get("ETag"));
  }
  CHECK(tags.size() == Assets().size());
  const net::Response first = bed.Get("/ui/");
  CHECK(first.headers.Get("Content-Type") == "text/html; charset=utf-8");
  CHECK(first.body == bed.Get("/ui/index.html").body);
  CHECK(bed.Get("/ui/main.js?v=1").headers.Get("Content-Type") == "text/javascript; charset=utf-8");
}

TEST_CASE("page: a browser runs nothing but its own files, whatever is answered", "[page][unit]") {
  PageBed bed;
  net::Request post;
  post.method = "POST";
  post.target = "/ui/";
  const net::Response answers[] = {bed.Get("/ui/"), bed.Get("/ui"), bed.Get("/ui/none"),
                                   bed.Ask(post)};
  for (const net::Response& answer : answers) {
    INFO(answer.status);
    const std::string_view policy = answer.headers.Get("Content-Security-Policy");
    CHECK(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; "));
    for (const char* needed : {"frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'",
                               "require-trusted-types-for 'script'"}) {
      CHECK(StrContains(policy, needed));
    }
    CHECK_FALSE(StrContains(policy, "unsafe"));
    CHECK(answer.headers.Get("X-Content-Type-Options") == "nosniff");
    CHECK(answer.headers.Get("Referrer-Policy") == "no-referrer");
  }
}

TEST_CASE("page: what the browser has is not sent again", "[page][unit]") {
  PageBed bed;
  net::Request again;
  again.target = "/ui/page.css";
  const std::string tag(bed.Get(again.target).headers.Get("ETag"));
  REQUIRE(tag.size() > 2);
  for (const std::string& known :
       {tag, StrCat("W/", tag), StrCat("\"x\", ", tag), std::string("*")}) {
    INFO(known);
    again.headers.Set("If-None-Match", known);
    const net::Response answer = bed.Ask(again);
    CHECK(answer.status == 304);
    CHECK(answer.body.empty());
    CHECK(answer.headers.Get("ETag") == tag);
    CHECK(answer.headers.Has("Content-Security-Policy"));
  }
  again.headers.Set("If-None-Match", "\"x\"");
  CHECK(bed.Ask(again).status == 200);
}

TEST_CASE("page: it can only be read", "[page][unit]") {
  PageBed bed;
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    net::Request request;
    request.method = method;
    request.target = "/ui/index.html";
    const net::Response answer = bed.Ask(request);
    CHECK(answer.status == 405);
    CHECK(answer.headers.Get("Allow") == "GET, HEAD");
  }
  net::Request head;
  head.method = "HEAD";
  head.target = "/ui/index.html";
  const net::Response answer = bed.Ask(head);
  CHECK(answer.status == 200);
  CHECK(answer.body.empty());
  CHECK(answer.headers.Get("Content-Type") == "text/html; charset=utf-8");
}

TEST_CASE("page: other paths are those of others", "[page][unit]") {
  PageBed bed;
  for (const char* others : {"/", "/api", "/uix", "/jobs/mutate", "/apis/ui/"}) {
    INFO(others);
    CHECK(bed.Get(others).body == "others");
  }
  for (const char* none : {"/ui/none", "/ui//", "/ui/../ui/index.html", "/ui/%2e%2e/index.html"}) {
    INFO(none);
    CHECK(bed.Get(none).status == 404);
  }
  const net::Response folder = bed.Get("/ui");
  CHECK(folder.status == 307);
  CHECK(folder.headers.Get("Location") == "ui/");  // Holds behind any proxy.
}

TEST_CASE("page: nothing in it comes from elsewhere or stands inline", "[page][unit]") {
  for (const Asset& asset : Assets()) {
    INFO(asset.name);
    // The namespace of SVG is a name, and nobody asks for it.
    std::string text(asset.text);
    for (size_t at; (at = text.find("http://www.w3.org/2000/svg")) != std::string::npos;) {
      text.erase(at, 26);
    }
    for (const char* outside : {"http://", "https://", "innerHTML", "outerHTML", "document.write",
                                "insertAdjacentHTML", "eval(", "new Function", "@import"}) {
      INFO(outside);
      CHECK_FALSE(StrContains(text, outside));
    }
    if (!asset.name.ends_with(".html")) continue;
    for (const char* line : {"<style", " style=", " onclick=", " onload=", "src=\"/", "href=\"/"}) {
      INFO(line);
      CHECK_FALSE(StrContains(text, line));
    }
  }
}

}  // namespace
}  // namespace bth::page
