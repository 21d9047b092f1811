"""Settings, and who everybody is that looks at it."""

import os

from django.utils.functional import SimpleLazyObject
from nautobot.core.settings import *  # noqa: F403

STATE = os.environ["STATE"]
SECRET_KEY = "fixed-for-this-inventory-of-a-network-that-there-is-not"
ALLOWED_HOSTS = ["127.0.0.1"]
DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "nautobot", "USER": "postgres", "HOST": STATE + "/postgres"}}
CACHES = {"default": {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": f"unix://{STATE}/redis.sock?db=1"}}
CELERY_BROKER_URL = f"redis+socket://{STATE}/redis.sock"
INSTALLATION_METRICS_ENABLED = False
RELEASE_CHECK_URL = None
TIME_ZONE = "UTC"
MIDDLEWARE = [one for name in MIDDLEWARE for one in ([name, "inventory.entered"] if name.endswith("AuthenticationMiddleware") and "django.contrib" in name else [name])]  # noqa: F405


def entered(answer):
    from django.contrib.auth import get_user_model

    def middleware(request):
        request.user = SimpleLazyObject(lambda: get_user_model().objects.get(username="reader"))
        return answer(request)
    return middleware
