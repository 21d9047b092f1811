"""Settings, addresses and entry of the wiki."""

import os

STATE = os.environ["STATE"]
SECRET_KEY = "fixed-for-this-wiki"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "wiki_site"
SITE_ID = 1
INSTALLED_APPS = [
    "django.contrib.humanize", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.sites", "django.contrib.messages",
    "django.contrib.staticfiles", "django_nyt", "mptt", "sekizai", "sorl.thumbnail", "wiki", "wiki.plugins.attachments", "wiki.plugins.editsection", "wiki.plugins.globalhistory",
    "wiki.plugins.help", "wiki.plugins.images", "wiki.plugins.links", "wiki.plugins.macros", "wiki.plugins.notifications", "wiki.plugins.redlinks",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.contrib.auth.context_processors.auth", "django.template.context_processors.debug", "django.template.context_processors.i18n", "django.template.context_processors.media",
        "django.template.context_processors.request", "django.template.context_processors.static", "django.template.context_processors.tz",
        "django.contrib.messages.context_processors.messages", "sekizai.context_processors.sekizai",
    ]},
}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{STATE}/wiki.sqlite3", "OPTIONS": {"timeout": 60}}}
STATIC_URL, MEDIA_URL, MEDIA_ROOT = "/static/", "/media/", f"{STATE}/media"
USE_TZ, TIME_ZONE, LANGUAGE_CODE = True, "UTC", "en"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
WIKI_ACCOUNT_HANDLING, WIKI_ACCOUNT_SIGNUP_ALLOWED = True, True


def __getattr__(name):
    # Django reads settings from here before its applications are ready, and addresses and entry afterwards.
    if name == "urlpatterns":
        from django.urls import include, path
        return [path("notifications/", include("django_nyt.urls")), path("", include("wiki.urls"))]
    if name == "application":
        from django.core.wsgi import get_wsgi_application
        return get_wsgi_application()
    raise AttributeError(name)
