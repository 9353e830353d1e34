from django.apps import AppConfig


class RunnerConfig(AppConfig):
    name = "runner"

    def ready(self) -> None:
        from . import switches  # noqa: F401
