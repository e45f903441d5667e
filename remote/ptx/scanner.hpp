// Reads PTX word by word; the position is used in errors.
#pragma once

#include <tasuki/base/error.hpp>

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

namespace tasuki::remote::ptx {

class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("PTX, line " + std::to_string(line_) + ": " + what,
                "compile the program again with nvcc of CUDA 12 or 13");
  }

  // The next character that is not space or part of a comment; 0 at the end.
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(std::string("'") + c + "' is missing before '" + std::string(text_.substr(at_, 12)) + "'");
  }
  // Letters, digits, _ $ %; empty if there is none.
  std::string_view word() {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }
  std::string_view name() {
    const std::string_view found = word();
    if (found.empty()) fail("a name is missing");
    return found;
  }
  // ".mod" without a space in between: "mod", including any "::".
  std::string_view modifier() {
    if (at_ >= text_.size() || text_[at_] != '.') return {};
    const std::size_t from = ++at_;
    while (at_ < text_.size() && (in_word(text_[at_]) || text_[at_] == ':')) {
      if (text_[at_] == ':' && !(at_ + 1 < text_.size() && text_[at_ + 1] == ':') && text_[at_ - 1] != ':')
        break;
      ++at_;
    }
    return text_.substr(from, at_ - from);
  }
  std::string_view modifier_after_space() {
    if (peek() != '.') fail("a '.' is missing");
    return modifier();
  }
  void modifier_dot() { // for version numbers such as 9.0
    if (!follows('.')) fail("a '.' is missing");
    ++at_;
  }
  void rest_of_line_or(char end) {
    while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != end) ++at_;
  }
  bool follows(char c) const { return at_ < text_.size() && text_[at_] == c; } // directly, without a space
  char after() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  std::string_view quoted() {
    expect('"');
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != '"') ++at_;
    const std::string_view found = text_.substr(from, at_ - from);
    if (at_ < text_.size()) ++at_;
    return found;
  }
  void rest_of_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  std::uint32_t line() const { return line_; }

private:
  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
  }
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        ++at_;
      else if (c == '/' && after() == '/')
        rest_of_line();
      else if (c == '/' && after() == '*')
        comment();
      else
        return;
    }
  }
  void comment() {
    at_ += 2;
    while (at_ < text_.size() && !(text_[at_] == '*' && after() == '/')) line_ += text_[at_++] == '\n';
    at_ = at_ + 2 < text_.size() ? at_ + 2 : text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

} // namespace tasuki::remote::ptx
