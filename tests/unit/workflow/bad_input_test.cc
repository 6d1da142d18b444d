// Files that nobody wrote on purpose: large, deep, cut off, random. Reading them ends quickly, with diagnostics and
// without a crash.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <random>

#include "base/utf8.h"
#include "processor_time.h"
#include "support.h"

namespace bad_input_test {

using namespace wtool::test;

namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

// Fails only if reading hangs, even under sanitizers on a busy machine.
void expect_soon(const std::string& name, const std::string& text) {
  const auto began = std::chrono::steady_clock::now();
  const std::string found = diagnostics_of(text);
  const auto took = std::chrono::steady_clock::now() - began;
  BOOST_TEST_CONTEXT(name) {
    BOOST_TEST(!found.empty());
    BOOST_TEST((took < std::chrono::seconds(120)), std::chrono::duration<double>(took).count());
  }
}

double time_to_read(const std::string& text) {
  return processor_time([&] { BOOST_TEST(!diagnostics_of(text).empty()); });
}

// A text of sixteen times the size takes about sixteen times as long, and more under a sanitizer; quadratic work takes
// 256 times as long.
void expect_linear(const std::string& name, const std::function<std::string(int count)>& make) {
  const double few = time_to_read(make(300));
  double many = time_to_read(make(4'800));
  // A pause of a virtual machine counts as processor time of the process that runs. Quadratic work is slow each time.
  for (int again = 0; again < 2 && many >= 100 * few + 0.1; ++again) many = std::min(many, time_to_read(make(4'800)));
  BOOST_TEST(many < 100 * few + 0.1, name << ": " << few << " s, " << many << " s");
}

// Reads every prefix, and many files in which a few bytes are changed.
void try_mutations(const std::string& whole) {
  for (std::size_t i = 0; i < whole.size(); ++i) diagnostics_of(whole.substr(0, i));
  std::mt19937 random(7);
  const std::string alphabet = "\n\r\t -:*[]{}()<>\"'`$\\#%&|=~.aA1\xc3\xbc";
  for (int i = 0; i < 800; ++i) {
    std::string text = whole;
    for (unsigned k = 0; k < 1 + random() % 4; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text[at] = alphabet[random() % alphabet.size()];
      } else {
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
      }
    }
    if (wtool::is_utf8(text)) diagnostics_of(text);
  }
}

constexpr std::size_t line_size = 128 * 1024;

}  // namespace

BOOST_AUTO_TEST_CASE(very_long_lines_are_read_in_linear_time) {
  for (const char* piece :
       {"[", "*", "`", "<", "&", "![", "- ", "> ", "_a", "\\", "#", "${", "{{", "'", "\"", "$(", "-->", ":", "x"}) {
    const std::string line = repeated(piece, line_size / std::string(piece).size());
    expect_soon(std::string("prose ") + piece, line);
    expect_soon(std::string("diagram ") + piece, "```mermaid\nstateDiagram-v2\n" + line + "\n```\n");
    expect_soon(std::string("action ") + piece,
                workflow_text("[*] --> A\nA --> [*]\n", "- A: Shell \"" + line + "\"\n- B: x\n"));
  }
}

BOOST_AUTO_TEST_CASE(very_many_lines_are_read_in_linear_time) {
  for (const char* line :
       {"- x\n", "- A: Foo\n", "* a\n  * b\n", "> > >\n", "# Actions\n", "```\n", "```mermaid\n", "[x]: y\n", "---\n",
        "<!--\n", "stateDiagram-v2\n", "1. x\n", "\t\n", "- A: Shell\n  ```sh\n  x\n  ```\n"}) {
    const std::string lines = repeated(line, 40'000 / std::string(line).size());
    expect_soon(line, lines);
    expect_soon(line, workflow_text("[*] --> A\nA --> [*]\n", lines + "- B: x\n"));
    expect_soon(line, "```mermaid\nstateDiagram-v2\n" + lines + "\n[*] --> B\n```\n");
  }
}

BOOST_AUTO_TEST_CASE(large_diagrams_are_checked_in_linear_time) {
  std::string chain = "[*] --> S0\n";
  std::string star = "[*] --> S0\n";
  for (int i = 0; i < 5'000; ++i) {
    chain += "S" + std::to_string(i) + " --> S" + std::to_string(i + 1) + "\n";
    star += "S0 --> S" + std::to_string(i + 1) + ": exit_code == " + std::to_string(i) + "\n";
  }
  expect_soon("a chain that ends nowhere", workflow_text(chain, ""));
  expect_soon("a star that ends nowhere", workflow_text(star, ""));
}

BOOST_AUTO_TEST_CASE(many_forks_with_many_pairs_of_outputs_are_checked_soon) {
  // Each fork leads to all later ones. A walk for each fork and output takes more than half a minute.
  std::string diagram = "[*] --> F0\n";
  std::string actions;
  constexpr int count = 1'000;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    diagram += "state F" + n + " <<fork>>\nstate J" + n + " <<join>>\nF" + n + " --> A" + n + "\nF" + n + " --> B" + n +
               "\nA" + n + " --> J" + n + "\nB" + n + " --> J" + n + "\nJ" + n + " --> F" + std::to_string(i + 1) +
               "\n";
    for (const char* step : {"A", "B"}) {
      actions += "- " + (step + n) + ": Shell \"x\" inputs=[\"i\"] outputs=[\"o" + n + "\"]\n";
    }
  }
  const double took = time_to_read(workflow_text(diagram, actions));
  BOOST_TEST(took < 20, took);
}

BOOST_AUTO_TEST_CASE(large_files_of_every_form_are_read_in_linear_time) {
  expect_linear("composite states", [](int count) {
    std::string diagram = "[*] --> S0\n";
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      diagram += "state S" + n + " {\n[*] --> I" + n + "\nI" + n + " --> [*]\n}\nS" + n + " --> S" +
                 std::to_string(i + 1) + "\n";
    }
    return workflow_text(diagram, "");
  });
  const auto described = [](int count) {
    std::string diagram = "[*] --> S0\n";
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      diagram += "S" + n + " --> S" + std::to_string(i + 1) + "\nS" + n + ": action: log\nS" + n + ": message: x\n";
    }
    return workflow_text(diagram, "");
  };
  expect_linear("described states", described);
  expect_linear("a fork", [](int count) {
    std::string diagram = "[*] --> F\nstate F <<fork>>\nstate J <<join>>\n";
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      diagram += "F --> S" + n + "\nS" + n + " --> J\n";
    }
    return workflow_text(diagram, "");
  });
  expect_linear("sections", [&described](int count) {
    std::string sections;
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      sections += "### S" + n + "\n**Action**: Run workflow \"w" + n + "\" with a=\"${b" + n + "}\"\n";
    }
    return described(count) + "\n## States\n\n" + sections;
  });
  expect_linear("parameters", [](int count) {
    std::string parameters = "parameters:\n";
    for (int i = 0; i < count / 4; ++i) {
      parameters += "  - {name: p" + std::to_string(i) + ", pattern: '^a+$', default: a}\n";
    }
    return workflow_text("[*] --> A\n", "", parameters);
  });
}

BOOST_AUTO_TEST_CASE(deep_nesting_is_refused_soon) {
  for (const char* piece : {"[", "{", "{a: ", "- ", "? ", "&a [", "!!map {"}) {
    const std::string deep = repeated(piece, 60'000 / std::string(piece).size());
    expect_soon(piece, workflow_text("[*] --> A\nA: action: log\nA: message: " + deep + "\n", ""));
    expect_soon(piece, workflow_text("[*] --> A\n", "", "tags: " + deep + "\n"));
    expect_soon(piece, workflow_text("[*] --> A\n", "- A: Shell \"x\" matrix=" + deep + "\n"));
    expect_soon(piece, workflow_text("[*] --> A\n", "- A: Execute prompt \"x\" with a=" + deep + "\n"));
  }
  expect_soon("composites", workflow_text("[*] --> A\n" + repeated("state A {\n", 20'000), ""));
  expect_soon("guards", workflow_text("[*] --> A\n", "- A: Prompt \"x\" " + repeated("{% if a %}", 5'000) + "\n"));
}

BOOST_AUTO_TEST_CASE(many_mistakes_are_counted_and_not_all_shown) {
  const std::string found = diagnostics_of(workflow_text("[*] --> A\nA --> [*]\n", repeated("- B: Foo\n", 500)));
  BOOST_TEST(found.find("and 900 more findings") != std::string::npos, found.substr(found.size() - 100));
}

BOOST_AUTO_TEST_CASE(the_number_of_very_many_findings_is_kept) {
  const std::string found =
      diagnostics_of(workflow_text("[*] --> A\nA --> [*]\n", "- A: Log \"" + repeated("${x}", 30'000) + "\"\n"));
  BOOST_TEST(found.find("and 29900 more findings") != std::string::npos, found.substr(found.size() - 100));
}

BOOST_AUTO_TEST_CASE(cut_and_mutated_files_never_crash) {
  const std::string whole = workflow_text(
      "[*] --> A\nA --> B: exit_code == 0 && !A.stdout.contains(\"x\")\nA --> C: default\nnote right of A\nx\nend "
      "note\nB --> "
      "[*]\nstate \"d\" as C\nC --> [*]\n",
      "- A: Shell \"cat <<E\\n${p}\\nE\" with timeout=5 result=\"r\" env={\"K\": \"{{ p | json }}\"}\n- B: Shell\n\n  "
      "```sh\n  echo "
      "\"$(x '${r}')\"\n  ```\n- C: Call tool \"lookup\" with {\"a\": [\"${r.stdout}\"]}\n",
      "name: x\nparameters:\n  - name: p\n    type: number\n    default: 3\n");
  BOOST_TEST(diagnostics_of(whole).empty(), diagnostics_of(whole));
  try_mutations(whole);
  const std::string other =
      workflow_text(
          "[*] --> A\nstate A {\n[*] --> B\nB --> [*]\n--\n[*] --> C\nC --> [*]\n}\nA --> F: success\nA --> [*]: "
          "default\nstate F <<fork>>\nF --> D\nF --> E\nD --> J\nE --> J\nstate J <<join>>\nJ --> [*]\nD: action: "
          "log\nD: message: \"x\"\n",
          "- B: Execute prompt \"p\" with a=\"${A}\" timeout=5m retry=2 backoff=1s..5s on failure: J\n- C: Wait 5 "
          "seconds\n- E: Run workflow \"w\" with a=1 matrix={\"k\": [1, 2]}\n- finally: J\n") +
      "\n## States\n\n### J\n- **Type**: Join\n- **Action**: Set a=\"b\"\n\n## Parameters\n\n- p: x\n";
  try_mutations(other);
}

}  // namespace bad_input_test
