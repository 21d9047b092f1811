"""Settings, addresses and entry of the calendars, with the pages that come with them."""

import os

STATE = os.environ["STATE"]
SECRET_KEY = "fixed-for-these-calendars"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "office"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages", "django.contrib.staticfiles", "schedule"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth"]},
}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{STATE}/office.sqlite3"}}
STATIC_URL, MEDIA_URL = "/static/", "/media/"
USE_TZ, TIME_ZONE, LANGUAGE_CODE = True, "UTC", "en-us"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"


def __getattr__(name):
    # Django reads settings from here before its applications are ready, and addresses and entry afterwards.
    if name == "urlpatterns":
        from django.urls import include, path

        return [path("schedule/", include("schedule.urls"))]
    if name == "application":
        from django.core.wsgi import get_wsgi_application

        return get_wsgi_application()
    raise AttributeError(name)
