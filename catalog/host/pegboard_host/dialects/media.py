"""What bytes are, by their first ones."""

from __future__ import annotations

import mimetypes

MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png", ".png"),
    (b"\xff\xd8\xff", "image/jpeg", ".jpg"),
    (b"GIF8", "image/gif", ".gif"),
    (b"%PDF-", "application/pdf", ".pdf"),
    (b"PK\x03\x04", "application/zip", ".zip"),
    (b"\x1f\x8b", "application/gzip", ".gz"),
    (b"\x93NUMPY", "application/octet-stream", ".npy"),
)


def media_type_of(content: bytes) -> tuple[str, str]:
    """The media type and a fitting suffix; text only if all of it is UTF-8."""
    for magic, media_type, suffix in MAGIC:
        if content.startswith(magic):
            return media_type, suffix
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp", ".webp"
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream", ".bin"
    binary = "\x00" in text
    return ("application/octet-stream", ".bin") if binary else ("text/plain", ".txt")


def media_type_by_name(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"
