"""`concord view`: runs and results of a folder in the browser, from this machine only."""
