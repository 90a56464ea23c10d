"""The steps of page-check, and the browser that they use."""
