"""Fields of a lattice in numpy, and files of them as other programs write them, by the formats' descriptions.

NERSC, MILC and openQCD in every width and order of bytes, ILDG and SciDAC; and the other way, for ILDG, NERSC
and SciDAC files, what has to be in each. Checksums by zlib.
"""

from __future__ import annotations

import math
import struct
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import numpy as np

EXTENTS = (4, 6, 2, 8)  # x, y, z, t
LIME = 0x456789AB


# ---- fields, [t, z, y, x, mu, row, column] complex ---------------------------------------------------------


def random_links(random: np.random.Generator) -> np.ndarray:
    x, y, z, t = EXTENTS
    shape = (t, z, y, x, 4, 3, 3)
    matrices = random.normal(size=shape) + 1j * random.normal(size=shape)
    unitary, _ = np.linalg.qr(matrices)
    return unitary / np.linalg.det(unitary)[..., None, None] ** (1 / 3)


AXIS = (3, 2, 1, 0)  # of the array, by mu


def forward(field: np.ndarray, mu: int) -> np.ndarray:
    """The field at n + mu, at n."""
    return np.roll(field, -1, axis=AXIS[mu])


def plaquette(u: np.ndarray) -> float:
    total = 0.0
    for mu in range(4):
        for nu in range(mu):
            a, b = u[..., mu, :, :], u[..., nu, :, :]
            up = a @ forward(b, mu)
            down = b @ forward(a, nu)
            total += np.einsum("...ij,...ij->...", up, down.conj()).real.mean()
    return float(total / 6 / 3)


def link_trace(u: np.ndarray) -> float:
    return float(np.trace(u, axis1=-2, axis2=-1).real.mean() / 3)


# ---- checksums ---------------------------------------------------------------------------------------------


def turn(word: int, by: int) -> int:
    return ((word << by) | (word >> (32 - by))) & 0xFFFFFFFF if by else word


def scidac_sums(data: bytes, sites: int) -> tuple[int, int]:
    size, a, b = len(data) // sites, 0, 0
    for site in range(sites):
        crc = zlib.crc32(data[site * size : (site + 1) * size])
        a ^= turn(crc, site % 29)
        b ^= turn(crc, site % 31)
    return a, b


def milc_sums(data: bytes, order: str) -> tuple[int, int]:
    a = b = 0
    for i, (word,) in enumerate(struct.iter_unpack(order + "I", data)):
        a ^= turn(word, i % 29)
        b ^= turn(word, i % 31)
    return a, b


# ---- what others write -------------------------------------------------------------------------------------


def raw(field: np.ndarray, number: str) -> bytes:
    """Numbers as the file has them; `number`: ">f8"."""
    pairs = np.stack([field.real, field.imag], axis=-1)
    return pairs.astype(number).tobytes()


def nersc(u: np.ndarray, number: str, rows: int) -> bytes:
    data = raw(u[..., :rows, :], number)
    words = sum(word for (word,) in struct.iter_unpack(number[0] + "I", data)) & 0xFFFFFFFF
    kind = {">f4": "IEEE32BIG", "<f4": "IEEE32LITTLE", ">f8": "IEEE64BIG", "<f8": "IEEE64LITTLE"}
    lines = ["BEGIN_HEADER", "HDR_VERSION = 1.0", f"DATATYPE = 4D_SU3_GAUGE{'_3x3' if rows == 3 else ''}"]
    lines += [f"DIMENSION_{a + 1} = {n}" for a, n in enumerate(EXTENTS)]
    lines += [
        f"CHECKSUM = {words:x}",
        f"LINK_TRACE = {link_trace(u):.10g}",
        f"PLAQUETTE = {plaquette(u):.8f}",
    ]
    lines += [f"FLOATING_POINT = {kind[number]}", "END_HEADER", ""]
    return "\n".join(lines).encode() + data


def milc(u: np.ndarray, order: str) -> bytes:
    data = raw(u, order + "f4")
    head = struct.pack(order + "i4i", 20103, *EXTENTS) + b"Thu Jan 1 1970".ljust(64, b"\0")
    return head + struct.pack(order + "iII", 0, *milc_sums(data, order)) + data


def openqcd(u: np.ndarray) -> bytes:
    nx, ny, nz, nt = EXTENTS
    out = struct.pack("<4id", nt, nx, ny, nz, 3 * plaquette(u))
    for t in range(nt):
        for x in range(nx):
            for y in range(ny):
                for z in range(nz):
                    if (t + x + y + z) % 2 == 0:
                        continue
                    for mu in (3, 0, 1, 2):
                        at = [t, z, y, x]
                        out += raw(u[(*at, mu)], "<f8")
                        at[AXIS[mu]] = (at[AXIS[mu]] - 1) % EXTENTS[mu]
                        out += raw(u[(*at, mu)], "<f8")
    return out


def lime(records: list[tuple[str, bytes]]) -> bytes:
    out = b""
    for kind, data in records:
        out += struct.pack(">IHHQ", LIME, 1, 0xC000, len(data)) + kind.encode().ljust(128, b"\0")
        out += data + b"\0" * (-len(data) % 8)
    return out


def checksum_xml(data: bytes) -> bytes:
    a, b = scidac_sums(data, math.prod(EXTENTS))
    sums = f"<suma>{a:x}</suma><sumb>{b:x}</sumb>"
    return f"<scidacChecksum><version>1.0</version>{sums}</scidacChecksum>".encode()


def file_xml() -> bytes:
    dims = " ".join(map(str, EXTENTS))
    text = f"<version>1.1</version><spacetime>4</spacetime><dims>{dims} </dims><volfmt>0</volfmt>"
    return f"<scidacFile>{text}</scidacFile>\0".encode()


def record_xml(number: str, reals: int, count: int, spins: int, kind: int = 0) -> bytes:
    width = int(number[2])
    return (
        f"<scidacRecord><version>1.1</version><date>-</date><recordtype>{kind}</recordtype><datatype>Lattice</datatype>"
        f"<precision>{'D' if width == 8 else 'F'}</precision><colors>3</colors><spins>{spins}</spins>"
        f"<typesize>{reals * width}</typesize><datacount>{count}</datacount></scidacRecord>\0"
    ).encode()


def ildg(u: np.ndarray, number: str) -> bytes:
    data = raw(u, number)
    x, y, z, t = EXTENTS
    text = (
        "<ildgFormat><version>1.0</version><field>su3gauge</field>\n"
        f"<precision>{8 * int(number[2])}</precision>\n"
        f"<lx>{x}</lx><ly> {y} </ly><lz>{z}</lz><lt>{t}</lt></ildgFormat>"
    )
    return lime(
        [("ildg-format", text.encode()), ("ildg-binary-data", data), ("scidac-checksum", checksum_xml(data))]
    )


def scidac(u: np.ndarray, number: str) -> bytes:
    data = raw(u, number)
    return lime(
        [
            ("scidac-private-file-xml", file_xml()),
            ("scidac-file-xml", b"<title>x</title>"),
            ("scidac-private-record-xml", record_xml(number, 18, 4, 1)),
            ("scidac-record-xml", b"<note/>"),
            ("scidac-binary-data", data),
            ("scidac-checksum", checksum_xml(data)),
        ]
    )


def propagator(s: np.ndarray, number: str) -> bytes:
    """Of [t, z, y, x, spin, spin of source, colour, colour of source]."""
    data = raw(s, number)
    return lime(
        [
            ("scidac-private-file-xml", file_xml()),
            ("scidac-file-xml", b"<title>x</title>"),
            ("scidac-private-record-xml", record_xml(number, 288, 1, 4)),
            ("scidac-record-xml", b"<note/>"),
            ("scidac-binary-data", data),
            ("scidac-checksum", checksum_xml(data)),
        ]
    )


def twelve_sinks(s: np.ndarray, number: str) -> bytes:
    """USQCD's file of a complex source, then twelve sinks."""
    source = raw(np.ones(EXTENTS[:3]), number)
    records = [
        ("scidac-private-file-xml", file_xml()),
        (
            "scidac-file-xml",
            b"<usqcdPropFile><type>USQCD_DiracFermion_ScalarSource_TwelveSink</type></usqcdPropFile>",
        ),
        ("scidac-private-record-xml", record_xml(number, 2, 1, 1, kind=2)),
        ("scidac-record-xml", b"<note/>"),
        ("scidac-binary-data", source),
        ("scidac-checksum", b"<scidacChecksum><suma>0</suma><sumb>0</sumb></scidacChecksum>"),
    ]
    for spin in range(4):
        for colour in range(3):
            data = raw(s[..., spin, :, colour], number)
            text = f"<usqcdPropInfo><spin>{spin}</spin><color>{colour}</color></usqcdPropInfo>"
            records += [
                ("scidac-private-record-xml", record_xml(number, 24, 1, 4)),
                ("scidac-record-xml", text.encode()),
                ("scidac-binary-data", data),
                ("scidac-checksum", checksum_xml(data)),
            ]
    return lime(records)


# ---- what format_tool writes, taken apart ------------------------------------------------------------------


def lime_records(data: bytes) -> list[tuple[str, bytes]]:
    at, records, begun = 0, [], False
    while at < len(data):
        magic, version, flags, size = struct.unpack_from(">IHHQ", data, at)
        assert (magic, version) == (LIME, 1), "a record's head"
        assert bool(flags & 0x8000) != begun, "messages begin once"
        begun = not flags & 0x4000
        kind = data[at + 16 : at + 144].rstrip(b"\0").decode()
        records.append((kind, data[at + 144 : at + 144 + size]))
        end = at + 144 + size
        at = at + 144 + (size + 7) // 8 * 8
        assert data[end:at] == b"\0" * (at - end), "padding"
    assert not begun and at == len(data), "the file ends with its last message"
    return records


def xml(data: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(data.rstrip(b"\0").decode())


def check_checksum(records: dict[str, bytes], data: bytes) -> None:
    sums = xml(records["scidac-checksum"])
    found = tuple(int(sums.findtext(tag), 16) for tag in ("suma", "sumb"))
    assert found == scidac_sums(data, math.prod(EXTENTS)), "the checksum"


def check_ildg(path: Path, u: np.ndarray, number: str) -> bytes:
    listed = lime_records(path.read_bytes())
    kinds = [kind for kind, _ in listed]
    assert len(set(kinds)) == len(kinds)
    records = dict(listed)
    form = xml(records["ildg-format"])
    names = {element.tag.split("}")[-1]: element.text for element in form}
    assert tuple(int(names[tag]) for tag in ("lx", "ly", "lz", "lt")) == EXTENTS
    assert int(names["precision"]) == 8 * int(number[2]) and names["field"] == "su3gauge"
    dims = xml(records["scidac-private-file-xml"]).findtext("dims")
    assert tuple(map(int, dims.split())) == EXTENTS
    record = xml(records["scidac-private-record-xml"])
    assert record.findtext("typesize") == str(18 * int(number[2])) and record.findtext("datacount") == "4"
    assert records["ildg-binary-data"] == raw(u, number), "the links"
    assert kinds.index("scidac-checksum") > kinds.index("ildg-binary-data") > kinds.index("ildg-format")
    assert records["ildg-data-lfn"] == b"lfn://local/" + path.name.encode(), "the name"
    check_checksum(records, records["ildg-binary-data"])
    return records["ildg-binary-data"]


def check_nersc(path: Path, u: np.ndarray, number: str, rows: int) -> bytes:
    head, data = path.read_bytes().split(b"END_HEADER\n", 1)
    lines = head.decode("ascii").splitlines()
    assert lines[0] == "BEGIN_HEADER"
    fields = dict(line.split(" = ", 1) for line in lines[1:])
    assert fields["DATATYPE"] == ("4D_SU3_GAUGE_3x3" if rows == 3 else "4D_SU3_GAUGE")
    assert tuple(int(fields[f"DIMENSION_{a}"]) for a in (1, 2, 3, 4)) == EXTENTS
    assert fields["FLOATING_POINT"] == f"IEEE{8 * int(number[2])}BIG"
    assert data == raw(u[..., :rows, :], number), "the links"
    words = sum(word for (word,) in struct.iter_unpack(">I", data)) & 0xFFFFFFFF
    assert int(fields["CHECKSUM"], 16) == words, "the checksum"
    assert abs(float(fields["LINK_TRACE"]) - link_trace(u)) < 1e-11, "the link trace"
    assert abs(float(fields["PLAQUETTE"]) - plaquette(u)) < 1e-11, "the plaquette"
    return data


def check_propagator(path: Path, s: np.ndarray, number: str) -> bytes:
    records = dict(lime_records(path.read_bytes()))
    record = xml(records["scidac-private-record-xml"])
    assert [record.findtext(tag) for tag in ("colors", "spins", "datacount")] == ["3", "4", "1"]
    assert record.findtext("typesize") == str(288 * int(number[2]))
    assert records["scidac-binary-data"] == raw(s, number), "the propagator"
    check_checksum(records, records["scidac-binary-data"])
    return records["scidac-binary-data"]
