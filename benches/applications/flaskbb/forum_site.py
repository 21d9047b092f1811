"""Settings and entry of the forum."""

import os

from flaskbb import create_app
from flaskbb.configs.default import DefaultConfig

STATE = os.environ["STATE"]


class Config(DefaultConfig):
    SERVER_NAME = f"127.0.0.1:{os.environ['PORT']}"
    SECRET_KEY = WTF_CSRF_SECRET_KEY = "fixed-for-this-forum"
    SQLALCHEMY_DATABASE_URI = f"sqlite:///{STATE}/forum.sqlite3"
    WHOOSHEE_DIR = f"{STATE}/index"
    LOG_PATH = f"{STATE}/log"
    USE_DEFAULT_LOGGING = False
    RATELIMIT_ENABLED = False


application = create_app(Config, f"{STATE}/instance")
