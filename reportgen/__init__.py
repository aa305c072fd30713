"""reportgen: one scenario in; a live workbook and a signed-off memo out."""

__version__ = "0.1.0"
