"""From a contract to a form that a person fills, and back to the value meant.

A form is a tree of fields (`node`, and `look` for what a page shows of them).
`growing` makes it in one walk, from a value (`given`) or from a post (`posted`);
`kinds` says which kind of field a schema asks for; `reaping` reads the tree back in
another walk; `moves` are the form's buttons; `placing` puts faults at their fields.

Controls are named by what they say and the JSON Pointer of the value they fill:
`arg:/lines/1/qty` is its text, `how:/label` whether it is given at all.
"""

from .form import Form, Problem, build, read, starting

__all__ = ["Form", "Problem", "build", "read", "starting"]
