#include <remote/client/storage.hpp>
#include <remote/link/hidden_file.hpp>

#include <optional>
#include <system_error>

namespace tasuki::remote {

namespace {

class Folder : public Storage {
public:
  explicit Folder(const std::string& folder) : folder_(folder) {
    try {
      file_.emplace(folder);
    } catch (const std::system_error& why) {
      cannot_be_written(why);
    }
  }
  u64 add(View bytes) override {
    try {
      return file_->add({bytes.data, bytes.size});
    } catch (const std::system_error& why) {
      cannot_be_written(why);
    }
  }
  void read(u64 at, void* to, std::size_t bytes) override {
    try {
      file_->read(at, to, bytes);
    } catch (const std::system_error&) {
      throw LinkLost("its image cannot be read", "look at the disk");
    }
  }
  u64 bytes() const override { return file_->bytes(); }

private:
  [[noreturn]] void cannot_be_written(const std::system_error& why) const {
    throw Error("an image of a device cannot be kept in " + folder_ + " (" + why.code().message() + ")",
                "name a folder with more room in TMPDIR");
  }
  const std::string folder_;
  std::optional<HiddenFile> file_;
};

class Kept : public Storage {
public:
  Kept(const Host& host, const Key& key, const Wish& wish) : keeper_(host, key, wish) {}
  u64 add(View bytes) override { return keeper_.add({bytes.data, bytes.size}); }
  void settle() override { keeper_.settle(); }
  void read(u64 at, void* to, std::size_t bytes) override {
    try {
      keeper_.read(at, to, bytes);
    } catch (const LinkLost&) {
      throw;
    } catch (const Error&) {
      throw LinkLost("its image cannot be read", "look at the disk of its server");
    }
  }
  u64 bytes() const override { return keeper_.bytes(); }

private:
  Keeper keeper_;
};

} // namespace

std::unique_ptr<Storage> in_folder(const std::string& folder) { return std::make_unique<Folder>(folder); }

std::unique_ptr<Storage> at_server(const Host& host, const Key& key, const Wish& wish) {
  return std::make_unique<Kept>(host, key, wish);
}

} // namespace tasuki::remote
