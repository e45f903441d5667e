#include <remote/fatbin/image.hpp>
#include <remote/fatbin/parameters.hpp>
#include <remote/fatbin/words.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tasuki::remote {
namespace {

std::uint32_t number(const std::string& word) {
  std::uint32_t value = 0;
  const char* const last = word.data() + word.size();
  const auto [end, fault] = std::from_chars(word.data(), last, value);
  if (word.empty() || word.size() > 9 || end != last || fault != std::errc())
    broken("a number of a kernel's parameters is none");
  return value;
}

std::uint32_t bytes_of(const std::string& type) { // .u64
  if (type.size() < 3 || std::string("busf").find(type[1]) == std::string::npos) return 0;
  const std::string bits = type.substr(2);
  return bits == "8" ? 1 : bits == "16" ? 2 : bits == "32" ? 4 : bits == "64" ? 8 : 0;
}

template <class T>
T read(const std::string& bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) broken("machine code ends within a header");
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct Section {
  std::uint64_t offset, size;
  std::string name;
};

std::vector<Section> sections(const std::string& elf) {
  if (elf.compare(0, 5,
                  "\x7f"
                  "ELF\x02") != 0)
    broken("its machine code is no ELF of 64 bits");
  const auto table = read<std::uint64_t>(elf, 0x28);
  const auto each = read<std::uint16_t>(elf, 0x3a), count = read<std::uint16_t>(elf, 0x3c),
             names = read<std::uint16_t>(elf, 0x3e);
  if (each != 64 || names >= count || table > elf.size() || std::uint64_t(each) * count > elf.size() - table)
    broken("its sections are none");
  const auto inside = [&](std::uint64_t offset, std::uint64_t size) {
    return offset <= elf.size() && size <= elf.size() - offset;
  };
  const auto names_at = read<std::uint64_t>(elf, table + std::uint64_t(names) * 64 + 24);
  const auto names_size = read<std::uint64_t>(elf, table + std::uint64_t(names) * 64 + 32);
  if (!inside(names_at, names_size)) broken("its sections have no names");
  std::vector<Section> found;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t at = table + k * 64;
    const auto name = read<std::uint32_t>(elf, at), type = read<std::uint32_t>(elf, at + 4);
    Section s{read<std::uint64_t>(elf, at + 24), read<std::uint64_t>(elf, at + 32), {}};
    if (name >= names_size || type == 8 || !inside(s.offset, s.size)) continue; // 8: no bytes in the file
    const char* from = elf.data() + names_at + name;
    s.name.assign(from, strnlen(from, static_cast<std::size_t>(names_size - name)));
    found.push_back(std::move(s));
  }
  return found;
}

} // namespace

KernelParameters ptx_parameters(const std::string& text) {
  KernelParameters found;
  Words words(text);
  for (std::string word = words.next(); !word.empty(); word = words.next()) {
    if (word != ".entry") continue;
    std::vector<ParameterOf>& list = found[words.next()];
    list.clear();
    if (words.next() != "(") continue;
    std::uint64_t end = 0;
    for (word = words.next(); !word.empty() && word != ")"; word = words.next()) {
      if (word != ".param") continue;
      std::uint64_t align = 0, bytes = 0, of_pointee = 0;
      bool pointee = false; // .ptr .global .align 8: the alignment of the target
      for (word = words.next(); word.size() > 1 && word[0] == '.'; word = words.next())
        if (word == ".ptr")
          pointee = true;
        else if (word == ".align")
          (pointee ? of_pointee : align) = number(words.next());
        else if (bytes_of(word) > 0)
          bytes = bytes_of(word);
      if (bytes == 0) broken("a parameter has no type"); // here `word` is the name
      if (align == 0) align = bytes;
      for (;;) {
        Words ahead = words;
        if (ahead.next() != "[") break;
        bytes *= number(ahead.next());
        if (bytes > kLargestParameters) broken("a kernel's parameters are too large");
        ahead.next();
        words.take(ahead);
      }
      end = (end + align - 1) / align * align;
      list.push_back({static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(bytes)});
      end += bytes;
      if (end > kLargestParameters) broken("a kernel's parameters are too large");
    }
  }
  return found;
}

KernelParameters cubin_parameters(const std::string& elf) {
  KernelParameters found;
  const std::string prefix = ".nv.info.";
  for (const Section& s : sections(elf)) {
    if (s.name.compare(0, prefix.size(), prefix) != 0) continue;
    std::map<std::uint16_t, ParameterOf> by_place;
    const std::uint64_t end = s.offset + s.size;
    for (std::uint64_t at = s.offset; at + 4 <= end;) { // {form, attribute, value or size of next value}
      const auto form = read<std::uint8_t>(elf, at), attribute = read<std::uint8_t>(elf, at + 1);
      const auto word = read<std::uint16_t>(elf, at + 2);
      at += 4;
      if (form != 4) continue;
      if (word > end - at) broken("an attribute is longer than its section");
      if ((attribute == 0x17 || attribute == 0x45) && word >= 12) { // {index, place, offset, size}
        const auto size = read<std::uint32_t>(elf, at + 8);
        by_place[read<std::uint16_t>(elf, at + 4)] = {read<std::uint16_t>(elf, at + 6),
                                                      attribute == 0x17 ? size >> 18 : size};
      }
      at += word;
    }
    std::vector<ParameterOf>& list = found[s.name.substr(prefix.size())];
    for (const auto& [place, parameter] : by_place) {
      if (parameter.offset + std::uint64_t(parameter.size) > kLargestParameters)
        broken("a kernel's parameters are too large");
      list.push_back(parameter);
    }
  }
  return found;
}

KernelParameters parameters_of(View image) {
  KernelParameters found;
  const std::vector<Entry> all = entries(image);
  const auto of = [&](Entry::Kind kind) {
    for (const Entry& e : all)
      if (e.kind == kind)
        for (auto& [name, list] :
             kind == Entry::Kind::ptx ? ptx_parameters(contents(e)) : cubin_parameters(contents(e)))
          found.emplace(name, std::move(list));
  };
  of(Entry::Kind::ptx);
  of(Entry::Kind::elf); // kernels that exist as machine code only
  return found;
}

} // namespace tasuki::remote
