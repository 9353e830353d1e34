"""`manage.py sync`: bring the catalog to what the sources hold, without a worker."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog import sync
from catalog.errors import HostError, SourcesFileError
from catalog.hosts import Host
from catalog.sources import SourceConfig, read_file


class Command(BaseCommand):
    help = "List every source's tools anew; exits with 1 if a source failed."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            good, bad = read_file()
        except SourcesFileError as fault:
            raise CommandError(str(fault)) from fault
        for line in bad:
            self.stderr.write(line)
        failures = [config.name for config in good.values() if not self.bring(config)]
        sync.remove_missing(set(good))
        if bad or failures:
            raise CommandError("Some sources could not be listed.")

    def bring(self, config: SourceConfig) -> bool:
        """List one source; say what changed, or why it could not be listed."""
        host = Host(config)
        try:
            listing = host.start()
        except HostError as fault:
            sync.failed(config.name, str(fault), config.queue)
            return False
        finally:
            host.stop()
        report = sync.sync(config, listing)
        self.stdout.write(f"{config.name}: {report.line()}")
        for problem in listing.problems:
            self.stderr.write(
                f"{config.name}: {problem['reference']}: {problem['reason']}"
            )
        return not listing.problems
