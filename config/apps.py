from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Pegboard"

    def ready(self) -> None:
        from . import checks  # noqa: F401
