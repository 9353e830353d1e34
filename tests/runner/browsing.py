"""A browser's part in a form: the controls of a page, and what it posts of them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from catalog.schema import normalise
from runner import forms

TEXTS = {"text", "password", "hidden", "date", "time", "datetime-local", "file"}


@dataclass
class Control:
    name: str
    kind: str
    value: str = ""
    checked: bool = False
    options: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """The controls of a page, in order; HTML as a browser reads it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.controls: list[Control] = []
        self.buttons: list[str] = []
        self._area: Control | None = None
        self._select: Control | None = None
        self._selected = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given: dict[str, Any] = dict(attrs)
        name = given.get("name") or ""
        if tag == "button" and name == "do" and "disabled" not in given:
            self.buttons.append(given["value"])
        if tag == "option" and self._select is not None:
            self._option(given)
        if not name:
            return
        if tag == "input":
            kind = given.get("type", "text")
            assert kind in TEXTS | {"checkbox", "radio"}
            value = given.get("value") or ""
            if kind in ("text", "password"):
                value = value.replace("\n", "").replace("\r", "")
            self.controls.append(Control(name, kind, value, "checked" in given))
        elif tag == "textarea":
            self._area = Control(name, "textarea")
            self.controls.append(self._area)
        elif tag == "select":
            self._select, self._selected = Control(name, "select"), False
            self.controls.append(self._select)

    def _option(self, given: dict[str, Any]) -> None:
        assert self._select is not None
        value = given.get("value") or ""
        if "selected" in given or (not self._select.options and not self._selected):
            self._select.value = value
            self._selected = "selected" in given
        self._select.options.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._area is not None:
            text = self._area.value.replace("\r\n", "\n").replace("\r", "\n")
            self._area.value = text.removeprefix("\n")
            self._area = None
        if tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area.value += data

    def post(self, button: str | None = None) -> dict[str, str]:
        """Return what is posted: the last of each name, lines ended with CRLF."""
        posted: dict[str, str] = {}
        for control in self.controls:
            if control.kind in ("checkbox", "radio") and not control.checked:
                continue
            if control.kind == "file":
                continue
            text = control.value.replace("\n", "\r\n")
            posted[control.name] = text
        if button is not None:
            assert button in self.buttons, f"no button {button}"
            posted["do"] = button
        return posted

    def offers(self, name: str, value: str) -> bool:
        """Tell whether a choice has the value; other controls take any."""
        found = [c for c in self.controls if c.name == name]
        radios = [control.value for control in found if control.kind == "radio"]
        lists = [control.options for control in found if control.kind == "select"]
        return all(value in each for each in ([radios] if radios else []) + lists)

    def left_out(self, name: str) -> str:
        """Return the option of a "how" that leaves the field out."""
        found = next(control for control in self.controls if control.name == name)
        both = ("default", "leave")
        return next((text for text in found.options if text in both), "default")

    def takes(self, name: str, text: str) -> bool:
        """Tell whether the text can be typed where it belongs."""
        found = [c for c in self.controls if c.name == name and c.kind != "hidden"]
        lines = all(c.kind in ("textarea", "select", "radio") for c in found)
        return "\n" not in text or lines

    def type(self, name: str, value: str) -> None:
        """Set a control as a person would; a name that is not there fails."""
        found = [c for c in self.controls if c.name == name and c.kind != "hidden"]
        assert found, f"nothing to fill in called {name}"
        for control in found:
            if control.kind in ("radio", "checkbox"):
                control.checked = control.value == value
            else:
                if control.kind == "select":
                    assert value in control.options, (name, value, control.options)
                if control.kind not in ("textarea", "select"):
                    assert "\n" not in value, f"no line break can be typed in {name}"
                control.value = value
        if found[0].kind == "radio":
            assert any(control.checked for control in found) or value == ""


class Visit:
    """A person with a browser in front of one tool's form, without JavaScript."""

    def __init__(self, parameters: Any, arguments: Any = None, **options: Any) -> None:
        self.schema, self.options = normalise(parameters), options
        self.show(forms.build(self.schema, arguments=arguments, **options))

    def show(self, form: forms.Form) -> forms.Form:
        self.form, self.html = form, str(form)
        self.page = Page(self.html)
        return form

    def type(self, **fields: str) -> "Visit":
        """Type in top-level fields: `visit.type(room="R1")`."""
        for name, text in fields.items():
            self.page.type(f"arg:/{name}", text)
        return self

    def at(self, control: str, text: str) -> "Visit":
        """Set one control by its full name."""
        self.page.type(control, text)
        return self

    def press(self, button: str) -> forms.Form:
        """Press one of the form's own buttons."""
        return self.show(self._read(self.page.post(button)))

    def submit(self) -> forms.Form:
        """Press start."""
        return self.show(self._read(self.page.post()))

    def _read(self, post: dict[str, str]) -> forms.Form:
        return forms.read(self.schema, post, **self.options)

    def value(self, name: str) -> str:
        """Return what a control shows."""
        return next(c.value for c in self.page.controls if c.name == name)

    def problems(self) -> list[tuple[str, str]]:
        """Return the summary: the way to each field in words, and what is wrong."""
        return [(problem.label, problem.message) for problem in self.form.faults]
