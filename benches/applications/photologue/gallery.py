"""Settings, addresses and entry of the gallery. Lists can be ordered and pictures be shown in three sizes; samples of a
gallery are its first photos, not any five."""

import os

STATE = os.environ["STATE"]
SECRET_KEY = "fixed-for-this-gallery"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
SITE_ID = 1
ROOT_URLCONF = "gallery"
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sites", "photologue", "sortedm2m",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "DIRS": [os.path.join(os.path.dirname(__file__), "templates")],
    "OPTIONS": {"context_processors": ["django.template.context_processors.request", "gallery.chosen"]},
}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{STATE}/gallery.sqlite3"}}
MEDIA_URL, MEDIA_ROOT = "/media/", f"{STATE}/media"
USE_TZ, TIME_ZONE = True, "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
ORDERS = {"newest": "-date_added", "oldest": "date_added", "title": "title"}
SIZES = ["small", "medium", "large"]


def chosen(request):
    """What the address says about order and size, for all templates."""
    return {"orders": list(ORDERS), "order": request.GET.get("order", ""), "sizes": SIZES, "size": request.GET.get("size", "")}


def addresses():
    from django.urls import include, path
    from photologue.views import PhotoListView

    class Ordered(PhotoListView):
        paginate_by = 24

        def get_queryset(self):
            return super().get_queryset().order_by(ORDERS.get(self.request.GET.get("order"), "-date_added"), "pk")

    return [path("photologue/photolist/", Ordered.as_view()), path("photologue/", include("photologue.urls", namespace="photologue"))]


def __getattr__(name):
    # Django reads settings from here before its applications are ready, and addresses and entry afterwards.
    if name == "urlpatterns":
        return addresses()
    if name == "application":
        from django.core.wsgi import get_wsgi_application
        return get_wsgi_application()
    raise AttributeError(name)
