"""A profile as one HTML file, which needs no network."""

from openptx.profile.html.notebook import in_notebook
from openptx.profile.html.page import page

__all__ = ["in_notebook", "page"]
