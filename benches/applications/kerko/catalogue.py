"""Kerko as its documentation has it: a catalogue by subject, type, year and language, with its items to be printed and sorted."""

import os

import kerko
from flask import Flask
from flask_babel import Babel
from flask_bootstrap import Bootstrap4
from kerko.composer import Composer
from kerko.config_helpers import config_set, config_update, parse_config

STATE = os.environ["CATALOGUE_STATE"]


def create_app():
    app = Flask(__name__, instance_path=STATE)
    config_update(app.config, kerko.DEFAULTS)
    config_update(app.config, {"SECRET_KEY": "fixed-secret-of-the-catalogue", "ZOTERO_API_KEY": "none-is-asked-for-it", "ZOTERO_LIBRARY_ID": "1", "ZOTERO_LIBRARY_TYPE": "group", "DATA_PATH": f"{STATE}/kerko",
                               "INSTANCE_PATH": STATE, "CONFIG_PATH": STATE})
    for name in ("print_item", "print_results", "relations_links", "results_abstracts"):
        config_set(app.config, f"kerko.features.{name}", name != "results_abstracts")
    config_set(app.config, "kerko.meta.title", "Library")
    parse_config(app.config)
    app.config["kerko_composer"] = Composer(app.config)
    app.register_blueprint(kerko.make_blueprint(), url_prefix="/bibliography")
    Babel(app)
    Bootstrap4(app)
    return app
