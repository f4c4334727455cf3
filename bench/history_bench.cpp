// Makes a store of 1,000,000 iterations (or as many as the first argument says) in a temporary folder and prints how
// long the questions of people take, each from a freshly opened store, how long the report of a campaign of 5,000
// iterations takes and how large it is, what recording one iteration costs, and what a proposal costs beside its model.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/proposal_request.h"
#include "harness/core/error.h"
#include "harness/report/campaign_report.h"
#include "harness/report/live_block.h"
#include "harness/store/agent_sessions.h"
#include "harness/store/campaign_lesson.h"
#include "harness/store/campaigns.h"
#include "harness/store/columns.h"
#include "harness/store/compare.h"
#include "harness/store/figures.h"
#include "harness/store/history.h"
#include "harness/store/recommend.h"

namespace {

using namespace harness;
using namespace harness::store;

constexpr std::int64_t kPerCampaign = 1000, kReported = 5000;  // iterations; the last campaign is the reported one
constexpr const char* kKernels[] = {"attention", "softmax", "rmsnorm_int8", "paged_gather"};
constexpr const char* kTechniques[] = {"baseline",     "tiling", "split-kv", "tensor-cores",
                                       "vector-loads", "online", "tma"};

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

CampaignRecord campaign_record(std::int64_t number) {
  CampaignRecord record;
  record.device = "cuda:0";
  record.device_name = number % 3 == 0 ? "NVIDIA H100" : "NVIDIA H200";
  record.strategy = "roi";
  record.search = "hillclimb";
  record.usd_per_hour = 3.6;
  return record;
}

AttemptRecord attempt_record(std::int64_t campaign, std::int64_t number) {
  AttemptRecord record;
  const std::string kernel = kKernels[campaign % 4];
  const std::string technique = kTechniques[number % 7];
  record.campaign = campaign;
  record.candidate = {kernel, "10_" + technique, technique, {{"BLOCK", number % 64}, {"SPLITS", number % 5}}};
  record.workload = fmt::format("s{}", 64 << number % 9);
  record.contract_hash = std::string(64, 'c');
  record.source_hash = std::string(64, 's');
  record.ask = number;
  record.purpose = Purpose::search;
  return record;
}

Evaluation evaluation(std::int64_t number) {
  Evaluation made;
  made.cost = {.build_s = 0.1, .gates_s = 0.02, .timing_s = 0.2, .wall_s = 0.35, .usd = 0.00035};
  made.binary_hash = fmt::format("{:064x}", number % 5000);
  made.source_text = "extern \"C\" __global__ void kernel() {}";
  made.seeds = {static_cast<std::uint64_t>(number), 2};
  for (const char* gate : {"finite", "written", "relative-l2", "inputs-unchanged", "guard-zones"})
    made.gates.push_back({gate, true, "every element of O"});
  made.errors = {
      {.argument = "O", .relative_l2 = 1e-4, .max_ulp = 3, .ulp_histogram = {900, 80, 20}, .tolerance = 1e-2}};
  if (number % 5 == 0) {
    made.outcome = WrongAnswer{"O differs", std::nullopt, "f00d"};
    return made;
  }
  Passed passed;
  passed.timing.time_ns = 5000 + static_cast<double>(number * 7919 % 100'003);
  passed.timing.baseline_ns = 100'000;
  passed.timing.speedup = 100'000 / passed.timing.time_ns;
  passed.timing.samples.rotating_ns = std::vector<double>(12, passed.timing.time_ns);
  made.outcome = std::move(passed);
  return made;
}

/// One transaction a campaign: the rows and triggers are those of a real one, without waiting for the disk.
void fill(Connection& connection, std::int64_t iterations) {
  connection.database().exec("PRAGMA cache_size = -500000; PRAGMA wal_autocheckpoint = 50000");
  for (std::int64_t done = 0; done < iterations;) {
    Write write(connection);
    const std::int64_t campaign =
        insert_campaign(connection, campaign_record(done / kPerCampaign), fmt::format("campaign-{}", done), 1.7e9);
    const std::int64_t size = iterations - done <= kReported ? kReported : kPerCampaign;
    for (std::int64_t i = 0; i < size && done < iterations; ++i, ++done) {
      IterationRow row = row_of(evaluation(done), done % 50 == 0, 1.7e9 + static_cast<double>(done));
      row.source_key = intern_text(connection, kAddSource, *row.source);
      insert_iteration(connection, insert_attempt(connection, attempt_record(campaign, done), 1.7e9), 0, row);
    }
    add_charge(connection, campaign, "idle", "2025-01-01", 1, 0.001);
    write.commit();
  }
}

void measure(const std::string& path) {
  const auto print = [&](const char* name, const std::function<void(Store&)>& ask) {
    const double time = milliseconds([&] {
      auto store = Store::open(path, Mode::read_only);
      ask(*store);
    });
    fmt::print("{:<24}{:8.1f} ms\n", name, time);
  };
  print("history --limit 20", [](Store& store) { history(store, {}); });
  print("history --kernel", [](Store& store) { history(store, {.kernel = "softmax"}); });
  print("best", [](Store& store) { best(store); });
  print("cost --by technique", [](Store& store) { cost(store, CostBy::technique); });
  print("cost --by stage", [](Store& store) { cost(store, CostBy::stage); });
  print("cost --by campaign", [](Store& store) { cost(store, CostBy::campaign); });
  print("cost --by device", [](Store& store) { cost(store, CostBy::device); });
  print("cost --campaign", [](Store& store) { cost(store, CostBy::stage, {.campaign = 3, .limit = -1}); });
  print("best --campaign", [](Store& store) { best(store, {.campaign = 3, .limit = -1}); });
  print("campaigns", [](Store& store) { campaigns(store, {.limit = 50}); });
  print("show", [](Store& store) { show(store, 1234, true); });
  print("compare", [](Store& store) { compare(store, {1, ""}, {5, ""}); });
  print("similar_attempts", [](Store& store) {
    AttemptLikeness likeness;
    likeness.kernel = "softmax";
    likeness.config = {{"BLOCK", std::int64_t{128}}};
    StoredSessions(store).similar_attempts(likeness);
  });
  print("recommend", [](Store& store) { recommend(store, {.kernel = "softmax"}); });
}

void measure_report(const std::string& path) {
  std::string page;
  std::int64_t last = 0;
  const double time = milliseconds([&] {
    auto store = Store::open(path, Mode::read_only);
    last = campaigns(*store, {.limit = 1}).at(0).at("campaign").get<std::int64_t>();
    report::ReportExtras extras;
    extras.lesson = campaign_lesson(*store, last);
    page = report::campaign_json(report::make_campaign_report(figures(*store, last), extras)).dump();
  });
  fmt::print("{:<24}{:8.1f} ms, {} kB of JSON\n", "report", time, page.size() / 1000);
}

void measure_recording(const std::string& path) {
  constexpr int kRecorded = 500;
  auto store = Store::open(path, Mode::read_write);
  const std::int64_t campaign = store->begin_campaign(campaign_record(1));
  const double time = milliseconds([&] {
    for (int i = 0; i < kRecorded; ++i)
      store->end_attempt(store->begin_attempt(attempt_record(campaign, i)), evaluation(i), false);
  });
  fmt::print("{:<24}{:8.3f} ms (begin_attempt waits for the disk)\n", "recording one iteration", time / kRecorded);
}

/// What the harness itself does for one proposal, however long the model takes: the request is written, the reply read,
/// its twin looked for in the record, and the whole recorded. Once a campaign the kernel's recorded sources are read.
void measure_proposal(const std::string& path) {
  auto store = Store::open(path, Mode::read_write);
  const std::int64_t campaign = store->begin_campaign(campaign_record(1));
  const TwinQuery query{kKernels[1], {std::string(64, 'c')}, "NVIDIA H200", campaign};
  const double once = milliseconds([&] {
    for (const RecordedSource& each : store->recorded_sources(query)) normal_hash(each.text, "", json::object());
  });
  const std::string source(16'000, 'x');
  const std::string reply = json_text({{"source", source}, {"hypothesis", "it is faster"}});
  ProposalRecord record;
  record.campaign = campaign;
  record.number = 1;
  record.arm = {kKernels[1], "s64", "tiling"};
  const double each = milliseconds([&] {
    RequestParts parts;
    parts.arm = record.arm;
    parts.parents.emplace_back().texts.source = source;
    parts.tried.assign(1000, {"10_tiling", std::string(400, 'h'), "passed", "", "", 1.1});
    record.request = request_text(std::move(parts), 24'000);
    read_reply(reply, record.usage);
    record.reply = reply;
    record.source = source;
    record.normal_hash = normal_hash(source, "", json::object());
    store->same_proposal(query, record.normal_hash);
    store->same_binary_before(query, std::string(64, 'f'));
    store->record_proposal(record);
  });
  fmt::print("{:<24}{:8.1f} ms, request of {} estimated tokens; sources once a campaign: {:.1f} ms\n", "a proposal",
             each, estimated_tokens(record.request), once);
}

/// The live block is drawn twice a second.
void measure_live() {
  report::LiveState state;
  state.workloads = 5;
  state.phase = "timing";
  for (int i = 0; i < 5; ++i) state.rows.push_back({fmt::format("workload_{}", i), 5120, 10.2, 0.62, 4710, true, true});
  constexpr int kDrawn = 1000;
  const double each = milliseconds([&] {
                        for (int i = 0; i < kDrawn; ++i) report::live_lines(state, 120, 14);
                      }) /
                      kDrawn;
  fmt::print("the lines of a live block, with 5 workloads: {:.1f} us\n", each * 1000);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t iterations = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("harness_history_{}", getpid());
  std::filesystem::create_directory(folder);
  int status = 0;
  try {
    const std::string path = (folder / "history.db").string();
    const double filling = milliseconds([&] {
      Connection connection = Connection::open(path, Mode::read_write);
      fill(connection, iterations);
    });
    fmt::print("{} iterations made in {:.0f} s, {} MB\n", iterations, filling / 1000,
               std::filesystem::file_size(path) / 1'000'000);
    measure(path);
    measure_report(path);
    measure_recording(path);
    measure_proposal(path);
    measure_live();
  } catch (const Error& error) {
    fmt::print(stderr, "history_bench: {}\n", error.what());
    status = error.exit_status();
  }
  std::filesystem::remove_all(folder);
  return status;
}
