#include "admission/rules/mpi_arguments.h"

#include <cstdint>

#include "base/go_flags.h"

namespace bth::admission {

std::string MpiMaster(const std::vector<std::string>& arguments) {
  std::string master = "master";
  std::string worker = "worker";
  int32_t port = 22;
  GoFlags flags;
  flags.Add("master", &master);
  flags.Add("worker", &worker);
  flags.Add("port", &port);
  flags.Parse(arguments);  // What is wrong with them, whoever runs the plugin tells.
  return master;
}

}  // namespace bth::admission
