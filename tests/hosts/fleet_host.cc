// A small host that hands a configuration to the plugin, as programs that embed the plugin do, and makes one call. It
// prints the result as JSON. If the plugin refuses, it prints "refused: " and the plugin's reason, and exits with 3.
//
// Usage: fleet_host CONFIGURATION COMMAND
#include <cstdio>
#include <exception>
#include <string>

#include "support/plugin.h"

using namespace wtool::test;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string configuration = argv[1], command = argv[2];
  try {
    Plugin plugin;
    const ToolUnderTest tool(plugin, Json::parse(configuration));
    std::printf("%s\n", tool.shell(command).raw.c_str());
    return 0;
  } catch (const std::exception& e) {
    std::printf("refused: %s\n", e.what());
    return 3;
  }
}
