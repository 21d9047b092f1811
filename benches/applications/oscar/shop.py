"""Settings, addresses and entry of the shop."""

import os

from oscar.defaults import *

STATE = os.environ["STATE"]
SECRET_KEY = "fixed-for-this-shop"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
SITE_ID = 1
ROOT_URLCONF = "shop"
INSTALLED_APPS = [
    "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
    "django.contrib.messages", "django.contrib.staticfiles", "django.contrib.sites", "django.contrib.flatpages",
    "oscar.config.Shop", "oscar.apps.analytics.apps.AnalyticsConfig", "oscar.apps.checkout.apps.CheckoutConfig",
    "oscar.apps.address.apps.AddressConfig", "oscar.apps.shipping.apps.ShippingConfig",
    "oscar.apps.catalogue.apps.CatalogueConfig", "oscar.apps.catalogue.reviews.apps.CatalogueReviewsConfig",
    "oscar.apps.communication.apps.CommunicationConfig", "oscar.apps.partner.apps.PartnerConfig",
    "oscar.apps.basket.apps.BasketConfig", "oscar.apps.payment.apps.PaymentConfig", "oscar.apps.offer.apps.OfferConfig",
    "oscar.apps.order.apps.OrderConfig", "oscar.apps.customer.apps.CustomerConfig", "oscar.apps.search.apps.SearchConfig",
    "oscar.apps.voucher.apps.VoucherConfig", "oscar.apps.wishlists.apps.WishlistsConfig",
    "oscar.apps.dashboard.apps.DashboardConfig", "oscar.apps.dashboard.reports.apps.ReportsDashboardConfig",
    "oscar.apps.dashboard.users.apps.UsersDashboardConfig", "oscar.apps.dashboard.orders.apps.OrdersDashboardConfig",
    "oscar.apps.dashboard.catalogue.apps.CatalogueDashboardConfig", "oscar.apps.dashboard.offers.apps.OffersDashboardConfig",
    "oscar.apps.dashboard.partners.apps.PartnersDashboardConfig", "oscar.apps.dashboard.pages.apps.PagesDashboardConfig",
    "oscar.apps.dashboard.ranges.apps.RangesDashboardConfig", "oscar.apps.dashboard.reviews.apps.ReviewsDashboardConfig",
    "oscar.apps.dashboard.vouchers.apps.VouchersDashboardConfig",
    "oscar.apps.dashboard.communications.apps.CommunicationsDashboardConfig",
    "oscar.apps.dashboard.shipping.apps.ShippingDashboardConfig",
    "widget_tweaks", "haystack", "treebeard", "sorl.thumbnail", "django_tables2",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware", "oscar.apps.basket.middleware.BasketMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.debug", "django.template.context_processors.i18n",
        "django.template.context_processors.request", "django.template.context_processors.media",
        "django.template.context_processors.static", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages", "oscar.apps.search.context_processors.search_form",
        "oscar.apps.checkout.context_processors.checkout", "oscar.apps.communication.notifications.context_processors.notifications",
        "oscar.core.context_processors.metadata",
    ]},
}]
AUTHENTICATION_BACKENDS = ["oscar.apps.customer.auth_backends.EmailBackend", "django.contrib.auth.backends.ModelBackend"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{STATE}/shop.sqlite3", "ATOMIC_REQUESTS": True,
                         "OPTIONS": {"timeout": 60}}}
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": f"{STATE}/index",
                                    "INCLUDE_SPELLING": False}}
HAYSTACK_SIGNAL_PROCESSOR = "haystack.signals.BaseSignalProcessor"
STATIC_URL, MEDIA_URL, MEDIA_ROOT = "/static/", "/media/", f"{STATE}/media"
USE_TZ, TIME_ZONE, LANGUAGE_CODE = True, "UTC", "en"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
OSCAR_SHOP_NAME = "Printed manuals"
OSCAR_RECENTLY_VIEWED_PRODUCTS = 0


def __getattr__(name):
    # Django reads settings from here before its applications are ready, and addresses and entry afterwards.
    if name == "urlpatterns":
        from django.apps import apps
        from django.urls import include, path
        return [path("i18n/", include("django.conf.urls.i18n")), path("", include(apps.get_app_config("oscar").urls[0]))]
    if name == "application":
        from django.core.wsgi import get_wsgi_application
        return get_wsgi_application()
    raise AttributeError(name)
