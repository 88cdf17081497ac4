"""Archives of many files: written the same for the same files, and read as what a stranger made.

Names are relative, plain and different; links, passwords, other ways of packing and more bytes than are
declared are refused before anything is unpacked.
"""

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from concord.errors import FileFormatError, quoted
from concord.files import limits
from concord.files.contents import is_folder, read_bytes
from concord.files.output import write_bytes
from concord.files.sheet_xml import BROKEN, inflate

_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that an archive can hold: when a file was written is not what it holds."""
_NAME_LENGTH, _PARTS = 400, 20
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\\:*?"<>|\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff]')


def write_archive(path: Path, members: Mapping[str, bytes]) -> None:
    """Write files into an archive: sorted by their names, under one date."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system, info.external_attr = 3, (stat.S_IFREG | 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, members[name])
    write_bytes(path, held.getvalue())


def read_archive(path: Path) -> dict[str, bytes]:
    """Return the files of an archive, or of a folder that one was unpacked to, by their names."""
    return _folder_members(path) if is_folder(path) else _zip_members(path)


def safe_member(name: str, place: str) -> str:
    """Return the name of a member; refuse one that is absolute, leads upwards or cannot be shown.

    >>> safe_member("results/run.json", "pack.zip")
    'results/run.json'
    """
    parts = PurePosixPath(name).parts
    if not parts or len(name) > _NAME_LENGTH or len(parts) > _PARTS or _UNSAFE.search(name):
        raise FileFormatError(f"{place}: a member is named {quoted(name)}, which is no plain relative name")
    if name.startswith("/") or ".." in parts or "." in name.split("/") or "" in name.split("/"):
        raise FileFormatError(f"{place}: the member {quoted(name)} leads out of the archive; refused")
    return name


def _distinct(names: Iterable[str], place: str) -> None:
    """Refuse names that some machines cannot tell apart."""
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise FileFormatError(f"{place}: the member {quoted(name)} is in it twice; refused")
        seen.add(name.casefold())


def _zip_members(path: Path) -> dict[str, bytes]:
    data = read_bytes(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [one for one in archive.infolist() if not _is_folder_entry(one)]
            _check_entries(path.name, entries, len(data))
            return {one.filename: _unpacked(path.name, data, one) for one in entries}
    except BROKEN as fault:
        raise FileFormatError(f"{path.name}: is no archive, or a damaged one ({fault})") from fault


def _is_folder_entry(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.endswith("/") and entry.file_size == 0


def _check_entries(place: str, entries: list[zipfile.ZipInfo], packed: int) -> None:
    """Refuse what no honest archive declares, before a byte is unpacked."""
    whole = sum(one.file_size for one in entries)
    if len(entries) > limits.MEMBERS:
        raise FileFormatError(f"{place}: {len(entries):,} members, expected at most {limits.MEMBERS:,}")
    bomb = whole > limits.BOMB_SIZE and whole > limits.BOMB_RATIO * packed
    if whole > limits.PACK_UNPACKED or bomb:
        raise FileFormatError(
            f"{place}: {packed:,} bytes unpack to {whole:,} (a zip bomb?); refused without unpacking"
        )
    for one in entries:
        safe_member(one.filename, place)
        mode = one.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise FileFormatError(f"{place}: {quoted(one.filename)} is a link or a device; refused")
        if one.flag_bits & 1:
            raise FileFormatError(f"{place}: {quoted(one.filename)} needs a password; refused")
    _distinct((one.filename for one in entries), place)


def _unpacked(place: str, data: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Unpack one member; its size and checksum must be those declared."""
    content = inflate(data, entry)
    if len(content) != entry.file_size:
        raise FileFormatError(f"{place}: {quoted(entry.filename)} is not as long as it declares; refused")
    if zlib.crc32(content) != entry.CRC:
        raise FileFormatError(f"{place}: {quoted(entry.filename)} is damaged: its checksum is another")
    return content


def _folder_members(folder: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    whole = 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise FileFormatError(f"{path} is a link; refused")
        if path.is_dir():
            continue
        name = safe_member(path.relative_to(folder).as_posix(), str(folder))
        found[name] = read_bytes(path)
        whole += len(found[name])
        if whole > limits.PACK_UNPACKED or len(found) > limits.MEMBERS:
            raise FileFormatError(f"{folder}: holds more than a pack may; refused")
    _distinct(found, str(folder))
    return found
