"""What the buttons of a form do: they change the post, and the form is made anew."""

import json
from collections.abc import Callable, Collection

Post = dict[str, str]
ROW = "~+"


def press(post: Post, button: str, secret: Collection[str] = ()) -> Post:
    """Return the post as it is after a button such as "remove:/lines/1".

    What stands at `secret` paths is not kept for later.
    """
    verb, _, path = button.partition(":")
    if verb == "pick":
        return _pick(dict(post), path, secret)
    move = MOVES.get(verb)
    return post if move is None else move(dict(post), path)


def _add(post: Post, path: str) -> Post:
    post[f"rows:{path}"] = str(_count(post, path) + 1)
    return _as_value(post, path)


def _remove(post: Post, path: str) -> Post:
    parent, mark, index = _row(path)
    count = _count(post, parent)
    post = {n: text for n, text in post.items() if not _is_below(n, path)}
    for later in range(index + 1, count):
        post = _rename(post, f"{parent}/{mark}{later}", f"{parent}/{mark}{later - 1}")
    post[f"rows:{parent}"] = str(max(count - 1, 0))
    members = any(_is_below(name, f"{parent}/") for name in post)
    if count > 1 or members:
        return _as_value(post, parent)
    if f"how:{parent}" in post:
        post[f"how:{parent}"] = "default"
    return post


def _up(post: Post, path: str) -> Post:
    parent, mark, index = _row(path)
    if index == 0:
        return post
    before = f"{parent}/{mark}{index - 1}"
    post = _rename(post, path, f"{parent}/{mark}-")
    post = _rename(post, before, path)
    return _as_value(_rename(post, f"{parent}/{mark}-", before), parent)


def _down(post: Post, path: str) -> Post:
    parent, mark, index = _row(path)
    if index + 1 >= _count(post, parent):
        return post
    return _up(post, f"{parent}/{mark}{index + 1}")


def _open(post: Post, path: str) -> Post:
    post[f"open:{path}"] = "1"
    return _as_value(post, path)


def _pick(post: Post, path: str, secret: Collection[str]) -> Post:
    """Show another variant of a union; what was typed in the one before is kept."""
    before, after = post.get(f"shown:{path}", ""), post.get(f"pick:{path}", "")
    own = {f"{what}:{path}" for what in ("pick", "shown", "how")}
    panel = [
        name
        for name in post
        if _is_below(name, path) and name not in own and not name.startswith("was:")
    ]
    kept = {name: text for name, text in post.items() if name not in panel}
    if before != "":
        shown = [name for name in panel if name.partition(":")[2] not in secret]
        typed = {_move(name, path, ""): post[name] for name in shown}
        kept[f"was:{path}/{before}"] = json.dumps(typed)
    kept |= _recalled(kept.pop(f"was:{path}/{after}", ""), path)
    kept[f"shown:{path}"] = after
    return _as_value(kept, path)


def _recalled(text: str, path: str) -> Post:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    typed = found.items() if isinstance(found, dict) else ()
    return {_move(n, "", path): text for n, text in typed if isinstance(text, str)}


def _plain(post: Post, path: str) -> Post:
    """Take the JSON box away; the ordinary field keeps the text."""
    post.pop(f"raw:{path}", None)
    return post


def _as_value(post: Post, path: str) -> Post:
    if post.get(f"how:{path}") in ("default", "leave", "null", "empty"):
        post[f"how:{path}"] = "value"
    return post


def _row(path: str) -> tuple[str, str, int]:
    parent, _, step = path.rpartition("/")
    mark = ROW if step.startswith(ROW) else ""
    number = step.removeprefix(mark)
    return parent, mark, int(number) if number.isdecimal() else 0


def _count(post: Post, path: str) -> int:
    posted = post.get(f"rows:{path}", "0")
    return int(posted) if posted.isdecimal() and len(posted) < 6 else 0


def _is_below(name: str, path: str) -> bool:
    here = name.partition(":")[2]
    return here == path or here.startswith(f"{path.removesuffix('/')}/")


def _rename(post: Post, old: str, new: str) -> Post:
    return {
        _move(name, old, new) if _is_below(name, old) else name: text
        for name, text in post.items()
    }


def _move(name: str, old: str, new: str) -> str:
    what, _, here = name.partition(":")
    return f"{what}:{new}{here[len(old) :]}"


MOVES: dict[str, Callable[[Post, str], Post]] = {
    "add": _add,
    "remove": _remove,
    "up": _up,
    "down": _down,
    "open": _open,
    "plain": _plain,
}
