"""Predictions beside measurements: records become words for tasuki-model, its rows tables and pictures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, error_line
from fake import make_record
from rich.console import Console

from tasuki.commands.model import split_words
from tasuki.errors import TasukiError
from tasuki.model.forecast import Forecast, Row, parse_forecast
from tasuki.model.measured import Measured, is_measured, measured_of, measured_of_step, read_measured
from tasuki.model.picture import plot_forecast
from tasuki.model.tables import comparison_table, forecast_table, to_json
from tasuki.programs import locate
from tasuki.record import read_record

MODELS = Path(__file__).resolve().parents[2] / "models"

# tasuki-model in miniature: it keeps what it was given and answers with a table.
FAKE_MODEL = """#!{python}
import json, sys
if "--refuse" in sys.argv:
    print("tasuki: --size Q is unknown; choose XS, S, M, L or XL", file=sys.stderr)
    sys.exit(2)
lines = sys.stdin.read()
with open("asked.json", "w") as file:
    json.dump(dict(words=sys.argv[1:], lines=[json.loads(l) for l in lines.splitlines()]), file)
rows = []
for line in [json.loads(l) for l in lines.splitlines()] or [None]:
    row = dict(series="eager", devices=2, parts=dict(compute=1e-3, latency=1e-5, bandwidth=0, host=0),
               seconds=1.01e-3, efficiency=0.99, halo=1, ranks=[1, 2], block=[64, 32])
    if line:
        row.update(program=" ".join(line["words"]), measured=line["seconds"], devices=line["devices"],
                   series=line["executor"])
    rows.append(row)
print(json.dumps(dict(schema=1, name="fake on nothing", source="built in", rows=rows)))
"""


@pytest.fixture
def fake_model(programs: Path) -> Path:
    program = programs / "tasuki-model"
    program.write_text(FAKE_MODEL.replace("{python}", sys.executable))
    program.chmod(0o755)
    return program


def laplace_record(path: Path, **changes: Any) -> Path:  # noqa: ANN401 -- any JSON
    options = {
        "nx": 64,
        "ny": 32,
        "precision": "float",
        "boundary": "linear",
        "residual-every": 0,
        "times": 9,
    }
    record = make_record(program="laplace", options=options, **changes)
    path.write_text(json.dumps(record))
    return path


def shown(thing: Any) -> str:  # noqa: ANN401 -- whatever rich prints
    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    console.print(thing)
    return console.export_text()


def row(**changes: Any) -> Row:  # noqa: ANN401
    parts = {"compute": 3e-6, "latency": 1e-6, "bandwidth": 0.0, "host": 0.0}
    given: dict[str, Any] = {
        "series": "eager",
        "devices": 1,
        "parts": parts,
        "seconds": 4e-6,
        "efficiency": 1.0,
    }
    return Row(**{**given, **changes})


def test_a_record_becomes_words_for_the_native_program(tmp_path: Path) -> None:
    m = measured_of(read_record(laplace_record(tmp_path / "r.json")))
    assert m.words == ("laplace", "--nx", "64", "--ny", "32", "--precision", "float", "--boundary", "linear")
    assert (m.devices, m.executor, m.machine, m.halo) == (2, "overlapped", "host", 1)
    assert m.seconds == 1.25 / 20
    assert json.loads(m.line())["words"][0] == "laplace"
    assert "machine" not in json.loads(m.line())


def test_a_record_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(make_record()))
    with pytest.raises(TasukiError, match="fake"):
        measured_of(read_record(path))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("laplace/512x256/norm", ("laplace", "--nx", "512", "--ny", "256", "--norm")),
        ("laplace/512x256/block/nvidia", ("laplace", "--nx", "512", "--ny", "1024", "--boundary", "nvidia")),
        ("himeno/S", ("himeno", "--size", "S", "--gosa", "last")),
        ("himeno/S/norm", ("himeno", "--size", "S", "--norm")),
        ("diffusion/64x64x64/27", ("diffusion", "--extents", "64x64x64", "--points", "27")),
    ],
)
def test_a_timed_case_becomes_words(case: str, words: tuple[str, ...]) -> None:
    step = {
        "case": case,
        "executor": "auto",
        "chosen": "graph",
        "ranks": 4,
        "seconds": 2e-6,
        "halo": [[2, 2]],
    }
    m = measured_of_step(step)
    assert m is not None
    assert m.words == words
    assert (m.executor, m.devices, m.halo) == ("graph", 4, 2)
    assert measured_of_step({**step, "refused": "no"}) is None


def test_lines_are_read_and_damage_is_told(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    step = {"case": "himeno/S", "executor": "eager", "ranks": 1, "seconds": 1e-6}
    path.write_text(json.dumps(step) + "\n\n" + json.dumps({**step, "refused": "x"}) + "\n")
    assert [m.executor for m in read_measured([path])] == ["eager"]
    assert is_measured(path)
    path.write_text("{")
    with pytest.raises(TasukiError, match="no measured steps"):
        read_measured([path])


def test_files_and_words_are_told_apart(tmp_path: Path) -> None:
    assert split_words(["a.json", "b.jsonl", "--machine", "x.json"]) == (
        [Path("a.json"), Path("b.jsonl")],
        ["--machine", "x.json"],
    )
    assert split_words(["himeno", "--size", "M"]) == ([], ["himeno", "--size", "M"])
    assert is_measured(laplace_record(tmp_path / "r.json"))
    assert not is_measured(MODELS / "dscuda-remd-2014.json")


def test_a_table_that_is_none_is_refused() -> None:
    for text in ("", "[]", '{"rows": [{}]}', '{"name": "x", "rows": 3}'):
        with pytest.raises(TasukiError, match="no table"):
            parse_forecast(text)


def test_predictions_that_are_off_are_counted() -> None:
    rows = (
        row(program="himeno --size M", measured=4e-6, calibrates=True),
        row(program="himeno --size M", devices=2, measured=3.8e-6, seconds=4e-6),
        row(program="himeno --size M", devices=4, measured=2e-6, seconds=4e-6),
        row(program="himeno --size M", devices=8, measured=2e-6, not_here="a face goes by mpi"),
    )
    text = shown(comparison_table(Forecast("on nothing", "", rows)))
    assert "1 of 2 predictions agree to 10 %" in text
    assert "2.00 times" in text
    assert "calibrated" in text
    assert "not here" in text
    assert rows[1].agrees
    assert not rows[2].agrees


def test_a_forecast_is_a_table_and_a_picture(tmp_path: Path) -> None:
    rows = tuple(
        row(series=name, devices=n, efficiency=1 / n, halo="1", block=(64, 64 // n), chosen=name == "graph")
        for n in (1, 2, 4)
        for name in ("eager", "graph")
    )
    forecast = Forecast("laplace on nothing", "as measured", (*rows, row(devices=8, not_here="no", halo="1")))
    text = shown(forecast_table(forecast))
    assert "64x16" in text
    assert "25.0 %" in text
    assert "as measured" in text
    assert to_json(forecast, None)["forecast"]["rows"][0]["devices"] == 1
    measured = [row(measured=5e-6), row(devices=2, measured=3e-6)]
    for dots in ((), measured):
        assert plot_forecast(forecast, dots, tmp_path / "f.png").stat().st_size > 10_000
    once = Forecast("x", "", rows[::2])
    assert plot_forecast(once, measured, tmp_path / "g.png").stat().st_size > 10_000


def test_the_command_hands_records_over(tasuki: Command, fake_model: Path, tmp_path: Path) -> None:
    laplace_record(tmp_path / "r.json")
    done = tasuki("model", "r.json")
    assert done.returncode == 0, done.stderr
    assert "predicted and measured" in done.stdout
    asked = json.loads((tmp_path / "asked.json").read_text())
    assert asked["words"] == ["batch", "-", "--machine", "host", "--json"]
    assert asked["lines"][0]["devices"] == 2
    done = tasuki("model", "r.json", "--constants", "c.json", "--json")
    assert json.loads(done.stdout)["compared"]["rows"][0]["measured"] == 1.25 / 20
    words = json.loads((tmp_path / "asked.json").read_text())["words"]
    assert words == ["batch", "-", "--constants", "c.json", "--json"]


def test_the_command_hands_a_program_over(tasuki: Command, fake_model: Path, tmp_path: Path) -> None:
    done = tasuki("model", "himeno", "--size", "M", "--forecast", "16", "--plot", "p.png")
    assert done.returncode == 0, done.stderr
    asked = json.loads((tmp_path / "asked.json").read_text())["words"]
    assert asked == ["himeno", "--size", "M", "--forecast", "16", "--json"]
    assert (tmp_path / "p.png").is_file()


def test_refusals_are_a_line(tasuki: Command, fake_model: Path, tmp_path: Path) -> None:
    assert "--size Q is unknown" in error_line(tasuki("model", "himeno", "--refuse"))
    laplace_record(tmp_path / "r.json")
    assert "add --forecast" in error_line(tasuki("model", "r.json", "--plot", "p.png"))
    laplace_record(tmp_path / "s.json", machine={"device": "cuda", "device_name": "Abacus 9", "ranks": 1})
    assert "several machines" in error_line(tasuki("model", "r.json", "s.json"))
    fake_model.unlink()
    assert "not built" in error_line(tasuki("model", "himeno"))


def native_model(native: Command) -> None:
    if locate("model") is None:
        pytest.skip("tasuki-model is not built")


def test_the_study_in_whole(native: Command) -> None:
    native_model(native)
    done = native("model", str(MODELS / "dscuda-remd-2014.json"), "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["forecast"]["rows"]
    ms = [round(1e3 * r["seconds"]) for r in rows]
    assert ms == [597, 174, 108, 254, 7555, 1913, 543, 362]


def test_the_study_of_one_address_space_in_whole(native: Command, tmp_path: Path) -> None:
    native_model(native)
    study = str(MODELS / "msms-stencil.json")
    done = native("model", study, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["forecast"]["rows"][:5]
    assert [round(r["seconds"], 1) for r in rows] == [14.0, 14.4, 14.5, 14.6, 14.7]
    assert [round(100 * r["efficiency"]) for r in rows] == [100, 97, 96, 96, 95]  # weak scaling
    slow = tmp_path / "slow.json"
    slow.write_text('{"schema": 1, "device": "host", "space": {"section_bandwidth": 1e8}}')
    done = native("model", study, "--constants", str(slow), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["forecast"]["rows"][1]["seconds"] > 14 + 32 * 1.3


def test_a_forecast_in_whole(native: Command, tmp_path: Path) -> None:
    native_model(native)
    done = native(
        "model", "himeno", "--size", "M", "--forecast", "4096", "--machine", "NVIDIA H200", "--json"
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["forecast"]["rows"]
    assert [r["devices"] for r in rows] == [2**k for k in range(13)]
    for r in rows:
        if not r["not_here"]:
            assert abs(sum(r["parts"].values()) - r["seconds"]) < 1e-12


def test_constants_are_fitted_and_taken(native: Command, tmp_path: Path) -> None:
    native_model(native)
    where = ["--machine", "NVIDIA H200"]
    lines = []
    for size in ("512", "2048", "8192"):
        words = ["laplace", "--nx", size, "--ny", size, "--devices", "1,2,4", "--executor", "all"]
        done = native("model", *words, *where, "--json")
        assert done.returncode == 0, done.stderr
        for r in json.loads(done.stdout)["forecast"]["rows"]:
            # A machine that takes 1.5 times as long for all; the link to a host is not fitted.
            if not r["not_here"] and r["series"] != "streamed":
                case = {"case": f"laplace/{size}x{size}", "executor": r["series"], "ranks": r["devices"]}
                lines.append(json.dumps({**case, "blocks": r["ranks"], "seconds": 1.5 * r["seconds"]}))
    (tmp_path / "steps.jsonl").write_text("\n".join(lines))
    done = native("model", "steps.jsonl", *where, "--fit", "c.json", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["compared"]["rows"]
    assert len(rows) == len(lines)
    for r in rows:
        assert abs(r["seconds"] / r["measured"] - 1) < 0.1, r
    words = ["--nx", "8192", "--ny", "8192", "--devices", "1", "--executor", "eager"]
    again = native("model", "laplace", *words, "--constants", "c.json", "--json")
    fitted = json.loads(again.stdout)["forecast"]["rows"][0]["seconds"]
    one = next(r for r in rows if r["devices"] == 1 and "8192" in r["program"] and r["series"] == "eager")
    assert abs(fitted / one["measured"] - 1) < 0.1


def test_a_run_of_today_is_predicted(native: Command, tmp_path: Path) -> None:
    """How well, is not asked: nobody knows what else this machine does."""
    native_model(native)
    for ranks in ("1", "2"):
        words = ["--nx", "96", "--ny", "64", "--times", "20", "--device", "host", "--record", f"{ranks}.json"]
        assert native("run", "laplace", "-n", ranks, *words).returncode == 0
    done = native("model", "1.json", "2.json", "--forecast", "8", "--plot", "p.png", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert [r["devices"] for r in data["compared"]["rows"]] == [1, 2]
    assert all(r["seconds"] > 0 for r in data["compared"]["rows"] if not r["not_here"])
    assert [r["devices"] for r in data["forecast"]["rows"]] == [1, 2, 4, 8]
    assert (tmp_path / "p.png").is_file()
    print([r["seconds"] / r["measured"] for r in data["compared"]["rows"]])


def test_measured_keeps_what_it_was_given() -> None:
    m = Measured(("himeno", "--size", "S"), 2, "graph", 1e-6, ranks=(1, 1, 2), halo=1)
    line = json.loads(m.line())
    assert line["ranks"] == [1, 1, 2]
    assert line["seconds"] == 1e-6
