#include "base/interner.h"

#include <memory>
#include <string>
#include <thread>

#include "tests/support/catch.h"

namespace bth {
namespace {

TEST_CASE("interner: a text that is held has one symbol", "[base]") {
  Interner symbols;
  auto hold = std::make_unique<SymbolHold>(symbols);
  const Symbol zone = hold->Intern("zone");
  {
    SymbolHold other(symbols);
    CHECK(other.Intern("zone") == zone);
  }
  CHECK(symbols.Find("zone") == zone);
  CHECK(symbols.Text(zone) == "zone");
  CHECK(symbols.size() == 1);
  hold.reset();
  CHECK(symbols.size() == 0);
}

TEST_CASE("interner: what is interned without a hold stays", "[base]") {
  Interner symbols;
  const Symbol zone = symbols.Intern("zone");
  { SymbolHold(symbols).Intern("zone"); }
  for (int i = 0; i < 5000; ++i) SymbolHold(symbols).Intern(std::to_string(i));
  CHECK(symbols.size() == 1);
  CHECK(symbols.Find("zone") == zone);
}

TEST_CASE("interner: texts that nobody holds do not add up", "[base]") {
  Interner symbols;
  const auto come_and_go = [&symbols](int first, int count) {
    for (int i = first; i < first + count; ++i) SymbolHold(symbols).Intern(std::to_string(i));
    return symbols.kept();
  };
  const size_t kept = come_and_go(0, 5000);
  CHECK(come_and_go(5000, 20'000) == kept);
  CHECK(kept < 2000);
}

TEST_CASE("interner: a number that was given back goes to no other text", "[base]") {
  Interner symbols;
  Symbol gone;
  {
    SymbolHold hold(symbols);
    gone = hold.Intern("gone");
  }
  for (int i = 0; i < 5000; ++i) {
    SymbolHold hold(symbols);
    REQUIRE(hold.Intern(std::to_string(i)) != gone);
  }
  CHECK_FALSE(symbols.Find("gone").valid());
  SymbolHold again(symbols);
  CHECK(again.Intern("gone") != gone);
}

TEST_CASE("interner: who comes back soon finds the symbol that he had", "[base]") {
  Interner symbols;
  const Symbol before = SymbolHold(symbols).Intern("zone");
  SymbolHold again(symbols);
  CHECK(again.Intern("zone") == before);
}

TEST_CASE("interner: a hold may keep what another one made", "[base]") {
  Interner symbols;
  auto first = std::make_unique<SymbolHold>(symbols);
  const Symbol zone = first->Intern("zone");
  SymbolHold second(symbols);
  second.Keep(zone);
  first.reset();
  CHECK(symbols.size() == 1);
  CHECK(symbols.Text(zone) == "zone");
}

TEST_CASE("interner: holds end on any thread, and after the interner", "[base]") {
  auto symbols = std::make_unique<Interner>();
  auto hold = std::make_unique<SymbolHold>(*symbols);
  hold->Intern("a");
  auto last = std::make_unique<SymbolHold>(*symbols);
  last->Intern("b");
  std::thread([&hold] { hold.reset(); }).join();
  CHECK(symbols->size() == 1);
  symbols.reset();
  CHECK(last->Find("b").valid());
}

}  // namespace
}  // namespace bth
