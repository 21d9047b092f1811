"""Settings: everything within STATE, tasks where they are asked for, nobody told to come later."""

import os

from weblate.settings_example import *

STATE = os.environ["STATE"]
DEBUG = False
SITE_TITLE = "Translations of the manual"
SITE_DOMAIN = f"127.0.0.1:{os.environ['PORT']}"
SITE_URL = f"http://{SITE_DOMAIN}"
SECRET_KEY = "fixed-for-these-translations-fixed-for-these-translations"
DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "weblate", "USER": "postgres", "HOST": f"{STATE}/postgres"}}
DATA_DIR = f"{STATE}/data"
CACHE_DIR = f"{DATA_DIR}/cache"
MEDIA_ROOT = f"{DATA_DIR}/media"
STATIC_ROOT = f"{DATA_DIR}/static"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": f"{CACHE_DIR}/pages", "TIMEOUT": None,
                      "OPTIONS": {"MAX_ENTRIES": 1_000_000}},
          "avatar": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": f"{CACHE_DIR}/avatar"}}
SESSION_ENGINE = "django.contrib.sessions.backends.db"
COMPRESS_ENABLED = COMPRESS_OFFLINE = False
CELERY_TASK_ALWAYS_EAGER = True
CELERY_BROKER_URL = "memory://"
CELERY_RESULT_BACKEND = None
VCS_FILE_PROTOCOL = True
ENABLE_AVATARS = False
NEARBY_MESSAGES = 3
OTP_WEBAUTHN_RP_ID = "127.0.0.1"
OTP_WEBAUTHN_ALLOWED_ORIGINS = [SITE_URL]
RATELIMIT_ATTEMPTS = RATELIMIT_SEARCH_ATTEMPTS = RATELIMIT_TRANSLATE_ATTEMPTS = 10_000_000
SILENCED_SYSTEM_CHECKS = [*SILENCED_SYSTEM_CHECKS, "otp_webauthn.E031"]
VCS_BACKENDS = ("weblate.vcs.git.GitRepository", "weblate.vcs.git.LocalRepository")
WEBLATE_MACHINERY = ()
LOGGING = {"version": 1, "disable_existing_loggers": False}
