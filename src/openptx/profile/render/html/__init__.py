"""A profile as one HTML file, which needs no network."""

from openptx.profile.render.html.notebook import in_notebook
from openptx.profile.render.html.page import page

__all__ = ["in_notebook", "page"]
