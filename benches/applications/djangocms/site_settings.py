import os
STATE = os.environ["SITE_STATE"]
SECRET_KEY = "fixed"
DEBUG = False
ALLOWED_HOSTS = ["*"]
SITE_ID = 1
ROOT_URLCONF = "site_urls"
USE_I18N = USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("fr", "Français")]
CMS_LANGUAGES = {1: [{"code": code, "name": name, "fallbacks": ["en"] if code != "en" else [], "public": True, "hide_untranslated": False, "redirect_on_fallback": False}
                     for code, name in LANGUAGES], "default": {"fallbacks": ["en"], "redirect_on_fallback": False, "public": True, "hide_untranslated": False}}
PARLER_LANGUAGES = {1: [{"code": code} for code, _ in LANGUAGES], "default": {"fallbacks": ["en"], "hide_untranslated": False}}
CMS_TEMPLATES = [("page.html", "Page")]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
META_SITE_PROTOCOL = "http"
META_USE_SITES = True
THUMBNAIL_PROCESSORS = ("easy_thumbnails.processors.colorspace", "easy_thumbnails.processors.autocrop", "filer.thumbnail_processors.scale_and_crop_with_subject_location", "easy_thumbnails.processors.filters")
INSTALLED_APPS = ["djangocms_admin_style", "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.sites", "django.contrib.messages",
    "django.contrib.staticfiles", "django.contrib.sitemaps", "cms", "menus", "treebeard", "sekizai", "djangocms_text_ckeditor", "filer", "easy_thumbnails", "parler", "taggit", "taggit_autosuggest", "meta", "sortedm2m", "aldryn_apphooks_config", "djangocms_blog"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.locale.LocaleMiddleware", "django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware", "cms.middleware.user.CurrentUserMiddleware", "cms.middleware.page.CurrentPageMiddleware",
    "cms.middleware.toolbar.ToolbarMiddleware", "cms.middleware.language.LanguageCookieMiddleware"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")], "APP_DIRS": True, "OPTIONS": {"context_processors": [
    "django.template.context_processors.request", "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages", "django.template.context_processors.i18n",
    "django.template.context_processors.media", "django.template.context_processors.static", "sekizai.context_processors.sekizai", "cms.context_processors.cms_settings"]}}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(STATE, "site.db"), "OPTIONS": {"timeout": 30}}}
STATIC_URL, MEDIA_URL = "/static/", "/media/"
STATIC_ROOT, MEDIA_ROOT = os.path.join(STATE, "static"), os.path.join(STATE, "media")
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
BLOG_PAGINATION = 10
BLOG_USE_PLACEHOLDER = False
# The wizards of the blog ask for their tables before these are made; nobody writes here.
import sys, types
sys.modules["djangocms_blog.cms_wizards"] = types.ModuleType("djangocms_blog.cms_wizards")
