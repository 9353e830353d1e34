"""What can go wrong for a person, each with words for who can act."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .schema import Fault


class PegboardError(Exception):
    """Something went wrong."""

    code = "error"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class ToolUnavailable(PegboardError):
    """This tool cannot be started now."""

    code = "tool_unavailable"


class InvalidArguments(PegboardError):
    """The arguments do not fit the tool."""

    code = "invalid_arguments"

    def __init__(self, faults: "list[Fault]", message: str = "") -> None:
        super().__init__(message)
        self.faults = faults


class TooLarge(PegboardError):
    """This is larger than what is taken."""

    code = "too_large"


class ConfirmationRequired(PegboardError):
    """This tool acts only after an explicit yes."""

    code = "confirmation_required"


class CouldNotQueue(PegboardError):
    """The run could not be queued: the broker did not answer. Try again."""

    code = "could_not_queue"


class WrongState(PegboardError):
    """The run is not in a state that allows this."""

    code = "wrong_state"


class KeyReused(PegboardError):
    """This key was used before for another request."""

    code = "key_reused"


class HostError(PegboardError):
    """The source's host did not come up."""

    code = "host_error"


class SourcesFileError(PegboardError):
    """The sources file cannot be read."""

    code = "sources_file"
