"""Settings, addresses and entry of the forum."""

import os

from machina import MACHINA_MAIN_TEMPLATE_DIR

STATE = os.environ["STATE"]
SECRET_KEY = "fixed-for-this-forum"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "forum_site"
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
    "django.contrib.staticfiles", "django.contrib.admin", "mptt", "haystack", "widget_tweaks", "machina", "machina.apps.forum",
    "machina.apps.forum_conversation", "machina.apps.forum_conversation.forum_attachments",
    "machina.apps.forum_conversation.forum_polls", "machina.apps.forum_feeds", "machina.apps.forum_moderation",
    "machina.apps.forum_search", "machina.apps.forum_tracking", "machina.apps.forum_member", "machina.apps.forum_permission",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "machina.apps.forum_permission.middleware.ForumPermissionMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "DIRS": [MACHINA_MAIN_TEMPLATE_DIR],
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.debug", "django.template.context_processors.i18n",
        "django.template.context_processors.request", "django.template.context_processors.static",
        "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages",
        "machina.core.context_processors.metadata",
    ]},
}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{STATE}/forum.sqlite3", "OPTIONS": {"timeout": 60}}}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "machina_attachments": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": f"{STATE}/attachments"},
}
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": f"{STATE}/index"}}
STATIC_URL, MEDIA_URL, MEDIA_ROOT = "/static/", "/media/", f"{STATE}/media"
USE_TZ, TIME_ZONE, LANGUAGE_CODE = True, "UTC", "en"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
LOGIN_URL = "/admin/login/"
MACHINA_FORUM_NAME = "Manual forum"
MACHINA_TOPIC_POSTS_NUMBER_PER_PAGE = 10


def __getattr__(name):
    # Django reads settings from here before its applications are ready, and addresses and entry afterwards.
    if name == "urlpatterns":
        from django.contrib import admin
        from django.urls import include, path
        return [path("admin/", admin.site.urls), path("", include("machina.urls"))]
    if name == "application":
        from django.core.wsgi import get_wsgi_application
        return get_wsgi_application()
    raise AttributeError(name)
