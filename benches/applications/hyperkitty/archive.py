"""Settings, addresses and entry of a HyperKitty without the rest of Mailman."""

import os

STATE = os.environ["STATE"]
SECRET_KEY = MAILMAN_ARCHIVER_KEY = "fixed-for-this-archive"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
SITE_ID = 1
ROOT_URLCONF = "archive"
INSTALLED_APPS = [
    "hyperkitty", "django_mailman3", "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
    "django.contrib.sessions", "django.contrib.sites", "django.contrib.messages", "django.contrib.staticfiles",
    "django.contrib.humanize", "rest_framework", "django_gravatar", "compressor", "haystack", "django_extensions", "django_q",
    "allauth", "allauth.account", "allauth.socialaccount",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware", "django.middleware.locale.LocaleMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware", "django_mailman3.middleware.TimezoneMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.debug", "django.template.context_processors.i18n",
        "django.template.context_processors.media", "django.template.context_processors.static",
        "django.template.context_processors.tz", "django.template.context_processors.csrf",
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages", "django_mailman3.context_processors.common",
        "hyperkitty.context_processors.common",
    ]},
}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{STATE}/archive.sqlite3"}}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": f"{STATE}/index"}}
USE_TZ, TIME_ZONE, LANGUAGE_CODE = True, "UTC", "en-us"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
STATIC_URL, STATIC_ROOT = "/static/", f"{STATE}/static"
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder", "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "compressor.finders.CompressorFinder",
]
COMPRESS_ENABLED = False
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_URL = "account_login", "hk_root", "account_logout"
# Nobody answers there: the lists are those of the archive alone.
MAILMAN_REST_API_URL, MAILMAN_REST_API_USER, MAILMAN_REST_API_PASS = "http://127.0.0.1:9", "nobody", "nothing"
FILTER_VHOST = False
Q_CLUSTER = {"orm": "default", "sync": True, "retry": 360, "timeout": 300}


def __getattr__(name):
    # Django reads settings from here before its applications are ready, and addresses and entry afterwards.
    if name == "urlpatterns":
        from django.contrib import admin
        from django.urls import include, path
        return [
            path("hyperkitty/", include("hyperkitty.urls")), path("user-profile/", include("django_mailman3.urls")),
            path("accounts/", include("allauth.urls")), path("admin/", admin.site.urls), path("", _to_lists),
        ]
    if name == "application":
        from django.core.wsgi import get_wsgi_application
        return get_wsgi_application()
    raise AttributeError(name)


def _to_lists(_request):
    from django.shortcuts import redirect
    return redirect("/hyperkitty/")
