"""From source notebooks to what students get: refresh, release, leak scan, bundle, site."""
