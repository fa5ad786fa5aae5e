// conformance: the same black-box scripts against the embedded API server and against a real one, one verdict
// a script. A script passes when it passes on every server asked; a difference is a failure, never a skip.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "test/conformance/defects.h"
#include "test/conformance/embedded.h"
#include "test/conformance/script.h"
#include "test/envtest/real_servers.h"

namespace capstan::conformance {
namespace {

struct Options {
  bool embedded = true;
  bool real = false;
  bool list = false;
  bool defects = false;
  bool verbose = false;
  std::string filter = {};
  std::string defect = {};
  std::string program = {};
  std::string crds = "config/crd/bases";
};

constexpr std::string_view kHelp = R"(conformance [options]: black-box scripts against the API servers

  --server embedded|real|both   which servers are asked (default: embedded)
  --filter TEXT                 only scripts whose name holds TEXT; with --defects those whose script or name does
  --defects                     prove that each seeded defect of the embedded server breaks the script named beside it
  --defect NAME                 run with one defect switched on
  --program FILE                the capstan-dev program (default: beside this one)
  --crds FOLDER                 definitions to install (default: config/crd/bases)
  --list                        print the scripts and where they run
  --verbose                     print passing scripts too

The real server needs KUBEBUILDER_ASSETS (scripts/envtest sets it). Exit: 0 all hold, 1 some do not, 2 could not run.
)";

std::string where(const Script& script) {
  switch (script.needs) {
    case Needs::Nothing: return "both servers";
    case Needs::Kubectl: return "both servers, through kubectl";
    case Needs::RealServerOnly: return "real server only (CEL)";
  }
  return {};
}

std::string assets() {
  const char* folder = std::getenv("KUBEBUILDER_ASSETS");
  return folder ? folder : "";
}

Options parse_arguments(int argc, char** argv) {
  Options options{.program = (std::filesystem::path(argv[0]).parent_path() / "capstan-dev").string()};
  const auto value = [&](int& i) {
    if (i + 1 >= argc) throw std::invalid_argument(std::string(argv[i]) + " needs a value");
    return std::string(argv[++i]);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--help") {
      std::cout << kHelp;
      std::exit(0);
    } else if (flag == "--server") {
      const std::string which = value(i);
      if (which != "embedded" && which != "real" && which != "both")
        throw std::invalid_argument("--server: embedded, real or both");
      options.embedded = which != "real";
      options.real = which != "embedded";
    } else if (flag == "--filter") {
      options.filter = value(i);
    } else if (flag == "--defects") {
      options.defects = true;
    } else if (flag == "--defect") {
      options.defect = value(i);
    } else if (flag == "--program") {
      options.program = value(i);
    } else if (flag == "--crds") {
      options.crds = value(i);
    } else if (flag == "--list") {
      options.list = true;
    } else if (flag == "--verbose") {
      options.verbose = true;
    } else {
      throw std::invalid_argument("unknown option " + std::string(flag) + " (see --help)");
    }
  }
  return options;
}

std::vector<Script> chosen(const Options& options) {
  std::vector<Script> scripts;
  for (const Script& script : all_scripts())
    if (std::string_view(script.name).find(options.filter) != std::string_view::npos)
      scripts.push_back(script);
  return scripts;
}

// The part of the scripts that one server can be asked.
std::vector<Script> fitting(std::span<const Script> scripts, bool real, bool kubectl) {
  std::vector<Script> fit;
  for (const Script& script : scripts) {
    if (script.needs == Needs::RealServerOnly && !real) continue;
    if (script.needs == Needs::Kubectl && !kubectl) continue;
    fit.push_back(script);
  }
  return fit;
}

// What the embedded server is not held to: it does not evaluate CEL rules.
void name_those_for_the_real_server(std::span<const Script> scripts) {
  for (const Script& script : scripts)
    if (script.needs == Needs::RealServerOnly) fmt::print("{}: {}\n", where(script), script.name);
}

std::string counted(int scripts, std::string_view why) {
  return scripts == 0 ? std::string() : fmt::format(", {} left out: {}", scripts, why);
}

// How many of the chosen ones the embedded server is not asked, and why.
std::string left_out(std::span<const Script> scripts, bool kubectl) {
  const auto many = [&](Needs needs) {
    return static_cast<int>(std::ranges::count(scripts, needs, &Script::needs));
  };
  return counted(many(Needs::RealServerOnly), "CEL rules, which it does not evaluate") +
         (kubectl ? "" : counted(many(Needs::Kubectl), "they drive kubectl, which scripts/envtest brings"));
}

// One line per failing script, with the answer of each server.
int report(const std::vector<std::pair<std::string, std::vector<Outcome>>>& runs, const std::string& left_out,
           bool verbose) {
  int passed = 0;
  int failed = 0;
  std::set<std::string> failing;
  std::set<std::string> seen;
  for (const auto& [server, outcomes] : runs) {
    for (const Outcome& outcome : outcomes) {
      seen.insert(outcome.script);
      if (!outcome.passed) {
        failing.insert(outcome.script);
        fmt::print("FAILED on {}: {}\n    {}\n", server, outcome.script, outcome.why);
      } else if (verbose) {
        fmt::print("ok on {}: {}\n", server, outcome.script);
      }
    }
    fmt::print("{}: {} scripts ran{}\n", server, outcomes.size(),
               server == "embedded" ? left_out : std::string());
  }
  failed = static_cast<int>(failing.size());
  passed = static_cast<int>(seen.size()) - failed;
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

int list(std::span<const Script> scripts) {
  for (const Script& script : scripts) fmt::print("{:<32} {}\n", where(script), script.name);
  fmt::print("{} scripts\n", scripts.size());
  return 0;
}

EmbeddedOptions embedded_options(const Options& options, std::string defect) {
  const std::string folder = assets();
  return {.program = options.program,
          .kubectl = folder.empty() ? "" : folder + "/kubectl",
          .defect = std::move(defect)};
}

std::string write_ca(const std::string& pem) {
  std::string path = (std::filesystem::temp_directory_path() / "capstan-conformance-ca-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) throw std::runtime_error("can't make a temporary file");
  close(file);
  std::ofstream(path) << pem;
  return path;
}

std::vector<Outcome> run_on_real(const Options& options, std::span<const Script> scripts) {
  auto servers = envtest::RealServers::start(
      {.controller_manager = true,
       .controllers = {"garbage-collector-controller", "namespace-controller", "disruption-controller"}});
  if (!servers) throw std::runtime_error(servers.error().describe());
  const std::string url = (*servers)->url();
  const Server server{.name = "real",
                      .port = std::atoi(url.substr(url.rfind(':') + 1).c_str()),
                      .ca_path = write_ca((*servers)->ca_pem()),
                      .token = (*servers)->admin_token(),
                      .kubeconfig_path = (*servers)->kubeconfig_path().string(),
                      .kubectl_path = (*servers)->kubectl().string()};
  install_kinds(server, options.crds);
  auto outcomes = run_scripts(server, fitting(scripts, true, true));
  std::filesystem::remove(server.ca_path);
  return outcomes;
}

void check_defect(const Options& options) {
  if (options.defect.empty()) return;
  const auto known = defect_names(options.program);
  if (std::ranges::find(known, options.defect) == known.end())
    throw std::invalid_argument("there is no defect " + options.defect);
}

int run(const Options& options) {
  check_defect(options);
  if (options.defects)
    return prove_defects({.program = options.program, .crds = options.crds, .filter = options.filter});
  const auto scripts = chosen(options);
  if (scripts.empty()) throw std::invalid_argument("no script's name holds " + options.filter);
  if (options.list) return list(scripts);
  std::vector<std::pair<std::string, std::vector<Outcome>>> runs;
  if (options.embedded) {
    const auto embedded = Embedded::start(embedded_options(options, options.defect));
    install_kinds(embedded->server(), options.crds);
    runs.emplace_back("embedded",
                      run_scripts(embedded->server(), fitting(scripts, false, !assets().empty())));
  }
  if (options.real) runs.emplace_back("real", run_on_real(options, scripts));
  name_those_for_the_real_server(scripts);
  return report(runs, left_out(scripts, !assets().empty()), options.verbose);
}

}  // namespace
}  // namespace capstan::conformance

int main(int argc, char** argv) {
  try {
    return capstan::conformance::run(capstan::conformance::parse_arguments(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "conformance: " << error.what() << "\n";
    return 2;
  }
}
