"""From a contract to a form that a person fills, and back to the value meant.

A form is a tree of fields (`node.Node`). `growing` makes it in one walk, from a value
or from a post (`sources`); `reaping` reads it back in another; `moves` are its
buttons. Controls are named by what they say and the JSON Pointer of the value they
fill: `arg:/lines/1/qty` is its text, `how:/label` whether it is given at all.
"""

from .form import Form, Problem, build, read, starting

__all__ = ["Form", "Problem", "build", "read", "starting"]
