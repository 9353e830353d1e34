"""Fill in a form as a person with a browser would who gives no more than is asked."""

from html.parser import HTMLParser

from django.http import QueryDict

SKIPPED = ("submit", "button", "file")
SIMPLE = {"integer": 1, "number": 1.5, "boolean": True, "null": None}


class Browser(HTMLParser):
    """What a browser sends of a form as it is shown."""

    def __init__(self):
        super().__init__()
        self.data = QueryDict(mutable=True)
        self.select = self.area = None

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        if tag == "select":
            self.select = known.get("name")
        elif tag == "option" and self.select and "selected" in known:
            self.data.appendlist(self.select, known.get("value", ""))
        elif tag == "textarea":
            self.area = known.get("name")
            self.data.appendlist(self.area, "")
        elif tag == "input" and known.get("name"):
            self._input(known)

    def _input(self, known):
        kind = known.get("type", "text")
        unchecked = kind in ("checkbox", "radio") and "checked" not in known
        if not unchecked and kind not in SKIPPED:
            self.data.appendlist(known["name"], known.get("value", ""))

    def handle_data(self, text):
        if self.area:
            self.data[self.area] = self.data[self.area] + text

    def handle_endtag(self, tag):
        if tag == "textarea" and self.area:
            # A browser drops one line break right after the tag.
            self.data[self.area] = self.data[self.area].removeprefix("\n")
            self.area = None


def posted(form):
    """Show the form and send it back as it is."""
    browser = Browser()
    browser.feed(str(form))
    assert browser.data or not form.arguments
    return browser.data


def least(schema, root):
    """The smallest value that a schema asks for."""
    if "$ref" in schema:
        for step in schema["$ref"].split("/")[1:]:
            schema = root["$defs"] if step == "$defs" else schema[step]
        return least(schema, root)
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return least(schema[word][0], root)
    return schema["enum"][0] if schema.get("enum") else _of_type(schema, root)


def _of_type(schema, root):
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        shapes = schema.get("properties", {})
        wanted = schema.get("required", [])
        return {name: least(shapes.get(name, {}), root) for name in wanted}
    if kind == "array":
        return [least(schema.get("items", {}), root)] * schema.get("minItems", 0)
    if kind == "string":
        return _text(schema)
    return max(schema.get("minimum", 1), 1) if kind == "integer" else SIMPLE[kind]


def _text(schema):
    if schema.get("format") == "uri":
        return "https://example.org/"
    return "x" * max(1, schema.get("minLength", 1))
