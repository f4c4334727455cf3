#pragma once
#include <memory>
#include <string>

#include "harness/serve_http/site.h"
#include "harness/store/archive.h"
#include "harness/store/page_record.h"
#include "tests/store/recorded.h"

// A store with some campaigns, and the page over it.
namespace harness::http::test {

using store::Mode;
using store::Store;

struct Served {
  store::test::Folder folder;
  std::string path = folder / "x.db";
  Rooms rooms;
  Shell shell{rooms, {}, {}, path};

  /// Two campaigns of 30 attempts are made once and copied.
  Served() : Served(0, 0, false) {
    static const store::test::Folder made;
    static const std::string whole = [] {
      store::test::random_history(*Store::open(made / "x.db", Mode::read_write), 1, 2, 30);
      return made / "x.db";
    }();
    std::filesystem::copy_file(whole, path);
  }
  Served(int campaigns, int iterations, bool written = true) {
    rooms.archive = store::open_archive;
    rooms.page_record = store::open_page_record;
    rooms.program.number = "0.1.0";
    if (written) store::test::random_history(*Store::open(path, Mode::read_write), 1, campaigns, iterations);
  }
  std::unique_ptr<Store> write() const { return Store::open(path, Mode::read_write); }
};

inline Asked ask(const std::string& path, const PageWords& words = {}) {
  Asked asked;
  asked.path = path;
  asked.words = words;
  asked.asker.host = "127.0.0.1:8080";
  return asked;
}

inline json answered(Site& site, const std::string& path, const PageWords& words = {}) {
  const Answer answer = site.answer(ask(path, words));
  json object = json::parse(answer.body);
  object["status"] = answer.status;
  return object;
}

}  // namespace harness::http::test
