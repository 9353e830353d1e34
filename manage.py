#!/usr/bin/env python
"""Pegboard's command line."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from environs import EnvError

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        settings.INSTALLED_APPS  # noqa: B018 - read them here, to say in one line what is wrong
    except (EnvError, ImproperlyConfigured, ValueError) as fault:
        sys.exit(f"Pegboard cannot start: {fault}")
    execute_from_command_line(sys.argv)
