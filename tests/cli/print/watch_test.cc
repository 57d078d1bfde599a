#include "cli/print/watch.h"

#include <string>
#include <vector>

#include "api/types/json.h"
#include "tests/support/catch.h"

namespace {

using bth::cli::LiveScreen;
using bth::cli::PrintOptions;
using bth::cli::Terminal;
using bth::cli::WatchEventType;
using bth::cli::WatchPrinter;
using bth::types::Json;

Json Pod(const char* name, const char* phase) {
  return Json::MakeObject({{"apiVersion", "v1"},
                           {"kind", "Pod"},
                           {"metadata", Json::MakeObject({{"name", name}, {"managedFields", 1}})},
                           {"status", Json::MakeObject({{"phase", phase}})}});
}

bth::cli::TableView PodView() {
  bth::cli::TableView view;
  view.columns = {{"NAME"}, {"STATUS"}};
  view.row = [](const Json& pod, const TimeStyle&) {
    return std::vector<bth::cli::Cell>{{std::string(pod.At({"metadata", "name"}).AsString())},
                                       {std::string(pod.At({"status", "phase"}).AsString())}};
  };
  return view;
}

// What is printed of three changes.
std::string Watched(const std::string& output, bool with_events, PrintOptions options = {}) {
  auto printer = WatchPrinter::Create(output, options, with_events);
  if (!printer.ok()) return "!" + std::string(printer.status().message());
  const bth::cli::TableView view = PodView();
  std::string out;
  REQUIRE(printer->Print(WatchEventType::kAdded, Pod("a", "Pending"), &view, out).ok());
  REQUIRE(printer->Print(WatchEventType::kModified, Pod("long-name", "Running"), &view, out).ok());
  REQUIRE(printer->Print(WatchEventType::kDeleted, Pod("b", "Failed"), &view, out).ok());
  return out;
}

TEST_CASE("watch: rows come as things change, and columns never shrink", "[cli][unit]") {
  CHECK(Watched("", false) ==
        "NAME   STATUS\n"
        "a      Pending\n"
        "long-name   Running\n"
        "b           Failed\n");
}

TEST_CASE("watch: events stand in front, before the namespace", "[cli][unit]") {
  CHECK(Watched("", true) ==
        "EVENT   NAME   STATUS\n"
        "ADDED   a      Pending\n"
        "MODIFIED   long-name   Running\n"
        "DELETED    b           Failed\n");
  PrintOptions options;
  options.with_namespace = true;
  CHECK(Watched("", true, options).rfind("EVENT   NAMESPACE   NAME   STATUS\n", 0) == 0);
}

TEST_CASE("watch: formats for programs", "[cli][unit]") {
  CHECK(Watched("name", false) == "pod/a\npod/long-name\npod/b\n");
  CHECK(Watched("name", true) == "pod/a\npod/long-name\npod/b\n");
  CHECK(Watched("jsonpath={.metadata.name};", false) == "a;long-name;b;");
  CHECK(Watched("jsonpath={.type} {.object.metadata.name};", true) ==
        "ADDED a;MODIFIED long-name;DELETED b;");
  CHECK(Watched("custom-columns=N:.metadata.name,P:.status.phase", false) ==
        "N     P\n"
        "a     Pending\n"
        "long-name   Running\n"
        "b           Failed\n");
  CHECK(Watched("foo", true).rfind("!unable to match a printer", 0) == 0);
}

TEST_CASE("watch: json and yaml of events", "[cli][unit]") {
  const std::string json = Watched("json", true);
  CHECK(json.rfind(
            R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},)"
            R"("status":{"phase":"Pending"}}})"
            "\n",
            0) == 0);
  const std::string yaml = Watched("yaml", true);
  CHECK(yaml.rfind("object:\n"
                   "  apiVersion: v1\n"
                   "  kind: Pod\n"
                   "  metadata:\n"
                   "    name: a\n"
                   "  status:\n"
                   "    phase: Pending\n"
                   "type: ADDED\n"
                   "---\n",
                   0) == 0);
  CHECK(Watched("yaml", false).find("\n---\napiVersion: v1\n") != std::string::npos);
}

Terminal LiveTerminal(int height) {
  Terminal terminal;
  terminal.can_redraw = true;
  terminal.width = 80;
  terminal.height = height;
  return terminal;
}

TEST_CASE("screen: each block overwrites the one before", "[cli][unit]") {
  LiveScreen screen(LiveTerminal(24));
  std::string out;
  screen.Draw("one\ntwo\n", out);
  CHECK(out == "one\x1b[K\ntwo\x1b[K\n\x1b[J");
  out.clear();
  screen.Draw("three\n", out);
  CHECK(out == "\x1b[2A\rthree\x1b[K\n\x1b[J");
  out.clear();
  screen.Resize(LiveTerminal(10));
  screen.Draw("x\n", out);
  CHECK(out == "x\x1b[K\n\x1b[J");
}

TEST_CASE("screen: what does not fit is told of", "[cli][unit]") {
  LiveScreen screen(LiveTerminal(4));
  std::string out;
  screen.Draw("1\n2\n3\n4\n5\n", out);
  CHECK(out == "1\x1b[K\n2\x1b[K\n(3 more lines)\x1b[K\n\x1b[J");
  out.clear();
  screen.Draw("1\n2\n3\n", out);
  CHECK(out == "\x1b[3A\r1\x1b[K\n2\x1b[K\n3\x1b[K\n\x1b[J");
}

TEST_CASE("screen: without a terminal blocks follow each other", "[cli][unit]") {
  LiveScreen screen(Terminal{});
  std::string out;
  screen.Draw("one\n", out);
  screen.Draw("two\n", out);
  CHECK(out == "one\n\ntwo\n");
}

}  // namespace
