"""The settings of a small shop. Variables select how it uses its database."""
import os

SECRET_KEY = "test"
ROOT_URLCONF = "urls"
ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
# Before the admin, whose page with the history of an object it extends.
INSTALLED_APPS = ["travelog.django"] + [f"django.contrib.{name}" for name in (
    "admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")] + ["shop"]
MIDDLEWARE = [
    "travelog.django.Middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
][0 if "WITHOUT_TRAVELOG" not in os.environ else 1:]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages"]}}]
OPTIONS = {"timeout": 60, "init_command": "PRAGMA journal_mode = WAL"}
if "DEFERRED" not in os.environ:
    OPTIONS["transaction_mode"] = "IMMEDIATE"
DATABASES = {"default": {
    "ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"], "OPTIONS": OPTIONS,
    "ATOMIC_REQUESTS": "ATOMIC_REQUESTS" in os.environ,
    "CONN_MAX_AGE": None if "PERSISTENT" in os.environ else 0}}
# The usual hash of a password takes a quarter of a second.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "static/"
TIME_ZONE = "UTC"
USE_TZ = True
if "TRAVELOG" in os.environ:
    TRAVELOG_PROGRAM = os.environ["TRAVELOG"]
# The server writes what failed to its log.
LOGGING = {"version": 1, "handlers": {"console": {"class": "logging.StreamHandler"}},
           "loggers": {"django.request": {"handlers": ["console"], "level": "ERROR"}}}
