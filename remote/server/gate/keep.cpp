#include <remote/link/hidden_file.hpp>
#include <remote/server/gate/keep.hpp>
#include <remote/server/visit/keep.hpp>

#include <cerrno>
#include <functional>
#include <optional>
#include <system_error>
#include <vector>

namespace tasuki::remote {

namespace {

int error_of(const std::function<void()>& act) {
  try {
    act();
    return 0;
  } catch (const std::system_error& error) {
    return error.code().value();
  }
}

} // namespace

int keep(Link& link, std::uint64_t most) {
  std::optional<HiddenFile> file;
  int error = error_of([&] { file.emplace(folder_of_files()); }); // the first one stays
  std::vector<unsigned char> piece;
  try {
    for (;;) {
      KeepHead head;
      link.read(&head, sizeof head, sizeof head);
      if (head.bytes > kMostPiece) return 1;
      piece.resize(head.bytes);
      KeepAnswer answer;
      switch (head.what) {
        case KeepDo::add:
          link.read(piece.data(), piece.size(), piece.size());
          if (!error && head.bytes > most - file->bytes()) error = ENOSPC;
          if (!error) error = error_of([&] { file->add({piece.data(), piece.size()}); });
          break;
        case KeepDo::read: {
          answer.error = error ? error : error_of([&] { file->read(head.at, piece.data(), piece.size()); });
          const Piece both[] = {bytes_of(answer), {piece.data(), answer.error ? 0 : piece.size()}};
          link.write(both, 2);
          break;
        }
        case KeepDo::settle:
          answer.error = error;
          link.write(bytes_of(answer));
          break;
        default: return 1;
      }
    }
  } catch (const LinkLost&) {
    return 0;
  }
}

} // namespace tasuki::remote
