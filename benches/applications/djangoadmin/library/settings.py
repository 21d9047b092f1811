"""A project of nothing but the administration, at its root, which everybody enters as the same reader."""

import os

from django.core.wsgi import get_wsgi_application
from django.utils.functional import SimpleLazyObject

SECRET_KEY = "fixed-for-this-library"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "library.urls"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["STATE"] + "/library.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ, TIME_ZONE = True, "UTC"
STATIC_URL = "/static/"
INSTALLED_APPS = ["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
                  "django.contrib.staticfiles", "library"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
              "library.settings.entered", "django.contrib.messages.middleware.MessageMiddleware"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {"context_processors": [
    "django.template.context_processors.request", "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages"]}}]


def entered(answer):
    from django.contrib.auth.models import User

    def middleware(request):
        request.user = SimpleLazyObject(lambda: User.objects.get(username="reader"))
        return answer(request)
    return middleware


application = get_wsgi_application()
