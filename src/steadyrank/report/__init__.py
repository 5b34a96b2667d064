"""Views of finished results: text, JSON, CSV and a page to look at. Nothing is computed here."""
