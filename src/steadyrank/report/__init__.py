"""Views of findings: text, JSON, CSV, plots and a page to look at. Nothing is computed here."""
