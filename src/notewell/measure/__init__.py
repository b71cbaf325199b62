"""The quality of search: judged collections, metrics, and their evaluation through the whole pipeline."""
