// Small programs, for tests that run commands.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/cluster/client/transport/temp_folder.h"

namespace winnow::live::test {

/// Writes a script of the shell that can be run. @return its path.
inline std::string write_script(const TempFolder& folder, const std::string& name, std::string_view body) {
  const std::string file = folder.write(name, "#!/bin/sh\n" + std::string(body) + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

/// A script's line that prints an ExecCredential of client.authentication.k8s.io/v1. @param status  JSON.
inline std::string prints(std::string_view status) {
  return "printf %s '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
         "\"status\":" +
         std::string(status) + "}'";
}
inline std::string prints_token(std::string_view token) {
  return prints("{\"token\":\"" + std::string(token) + "\"}");
}

}  // namespace winnow::live::test
