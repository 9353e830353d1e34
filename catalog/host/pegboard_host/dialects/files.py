"""Files that go in: uploads and base64, put where the contract wants them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pegboard_tool import InputFile

from .base import ArgumentsRefused, Context, Schema
from .media import media_type_by_name


def safe_name(name: str, taken: set[str] | None = None) -> str:
    """A file name without folders, control characters or surprises, and unique."""
    base = re.split(r"[\\/]", name)[-1].strip().lstrip(".")
    base = re.sub(r"[^\w .()+,=@-]", "_", base)[-120:].strip() or "file"
    if taken is None:
        return base
    stem, dot, suffix = base.rpartition(".")
    stem, suffix = (stem, dot + suffix) if stem else (base, "")
    count, chosen = 1, base
    while chosen.casefold() in taken:
        count += 1
        chosen = f"{stem}-{count}{suffix}"
    taken.add(chosen.casefold())
    return chosen


def place(schema: Schema, arguments: dict[str, Any], context: Context) -> Any:
    """Put each file argument where the tool finds it: as a path, or as its bytes."""
    return _Placing(schema, context).walk(schema, arguments)


class _Placing:
    def __init__(self, root: Schema, context: Context) -> None:
        self.root, self.context = root, context

    def walk(self, schema: Any, value: Any) -> Any:
        shapes = list(self._shapes(schema, 0))
        upload = is_upload(value)
        for shape in shapes:
            if is_file(shape) and (upload or isinstance(value, str)):
                return self._file(shape, value)
        if isinstance(value, dict) and not upload:
            return {key: self._member(shapes, key, item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._item(shapes, at, item) for at, item in enumerate(value)]
        return value

    def _shapes(self, schema: Any, depth: int) -> Iterator[Schema]:
        """The schema and what it leads to, without going into values."""
        if not isinstance(schema, dict) or depth > 8:
            return
        yield schema
        if isinstance(ref := schema.get("$ref"), str) and ref.startswith("#/"):
            target: Any = self.root
            for step in ref[2:].split("/"):
                step = step.replace("~1", "/").replace("~0", "~")
                target = target.get(step, {}) if isinstance(target, dict) else {}
            yield from self._shapes(target, depth + 1)
        for key in ("anyOf", "oneOf", "allOf"):
            for option in schema.get(key) or []:
                yield from self._shapes(option, depth + 1)

    def _member(self, shapes: list[Schema], key: str, value: Any) -> Any:
        for shape in shapes:
            if isinstance(inner := shape.get("properties", {}).get(key), dict):
                return self.walk(inner, value)
        for shape in shapes:
            if isinstance(inner := shape.get("additionalProperties"), dict):
                return self.walk(inner, value)
        return value

    def _item(self, shapes: list[Schema], at: int, value: Any) -> Any:
        for shape in shapes:
            first = shape.get("prefixItems") or []
            inner = first[at] if at < len(first) else shape.get("items")
            if isinstance(inner, dict):
                return self.walk(inner, value)
        return value

    def _file(self, shape: Schema, value: Any) -> Any:
        as_bytes = shape.get("contentEncoding") == "base64"
        if isinstance(value, str) and as_bytes:
            return _from_base64(value) if shape.get("format") == "binary" else value
        if isinstance(value, str):
            return self._written("file", _from_base64(value))
        upload = self.context.uploads.get(str(value["upload"]))
        if upload is None:
            raise ArgumentsRefused(f"there is no upload {value['upload']!r}")
        if not as_bytes:
            return _input(upload["path"], upload.get("name"), upload.get("media_type"))
        content = Path(upload["path"]).read_bytes()
        if shape.get("format") == "binary":
            return content
        return base64.b64encode(content).decode("ascii")

    def _written(self, name: str, content: bytes) -> InputFile:
        target = self._target(name)
        target.write_bytes(content)
        return _input(str(target), name)

    def _target(self, name: str) -> Path:
        folder = self.context.folder.parent / "in"
        folder.mkdir(parents=True, exist_ok=True)
        taken = {path.name.casefold() for path in folder.iterdir()}
        return folder / safe_name(name, taken)


def _input(path: str, name: str | None, media_type: str | None = None) -> InputFile:
    file = InputFile(path)
    file.name = name or Path(path).name
    file.media_type = media_type or media_type_by_name(file.name)
    return file


def is_upload(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"upload"}


def is_file(schema: Schema) -> bool:
    text = schema.get("type") == "string"
    encoded = schema.get("contentEncoding") == "base64"
    return text and (schema.get("format") == "binary" or encoded)


def _from_base64(text: str) -> bytes:
    if text.startswith("data:") and ";base64," in text[:200]:
        text = text.partition(";base64,")[2]
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ArgumentsRefused("a file is given as an upload or as base64") from None
