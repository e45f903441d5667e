"""Progress lines of the native program, and what becomes of them."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from tasuki.progress import Bar, Lines, Report, parse_report

LINE = '@progress {"label":"himeno","done":120,"total":1000,"seconds":1.2,"rate":3.4,"unit":"Gcell/s"}'


def test_a_report_is_read() -> None:
    report = parse_report(LINE)
    assert report == Report("himeno", 120, 1000, 1.2, 3.4, "Gcell/s")
    assert report.left(Report("himeno", 0, 1000, 0.0, 0.0, "")) == pytest.approx(8.8)
    assert report.tail(Report("himeno", 20, 1000, 0.2, 0.0, "")) == "3.4 Gcell/s, 0:09 left"


def test_steps_of_an_earlier_run_are_not_counted() -> None:
    first = Report("x", 1000, 2000, 0.0, 0.0, "")
    assert Report("x", 1100, 2000, 10.0, 1.0, "u").left(first) == pytest.approx(90)


@pytest.mark.parametrize(
    "line", ["", "hello", "@progress", "@progress {", "@progress []", '@progress {"label":"x"}', " " + LINE]
)
def test_other_lines_are_none(line: str) -> None:
    assert parse_report(line) is None


def test_nothing_done_has_no_time_left() -> None:
    report = Report("x", 0, 10, 1.0, 0.0, "")
    assert report.tail(report) == ""


def test_lines_come_once_a_period() -> None:
    stream = io.StringIO()
    lines = Lines(stream, period=3600)
    for done in range(50):
        lines.show(Report("x", done, 50, 1.0, 1.0, "u"))
    assert stream.getvalue() == ""
    often = Lines(stream, period=0)
    often.show(Report("x", 0, 50, 0.0, 0.0, "Gcell/s"))
    often.show(Report("x", 25, 50, 60.0, 1.5, "Gcell/s"))
    assert stream.getvalue().splitlines() == [
        "x: 0 of 50 steps (0 %)",
        "x: 25 of 50 steps (50 %), 1.5 Gcell/s, 1:00 left",
    ]


def test_the_bar_shows_rate_and_time_left() -> None:
    stream = io.StringIO()
    bar = Bar(Console(file=stream, force_terminal=True, width=100))
    report = parse_report(LINE)
    assert report is not None
    bar.show(Report("himeno", 0, 1000, 0.0, 0.0, ""))
    bar.show(report)
    bar.say("a word between [bold]and markup left alone[/]")
    bar.close()
    text = stream.getvalue()
    assert "himeno" in text
    assert "120/1000" in text
    assert "3.4 Gcell/s, 0:09 left" in text
    assert "[bold]and markup left alone[/]" in text


def test_json_round_trip() -> None:
    report = parse_report(LINE)
    assert report is not None
    assert parse_report("@progress " + json.dumps(vars(report))) == report


def test_the_next_run_of_a_program_begins_anew() -> None:
    stream = io.StringIO()
    often = Lines(stream, period=0)
    for report in (
        Report("relax", 900, 1000, 9.0, 100.0, "steps/s"),
        Report("relax", 950, 1000, 9.5, 100.0, "steps/s"),
        Report("relax", 10, 60, 1.0, 10.0, "steps/s"),  # another number of steps
        Report("relax", 5, 60, 1.0, 5.0, "steps/s"),  # the same number once more
        Report("relax", 25, 60, 5.0, 5.0, "steps/s"),
    ):
        often.show(report)
    assert [line.partition("%)")[2] for line in stream.getvalue().splitlines()] == [
        ", 100 steps/s",
        ", 100 steps/s, 0:00 left",
        ", 10 steps/s",
        ", 5 steps/s",
        ", 5 steps/s, 0:07 left",
    ]
