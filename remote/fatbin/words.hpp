// The tokens of PTX: names, numbers, directives with their dot, and single characters. Comments are skipped.
//
//   Words words("call.uni malloc;"); // "call", ".uni", "malloc", ";", then always ""
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace tasuki::remote {

class Words {
public:
  explicit Words(const std::string& text) : text_(text) {}
  std::string next() {
    skip();
    const std::size_t from = at_;
    if (at_ == text_.size()) return {};
    if (!inside(text_[at_])) return std::string(1, text_[at_++]);
    while (at_ < text_.size() && inside(text_[at_]) && (at_ == from || text_[at_] != '.')) ++at_;
    return text_.substr(from, at_ - from);
  }
  void take(const Words& ahead) { at_ = ahead.at_; }

private:
  static bool inside(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
  }
  void skip() {
    while (at_ < text_.size())
      if (std::isspace(static_cast<unsigned char>(text_[at_])))
        ++at_;
      else if (text_.compare(at_, 2, "//") == 0)
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (text_.compare(at_, 2, "/*") == 0)
        at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      else
        return;
  }
  const std::string& text_;
  std::size_t at_ = 0;
};

} // namespace tasuki::remote
