// crd-gen FOLDER: writes the definitions of our kinds as FOLDER/<group>_<plural>.yaml. Exit codes:
// 0 written, 1 a file cannot be written, 2 wrong use, 3 docs and field tables do not fit together.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "api/types/crd/generate.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: crd-gen FOLDER\n";
    return 2;
  }
  const auto definitions = bth::types::crd::GenerateDefinitions();
  if (!definitions.ok()) {
    std::cerr << "crd-gen: " << definitions.status().message() << "\n";
    return 3;
  }
  for (const auto& definition : *definitions) {
    const std::filesystem::path path = std::filesystem::path(argv[1]) / definition.file;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << definition.yaml;
    file.close();
    if (!file) {
      std::cerr << "crd-gen: cannot write " << path << "\n";
      return 1;
    }
  }
  return 0;
}
