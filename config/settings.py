"""Pegboard's settings: one file, read from the environment, safe by default.

Every variable read here is described in docs/settings.md (a test compares). A
value that makes no sense stops the start.
"""

import json
import logging
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP
from environs import Env

django_stubs_ext.monkeypatch()

env = Env()
BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = (BASE_DIR / "CHANGELOG.md").read_text().partition("## ")[2].split()[0]

# Where everything written at run time lives.
DATA_DIR = Path(env.str("PEGBOARD_DATA", str(BASE_DIR / "var"))).resolve()
try:
    DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
except OSError as fault:
    raise ImproperlyConfigured(
        f"PEGBOARD_DATA: the folder {DATA_DIR} cannot be made: {fault.strerror}"
    ) from None
SOURCES_FILE = Path(
    env.str("PEGBOARD_SOURCES", str(BASE_DIR / "sources.toml"))
).resolve()


def kept_secret(name: str) -> str:
    """Return the secret kept in the data folder, made at the first call."""
    path = DATA_DIR / name
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        if kept := path.read_text().strip():
            return kept
    path.write_text(secrets.token_urlsafe(48))
    return path.read_text()


SECRET_KEY = env.str("SECRET_KEY", "") or kept_secret("secret_key")
DEBUG = env.bool("DEBUG", False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
# Set behind a TLS proxy: cookies, redirects and HSTS then insist on https.
HTTPS = env.bool("PEGBOARD_HTTPS", False)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "config",
    "catalog",
    "runner",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.StaticFilesMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.TimeZoneMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.board",
            ],
        },
    },
]

# SQLite unless DATABASE_URL says otherwise. IMMEDIATE: a transaction that will
# write takes its lock at the start, so that two never meet half-way.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}


def database() -> dict[str, Any]:
    """Return Django's database settings from DATABASE_URL, else SQLite."""
    address = env.str("DATABASE_URL", "")
    if not address:
        return {
            "ENGINE": "config.sqlite",
            "NAME": DATA_DIR / "pegboard.sqlite3",
            "OPTIONS": SQLITE_OPTIONS,
            "CONN_MAX_AGE": None,
            "TEST": {"NAME": DATA_DIR / "test.sqlite3"},
        }
    try:
        url = urlsplit(address)
        port = url.port or ""
    except ValueError as fault:
        raise ImproperlyConfigured(f"DATABASE_URL: {fault}") from fault
    if url.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured("DATABASE_URL must start with postgresql://")
    # Under ASGI each request would open a connection of its own. Request threads and
    # a worker's threads hold one only while they ask something.
    pool = {"min_size": 1, "max_size": 20, "timeout": 20}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(url.path.lstrip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": unquote(url.hostname or ""),
        "PORT": port,
        "OPTIONS": {"pool": pool, **dict(parse_qsl(url.query))},
    }


DATABASES = {"default": database()}

# One server carries Celery's messages and the doorbells of the pages. Rings may
# be lost, so plain publish and subscribe is enough, at a fraction of the cost.
NO_REDIS = "redis://127.0.0.1:1/0"  # never the Redis that happens to run here


def board_redis() -> str:
    """Return the Redis or Valkey of the board that runs in this folder, if one does."""
    try:
        told = json.loads((DATA_DIR / "ready.json").read_text())
        return str(told["redis"])
    except (OSError, ValueError, KeyError):
        return NO_REDIS


REDIS_URL = env.str("REDIS_URL", "") or board_redis()
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": "pegboard"},
    }
}

CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": "pegboard.",
    "socket_connect_timeout": 3,
    "socket_timeout": 10,
    "retry_on_timeout": True,
    # Who starts a run hears at once that the broker is down, not after six seconds of
    # trying; workers and beat have their own patience.
    "max_retries": 0,
    # A message is a doorbell: what a worker lost the reaper rings for again, so
    # nothing is gained by noting in the broker what was not acknowledged yet.
    "ack_emulation": False,
}
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
# At most once: the row is the truth, a message is only a doorbell.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A round that nobody took up in time is dropped: the next ones do its work. The time
# is a good deal longer than the beat, as the clocks of two machines may differ.
CELERY_BEAT_SCHEDULE = {
    "reap": {
        "task": "runner.tasks.reap_runs",
        "schedule": 2.0,
        "options": {"expires": 30.0},
    },
    "tidy": {
        "task": "runner.tasks.tidy",
        "schedule": 3600.0,
        "options": {"expires": 3600.0},
    },
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "tool_list"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "form-action": [CSP.SELF],
}
X_FRAME_OPTIONS = "DENY"

KNOX_TOKEN_MODEL = "catalog.ApiToken"  # noqa: S105 - a model's name
# Ours takes the place of its table, which its own migrations would make all the
# same; nothing would then know of it, and PostgreSQL would not empty what it names.
MIGRATION_MODULES = {"knox": None}
REST_KNOX = {"TOKEN_TTL": timedelta(days=90), "TOKEN_PREFIX": "peg_"}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "catalog.tokens.TokenAuthentication",
        "catalog.tokens.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "catalog.tokens.ScopeAllows",
    ],
    "DEFAULT_RENDERER_CLASSES": ["catalog.problems.StrictJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["catalog.problems.StrictJSONParser"],
    "EXCEPTION_HANDLER": "catalog.problems.handle",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Pegboard",
    "DESCRIPTION": "Tools, their contracts and their runs.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
}

LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = env.str("PEGBOARD_TIME_ZONE", "UTC")
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = Path(env.str("PEGBOARD_MEDIA", str(DATA_DIR / "media")))
STORAGES = {
    "default": {
        "BACKEND": env.str(
            "PEGBOARD_STORAGE", "django.core.files.storage.FileSystemStorage"
        ),
        "OPTIONS": env.json("PEGBOARD_STORAGE_OPTIONS", {}),
    },
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

# Limits of runs; a source or a tool may say less or more where noted.
RUN_TIMEOUT = env.float("PEGBOARD_RUN_TIMEOUT", 180.0)
RUN_TIMEOUT_MAX = env.float("PEGBOARD_RUN_TIMEOUT_MAX", 24 * 3600.0)
RUN_MAX_OUTPUT = env.int("PEGBOARD_RUN_MAX_OUTPUT", 10_000_000)
RUNS_PER_USER = env.int("PEGBOARD_RUNS_PER_USER", 50)
WORKER_THREADS = env.int("PEGBOARD_WORKER_THREADS", 32)
WORKER_STOP_SECONDS = env.float("PEGBOARD_WORKER_STOP_SECONDS", 10.0)
UPLOAD_MAX_BYTES = env.int("PEGBOARD_UPLOAD_MAX_BYTES", 50_000_000)
RETENTION_DAYS = env.int("PEGBOARD_RETENTION_DAYS", 90)
# Beats of the machinery, in seconds.
WORKER_BEAT = 2.0
CANCEL_BEAT = 0.5
STREAM_BEAT = 2.0

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {
        "handlers": ["console"],
        "level": env.log_level("PEGBOARD_LOG_LEVEL", logging.WARNING),
    },
    "loggers": {
        name: {"level": env.log_level("PEGBOARD_LOG_LEVEL", logging.INFO)}
        for name in ("catalog", "runner", "config")
    }
    # Anybody can send a wrong Host header: the answer says so, no traceback is due.
    | {"django.security.DisallowedHost": {"level": "CRITICAL"}},
}
