// What a shared object with plugins must have been built with to be loaded.
#pragma once

#include <cstddef>
#include <string_view>

#include "api/model/resource_vec.h"
#include "api/model/snapshot.h"
#include "api/model/usage.h"
#include "conf/arguments.h"
#include "framework/hooks/hooks.h"
#include "framework/hooks/plugin.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"

namespace bth::framework {

// Raised when the meaning or the layout of a border type changes though its size does not.
inline constexpr size_t kPluginInterface = 8;

// A line of `name=value` pairs: version of the interface, compiler, standard library, dimensions,
// and the sizes of the types that cross the border. Objects whose lines differ from the program's
// are never opened. A plain array, so that it can be found in a file without running anything.
struct PluginAbi {
  char text[512] = {};
  size_t size = 0;

  constexpr void Add(std::string_view part) {
    for (const char c : part) text[size++] = c;  // Beyond the end: does not compile.
  }
  constexpr void AddNumber(std::string_view name, size_t value) {
    char digits[20] = {};
    size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value > 0);
    Add(" ");
    Add(name);
    Add("=");
    while (count > 0) text[size++] = digits[--count];
  }
  constexpr std::string_view view() const { return {text, size}; }
};

// Where the line begins in the file of a shared object.
inline constexpr std::string_view kPluginAbiMark = "batholith-plugin-abi:";

consteval PluginAbi MakePluginAbi() {
  PluginAbi abi;
  abi.Add(kPluginAbiMark);
  abi.AddNumber("interface", kPluginInterface);
#if defined(__clang__)
  abi.AddNumber("clang", __clang_major__);
#else
  abi.AddNumber("gcc", __GNUC__);
#endif
  abi.AddNumber("cplusplus", __cplusplus);
  abi.AddNumber("libstdcxx", _GLIBCXX_RELEASE);
  abi.AddNumber("cxx11-abi", _GLIBCXX_USE_CXX11_ABI);
  abi.AddNumber("dims", static_cast<size_t>(model::kDims));
  abi.AddNumber("ResourceVec", sizeof(model::ResourceVec));
  abi.AddNumber("Snapshot", sizeof(model::Snapshot));
  abi.AddNumber("TaskRow", sizeof(model::TaskRow));
  abi.AddNumber("JobRow", sizeof(model::JobRow));
  abi.AddNumber("NodeFacts", sizeof(model::NodeFacts));
  abi.AddNumber("QueueRow", sizeof(model::QueueRow));
  abi.AddNumber("ShapeRow", sizeof(model::ShapeRow));
  abi.AddNumber("Usage", sizeof(model::Usage));
  abi.AddNumber("Arguments", sizeof(conf::Arguments));
  abi.AddNumber("Plugin", sizeof(Plugin));
  abi.AddNumber("Action", sizeof(Action));
  abi.AddNumber("Registry", sizeof(Registry));
  abi.AddNumber("HookRegistrar", sizeof(HookRegistrar));
  abi.AddNumber("HookTable", sizeof(HookTable));
  abi.AddNumber("SessionContext", sizeof(SessionContext));
  abi.AddNumber("Session", sizeof(Session));
  abi.AddNumber("Statement", sizeof(Statement));
  return abi;
}
inline constexpr PluginAbi kPluginAbi = MakePluginAbi();

}  // namespace bth::framework

// Stands once in every shared object with plugins, outside of any namespace, before a body that
// adds factories to `registry`:
//
//   BTH_PLUGIN_ENTRY(registry) { registry.plugins["mine"] = CreateMine; }
#define BTH_PLUGIN_ENTRY(registry)                                                               \
  extern "C" {                                                                                   \
  [[gnu::visibility("default")]] extern const ::bth::framework::PluginAbi bth_plugin_abi;        \
  [[gnu::used]] const ::bth::framework::PluginAbi bth_plugin_abi = ::bth::framework::kPluginAbi; \
  [[gnu::visibility("default")]] void bth_plugin_entry(::bth::framework::Registry& registry);    \
  }                                                                                              \
  void bth_plugin_entry(::bth::framework::Registry& registry)
