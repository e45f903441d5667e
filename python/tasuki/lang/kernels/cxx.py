"""Names of C that are words of C++."""

from __future__ import annotations

_KEYWORDS = frozenset("""
    alignas alignof and and_eq bitand bitor bool catch char8_t char16_t char32_t class compl concept consteval
    constexpr constinit const_cast co_await co_return co_yield decltype delete dynamic_cast explicit export
    false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid
    typename using virtual wchar_t xor xor_eq
""".split())  # noqa: SIM905  # fmt: skip


def cxx(name: str) -> str:
    """`new_` for `new`, `f__a` for the member `f.a`; any other name as it is."""
    return f"{name}_" if name in _KEYWORDS else name.replace(".", "__")
